import type { Condition } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import { restartsOf, steadyMs } from '../../core/rollout/restarts.ts';

/** A pod that is not ready, or was not a moment ago. Times as the cluster tells them. */
export interface Trouble {
  readonly since: number;
  /** When it last changed between ready and not. */
  readonly changed: number;
  /** How often its containers had been restarted then. */
  readonly restarts: number;
}

/** By uid. */
export type Troubles = ReadonlyMap<string, Trouble>;

export interface Seen {
  readonly pods: readonly Pod[];
  readonly settleMs: number;
  readonly now: number;
}

/**
 * A crash loop may make a pod ready for a moment each time. Such a moment, too short to be trusted and followed by another restart,
 * does not count: otherwise a long settle time would never be over. A pod that loses its readiness without a restart has
 * recovered in between, and its time starts again.
 */
export function noteTroubles(known: Troubles, { pods, settleMs, now }: Seen): Troubles {
  const noted = new Map<string, Trouble>();
  for (const pod of pods) {
    const { uid } = pod.metadata;
    if (uid === undefined) continue;
    const trouble = troubleOf(pod, restartsOf(pod), known.get(uid), now - steadyMs(settleMs));
    if (trouble !== undefined) noted.set(uid, trouble);
  }
  return noted;
}

function troubleOf(pod: Pod, restarts: number, known: Trouble | undefined, trusted: number): Trouble | undefined {
  const ready = readyOf(pod);
  const changed = Date.parse(ready?.lastTransitionTime ?? '');
  if (ready === undefined || Number.isNaN(changed)) return undefined;
  if (ready.status === 'True') return changed > trusted ? known : undefined;
  const goesOn = known !== undefined && (changed === known.changed || restarts > known.restarts);
  return { since: goesOn ? known.since : changed, changed, restarts };
}

/** The pods as they are planned with: not ready since their trouble began. */
export function sinceTrouble(pods: readonly Pod[], troubles: Troubles): readonly Pod[] {
  return pods.map((pod) => {
    const trouble = troubles.get(pod.metadata.uid ?? '');
    const ready = readyOf(pod);
    if (trouble === undefined || ready?.status === 'True' || trouble.since === trouble.changed) return pod;
    const lastTransitionTime = new Date(trouble.since).toISOString();
    const conditions = pod.status?.conditions?.map((one) => (one === ready ? { ...one, lastTransitionTime } : one));
    return { ...pod, status: { ...pod.status, ...(conditions === undefined ? {} : { conditions }) } };
  });
}

function readyOf({ status }: Pod): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
