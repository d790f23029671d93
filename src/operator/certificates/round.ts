import type { Secret } from 'kubernetes-types/core/v1.js';
import type { Failure, Outcome } from '../../kube/outcome/failure.ts';
import { afterStep } from './apply-step.ts';
import type { CertificateWrite } from './certificate-metrics.ts';
import { bundlesOf } from './inject.ts';
import type { ServerNames } from './material.ts';
import { observe, type Sightings } from './observe.ts';
import { type CertificateFacts, type CertificatePlan, planCertificates } from './plan.ts';
import type { CertificatePolicy } from './policy.ts';
import { type ReadSecret, readSecret } from './read.ts';
import { secretTexts } from './secret.ts';
import type { CertificateStore, ReadConfiguration } from './store.ts';

export interface RoundOptions {
  readonly store: CertificateStore;
  readonly names: ServerNames;
  readonly policy: CertificatePolicy;
  readonly randomBytes: (size: number) => Buffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Write {
  readonly what: CertificateWrite;
  /** Undefined: it was made. */
  readonly failure: Failure | undefined;
}

/** One look at everything, and what followed from it. */
export type Round =
  | { readonly kind: 'unread'; readonly failure: Failure }
  | {
      readonly kind: 'planned';
      readonly plan: CertificatePlan;
      readonly sightings: Sightings;
      /** What in the Secret cannot be used. */
      readonly problems: readonly string[];
      /** Empty: all is as it should be. */
      readonly writes: readonly Write[];
    };

interface Seen {
  /** As they were before the Secret was read: it is these that may be replaced. */
  readonly configurations: readonly ReadConfiguration[];
  readonly secret: Secret | undefined;
  readonly bundles: readonly (readonly CertificateFacts[])[];
}

/** The order of reads and writes is what keeps a served leaf trusted, even when two lead at the same time. */
export async function certificateRound(options: RoundOptions, before: Sightings, signal: AbortSignal): Promise<Round> {
  const seen = await look(options.store, signal);
  if (!seen.ok) return { kind: 'unread', failure: seen.failure };
  const { configurations, secret, bundles } = seen.value;
  const nowMs = options.now();
  const read = secret && readSecret(secretTexts(secret.data), options.names);
  const sightings = observe(before, bundles, read?.stored.leaf?.id, nowMs);
  const plan = planCertificates(read?.stored, sightings, nowMs, options.policy);
  const published = await publish(options.store, configurations, plan, signal);
  const stored = await store(options, plan, read, secret, nowMs, signal);
  return { kind: 'planned', plan, sightings, problems: read?.problems ?? [], writes: [...published, ...stored] };
}

async function look(store: CertificateStore, signal: AbortSignal): Promise<Outcome<Seen>> {
  const configurations = await store.configurations(signal);
  if (!configurations.ok) return configurations;
  const secret = await store.secret(signal);
  if (!secret.ok) return secret;
  const again = await store.configurations(signal);
  if (!again.ok) return again;
  const bundles = again.value.flatMap(({ object }) => bundlesOf(object));
  return { ok: true, value: { configurations: configurations.value, secret: secret.value, bundles } };
}

async function publish(
  store: CertificateStore,
  configurations: readonly ReadConfiguration[],
  { bundle }: CertificatePlan,
  signal: AbortSignal,
): Promise<readonly Write[]> {
  if (bundle === undefined) return [];
  const writes: Write[] = [];
  for (const configuration of configurations) {
    const outcome = await store.publish(configuration, bundle, signal);
    if (!outcome.ok) writes.push({ what: 'bundle', failure: outcome.failure });
    else if (outcome.value === 'written') writes.push({ what: 'bundle', failure: undefined });
  }
  return writes;
}

/** Also when publishing failed: a step rests on what was seen, never on what was just written. */
async function store(
  { store: into, names, policy, randomBytes }: RoundOptions,
  { step }: CertificatePlan,
  read: ReadSecret | undefined,
  before: Secret | undefined,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly Write[]> {
  if (step.kind === 'keep') return [];
  const texts = afterStep(step, read, names, { nowMs, policy, randomBytes });
  if (texts === undefined) return [];
  const outcome = await into.keep(texts, before, signal);
  return [{ what: step.kind, failure: outcome.ok ? undefined : outcome.failure }];
}
