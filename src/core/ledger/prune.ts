import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { bit } from '../health.ts';
import { compareResourceVersions } from '../resource-version.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { World } from '../world/world.ts';
import { rewrite } from './rewrite.ts';

export interface TimeLimits {
  /** EVICT and DELETE. Kubernetes gives a disrupted pod two minutes to go. */
  readonly removalSeconds: number;
  /** UPDATE and RESIZE: how long after an in-place change a pod that looks healthy may still be about to restart. */
  readonly updateSeconds: number;
  /**
   * How long after the overdue mark a request that was admitted before may still be acted on. The API server gives up on any
   * request after 34 seconds, so after 35 it either happened or never will.
   */
  readonly inFlightSeconds: number;
}

export const defaultTimeLimits: TimeLimits = { removalSeconds: 120, updateSeconds: 20, inFlightSeconds: 35 };

export type ReleaseReason = 'terminating' | 'gone' | 'updated' | 'returned';

export interface PruneOutcome {
  readonly released: readonly { readonly reservation: Reservation; readonly why: ReleaseReason }[];
  /** The ledger to write; absent when nothing changed. */
  readonly ledger?: DisruptionLedger;
  /** When time alone will change the answer; a change of the pods may do so earlier. */
  readonly nextCheckAt?: number;
}

/** What to do with one reservation. */
type Fate =
  | { readonly kind: 'release'; readonly why: ReleaseReason }
  | { readonly kind: 'mark' }
  | { readonly kind: 'keep'; readonly until?: number };

interface View {
  readonly version: string;
  /** The ledger's own resourceVersion: not older than any mark in it. */
  readonly ledgerVersion: string;
  readonly limits: TimeLimits;
  readonly now: number;
}

/** Takes out of the ledger what was seen to have happened, or seen not to have (I9). Only the leader calls it. */
export function prune(world: World, namespace: string, now: number, limits = defaultTimeLimits): PruneOutcome {
  world.advance(now);
  const state = world.namespace(namespace);
  const version = world.syncedVersion('pods');
  if (state?.ledger === undefined || version === undefined) return { released: [] };
  const view: View = { version, ledgerVersion: state.ledger.metadata.resourceVersion ?? '', limits, now };
  const kept: Reservation[] = [];
  const released: { reservation: Reservation; why: ReleaseReason }[] = [];
  let marked = false;
  let nextCheckAt = Number.POSITIVE_INFINITY;
  for (const reservation of state.ledger.spec?.reservations ?? []) {
    const fate = fateOf(reservation, state.pods.get(reservation.pod), view);
    if (fate.kind === 'release') released.push({ reservation, why: fate.why });
    else
      kept.push(
        fate.kind === 'mark' ? { ...reservation, overdue: { since: new Date(now).toISOString() } } : reservation,
      );
    if (fate.kind === 'mark') marked = true;
    nextCheckAt = Math.min(nextCheckAt, fateTime(fate, view));
  }
  const changed = marked || released.length > 0;
  return {
    released,
    ...(changed ? { ledger: rewriteMarks(state.ledger, kept, released.length > 0 ? version : undefined) } : {}),
    ...(Number.isFinite(nextCheckAt) ? { nextCheckAt } : {}),
  };
}

function fateOf(reservation: Reservation, record: PodRecord | undefined, view: View): Fate {
  const pod = record?.uid === reservation.uid ? record : undefined;
  if (pod === undefined) {
    // A view older than the one that saw the pod has not seen it *yet*.
    const seesIt = compareResourceVersions(view.version, reservation.view) >= 0;
    return seesIt ? { kind: 'release', why: 'gone' } : { kind: 'keep' };
  }
  if (pod.has(bit.terminating | bit.finished)) return { kind: 'release', why: 'terminating' };
  return reservation.overdue === undefined
    ? beforeMark(reservation, pod, view)
    : afterMark(reservation.overdue, pod, view);
}

function beforeMark(reservation: Reservation, pod: PodRecord, view: View): Fate {
  const removal = reservation.operation === 'EVICT' || reservation.operation === 'DELETE';
  const limit = removal ? view.limits.removalSeconds : view.limits.updateSeconds;
  const until = Date.parse(reservation.time) + limit * 1000;
  // A time that cannot be read is one that passed: the mark starts a clock of our own.
  if (view.now < until) return { kind: 'keep', until };
  if (!removal && wasUpdated(reservation, pod)) return { kind: 'release', why: 'updated' };
  return { kind: 'mark' };
}

function wasUpdated(reservation: Reservation, pod: PodRecord): boolean {
  const happened = reservation.generation !== undefined && pod.generation > reservation.generation;
  return happened && !pod.has(bit.generationLag) && pod.healthyForPub;
}

function afterMark(overdue: NonNullable<Reservation['overdue']>, pod: PodRecord, view: View): Fate {
  const until = Date.parse(overdue.since) + view.limits.inFlightSeconds * 1000;
  if (view.now < until) return { kind: 'keep', until };
  const newer = compareResourceVersions(view.version, overdue.resourceVersion ?? view.ledgerVersion) >= 0;
  return newer && pod.healthy && !pod.has(bit.generationLag) ? { kind: 'release', why: 'returned' } : { kind: 'keep' };
}

function fateTime(fate: Fate, view: View): number {
  if (fate.kind === 'mark') return view.now + view.limits.inFlightSeconds * 1000;
  return fate.kind === 'keep' && fate.until !== undefined ? fate.until : Number.POSITIVE_INFINITY;
}

/** New marks must not be sealed by the write that makes them: the ledger's present resourceVersion is older than they are. */
function rewriteMarks(
  ledger: DisruptionLedger,
  kept: readonly Reservation[],
  seen: string | undefined,
): DisruptionLedger {
  const before = new Set(
    (ledger.spec?.reservations ?? []).filter((one) => one.overdue !== undefined).map((one) => one.uid),
  );
  const old = kept.filter((one) => before.has(one.uid) || one.overdue === undefined);
  const fresh = kept.filter((one) => !before.has(one.uid) && one.overdue !== undefined);
  const next = rewrite(ledger, old, seen);
  return { ...next, spec: { ...next.spec, reservations: [...(next.spec?.reservations ?? []), ...fresh] } };
}
