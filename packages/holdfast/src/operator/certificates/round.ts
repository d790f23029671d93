import type { Secret } from 'kubernetes-types/core/v1.js';
import type { Failure, Outcome } from '../../kube/outcome/failure.ts';
import { afterStep } from '../../trust/apply-step.ts';
import type { CertificatePolicy } from '../../trust/certificate-policy.ts';
import type { ServerNames } from '../../trust/material.ts';
import {
  type ListedSegment,
  newSegment,
  observePaths,
  type PathPlan,
  planPaths,
  segmentsText,
} from '../../trust/path-segments.ts';
import { type ReadSecret, readSecret, type SecretTexts, secretKeys } from '../../trust/read-certificates.ts';
import { type CertificateFacts, type CertificatePlan, planCertificates } from '../../trust/rotation-plan.ts';
import { bundlesOf, isBare, segmentsOf, type WantedTrust } from '../../trust/webhook-trust.ts';
import type { CertificateWrite } from './certificate-metrics.ts';
import { observeBundles, type Sightings } from './observe.ts';
import { secretTexts } from './secret.ts';
import type { CertificateStore, ReadConfiguration } from './store.ts';

export interface RoundOptions {
  readonly store: CertificateStore;
  readonly names: ServerNames;
  /** False: another program makes the certificates and writes the bundles. The leader still keeps the path segments. */
  readonly ownCertificates: boolean;
  /**
   * Whether every serving replica knows path segments. A replica of an older version does not: while one runs, configurations keep the
   * bare path that it knows.
   */
  readonly allKnowPaths: (signal: AbortSignal) => Promise<boolean>;
  readonly policy: CertificatePolicy;
  readonly randomBytes: (size: number) => Buffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Write {
  readonly what: CertificateWrite;
  /** Undefined: the write succeeded. */
  readonly failure: Failure | undefined;
}

/** What one round of the leader read, and what it wrote. */
export type Round =
  | { readonly kind: 'unread'; readonly failure: Failure }
  | {
      readonly kind: 'planned';
      readonly plan: CertificatePlan;
      readonly paths: PathPlan;
      readonly sightings: Sightings;
      /** What in the Secret cannot be used. */
      readonly problems: readonly string[];
      /** Empty: nothing had to be written. */
      readonly writes: readonly Write[];
    };

interface Seen {
  /** As they were read before the Secret. Writes carry these versions, so that a write of another leader in between is not overwritten. */
  readonly configurations: readonly ReadConfiguration[];
  readonly secret: Secret | undefined;
  readonly bundles: readonly (readonly CertificateFacts[])[];
  /** The segments of all configurations, by the read before the Secret and by the one after it. */
  readonly carried: ReadonlySet<string>;
  readonly bare: boolean;
  /** Of the configurations, by the read after the Secret. */
  readonly versions: string;
}

/**
 * One round of the leader. For a while two replicas may both believe that they lead. The order of reads and writes keeps that safe: configurations are
 * read before the Secret and written with the version that was read, so a replaced leader cannot bring back an older bundle; and only a segment that
 * was read from the Secret is published, so replicas accept it before API servers call by it.
 */
export async function certificateRound(options: RoundOptions, before: Sightings, signal: AbortSignal): Promise<Round> {
  const seen = await look(options.store, signal);
  if (!seen.ok) return { kind: 'unread', failure: seen.failure };
  const { secret, bundles, carried } = seen.value;
  const { policy, randomBytes } = options;
  const nowMs = options.now();
  const read = secret && readSecret(secretTexts(secret.data), options.names);
  const listed = read?.segments ?? [];
  const sightings: Sightings = {
    ...observeBundles(before, bundles, read?.stored.leaf?.id, nowMs),
    paths: observePaths(before.paths, listed, carried, seen.value.versions, nowMs),
  };
  const plan = options.ownCertificates
    ? planCertificates(read?.stored, sightings, nowMs, policy)
    : leftToOthers(nowMs, policy);
  const facts = { listed, carried, seen: sightings.paths };
  const planned = planPaths(facts, () => newSegment(randomBytes), nowMs, policy);
  const paths = await unlessHeldBack(options, seen.value, planned, nowMs, signal);
  const wanted: WantedTrust = { authorities: plan.bundle, segment: paths.publish };
  const published = await publish(options.store, seen.value.configurations, wanted, signal);
  const stored = await store(options, plan, paths, read, secret, nowMs, signal);
  return { kind: 'planned', plan, paths, sightings, problems: read?.problems ?? [], writes: [...published, ...stored] };
}

function leftToOthers(nowMs: number, { confirmWithinMs }: CertificatePolicy): CertificatePlan {
  return { step: { kind: 'keep' }, bundle: undefined, againMs: nowMs + confirmWithinMs };
}

async function look(store: CertificateStore, signal: AbortSignal): Promise<Outcome<Seen>> {
  const configurations = await store.configurations(signal);
  if (!configurations.ok) return configurations;
  const secret = await store.secret(signal);
  if (!secret.ok) return secret;
  const again = await store.configurations(signal);
  if (!again.ok) return again;
  const bundles = again.value.flatMap(({ object }) => bundlesOf(object));
  const both = [...configurations.value, ...again.value].map(({ object }) => object);
  const carried = new Set(both.flatMap(segmentsOf));
  const bare = both.some(isBare);
  const versions = again.value.map(({ object }) => object.metadata?.resourceVersion ?? '').join();
  return {
    ok: true,
    value: { configurations: configurations.value, secret: secret.value, bundles, carried, bare, versions },
  };
}

/** How soon to check again whether replicas of an older version still run. */
const lookForOldReplicasMs = 2_000;

async function unlessHeldBack(
  { allKnowPaths }: RoundOptions,
  { bare }: Seen,
  plan: PathPlan,
  nowMs: number,
  signal: AbortSignal,
): Promise<PathPlan> {
  if (plan.publish === undefined || !bare || (await allKnowPaths(signal))) return plan;
  return { ...plan, publish: undefined, againMs: nowMs + lookForOldReplicasMs };
}

async function publish(
  store: CertificateStore,
  configurations: readonly ReadConfiguration[],
  wanted: WantedTrust,
  signal: AbortSignal,
): Promise<readonly Write[]> {
  const writes: Write[] = [];
  for (const configuration of configurations) {
    const outcome = await store.publish(configuration, wanted, signal);
    if (!outcome.ok) writes.push({ what: 'bundle', failure: outcome.failure });
    else if (outcome.value === 'written') writes.push({ what: 'bundle', failure: undefined });
  }
  return writes;
}

/** Runs also when publishing failed: the next step is planned from what was read, never from what this round has just written. */
async function store(
  { store: into, names, policy, randomBytes }: RoundOptions,
  { step }: CertificatePlan,
  { list }: PathPlan,
  read: ReadSecret | undefined,
  before: Secret | undefined,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly Write[]> {
  const certificates = afterStep(step, read, names, { nowMs, policy, randomBytes });
  if (certificates === undefined && list === undefined) return [];
  const texts = withPaths(certificates ?? secretTexts(before?.data), list ?? read?.segments ?? []);
  const outcome = await into.keep(texts, before, signal);
  const what = certificates === undefined || step.kind === 'keep' ? 'paths' : step.kind;
  return [{ what, failure: outcome.ok ? undefined : outcome.failure }];
}

function withPaths(texts: SecretTexts, segments: readonly ListedSegment[]): SecretTexts {
  return new Map([...texts, [secretKeys.paths, segmentsText(segments)]]);
}
