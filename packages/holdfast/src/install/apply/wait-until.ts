import { sleep } from '../../kube/time/clock.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { type Went, went } from '../failures.ts';
import type { Reporter } from '../outcome.ts';
import type { InstallReadiness } from './readiness.ts';

const lookEveryMs = 500;

export interface Patience {
  /** When to give up, by the monotonic clock. */
  readonly untilMs: number;
  readonly report: Reporter;
}

export type Waited = Exclude<InstallReadiness, { kind: 'waiting' }> | { readonly kind: 'late'; readonly text: string };

/** Looks again and again, and tells what is missing meanwhile. */
export async function waitUntil(
  api: ClusterApi,
  { untilMs, report }: Patience,
  look: () => Promise<Went<InstallReadiness>>,
): Promise<Went<Waited>> {
  for (;;) {
    const seen = await look();
    if (!seen.ok) return seen;
    if (seen.value.kind !== 'waiting') return went(seen.value);
    const { text, because } = seen.value;
    const leftMs = untilMs - api.clock.monotonic();
    if (leftMs <= 0) return went({ kind: 'late', text });
    report({ kind: 'waiting', text: because === undefined ? text : `${text}; ${because}` });
    if (!(await sleep(api.clock, Math.min(lookEveryMs, leftMs), api.signal))) {
      return { ok: false, ended: { kind: 'stopped' } };
    }
  }
}
