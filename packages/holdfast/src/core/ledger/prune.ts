import type { DisruptionLedger, Overdue, Reservation } from '../../api/ledger.ts';
import { bit } from '../health.ts';
import { isRemoval } from '../request.ts';
import { isAtLeast, later } from '../resource-version.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { World } from '../world/world.ts';
import { lowered, newestNamed } from './restored.ts';
import { changeOver, isDecided, isUnderWay } from './update-finished.ts';

export interface TimeLimits {
  /** EVICT and DELETE. Kubernetes gives a disrupted pod two minutes to go. */
  readonly removalSeconds: number;
  /** UPDATE and RESIZE that nothing is seen of: most are stored at once, or never. */
  readonly updateSeconds: number;
  /**
   * How long a request that was admitted before may still be acted on. The API server gives up on any request after 34 seconds,
   * so after 35 it either happened or never will.
   */
  readonly inFlightSeconds: number;
}

export const defaultTimeLimits: TimeLimits = { removalSeconds: 120, updateSeconds: 20, inFlightSeconds: 35 };

export interface PruneOptions {
  /** Who prunes: the leader's identity, for its clock is not another's. */
  readonly identity: string;
  readonly limits?: TimeLimits;
  /** Milliseconds by a clock of this process that only ever runs on. */
  readonly uptime: number;
  /** What the look before gave. */
  readonly seen?: NotesSeen;
  readonly pods?: PodsRead;
}

/** A consistent read of the pods, made because a look at the same ledger asked for it (`needsPods`), with the same times. */
export interface PodsRead {
  /** The resourceVersion of the pod collection: no change of a pod that happened before the read is newer. */
  readonly version: string;
  /** The resourceVersion of the ledger before the read. Of another ledger the read says nothing. */
  readonly ledgerVersion: string;
}

/**
 * When this process first saw each reservation, and each of its notes `waiting`, in the ledger, by its uptime. The time for what is
 * under way begins with the note: until it is written, requests are answered by the reservation. And a time limit begins with the
 * reservation at the latest, whatever the clock of the replica that made it says.
 */
export type NotesSeen = ReadonlyMap<string, number>;

export type ReleaseReason = 'terminating' | 'gone' | 'updated' | 'returned';

export interface Release {
  readonly reservation: Reservation;
  readonly why: ReleaseReason;
}

export interface PruneOutcome {
  readonly released: readonly Release[];
  /** The ledger to write; absent when nothing changed. */
  readonly ledger?: DisruptionLedger;
  /** When time alone will change the answer; a change of the pods may do so earlier. */
  readonly nextCheckAt?: number;
  /** For the next look. */
  readonly seen: NotesSeen;
  /** The ledger has a new note `waiting`, whose time begins with the first look that sees it. */
  readonly noted: boolean;
  /** The next step needs a consistent read of the pods: look again with it. */
  readonly needsPods: boolean;
}

/** What to do with one reservation. */
type Fate =
  | { readonly kind: 'release'; readonly why: ReleaseReason }
  | { readonly kind: 'note'; readonly overdue: Overdue; readonly until?: number }
  | { readonly kind: 'keep'; readonly until?: number; readonly seenAt?: number; readonly needsPods?: true };

interface View {
  readonly version: string;
  /** Of a consistent read after this very ledger was seen, if there was one. */
  readonly podsVersion: string | undefined;
  readonly identity: string;
  readonly limits: TimeLimits;
  readonly now: number;
  readonly uptime: number;
  readonly seen: NotesSeen;
}

/** Takes out of the ledger what was seen to have happened, or seen not to have (I9). Only the leader calls it. */
export function prune(world: World, namespace: string, now: number, options: PruneOptions): PruneOutcome {
  world.advance(now);
  const state = world.namespace(namespace);
  const version = world.syncedVersion('pods');
  if (state?.ledger === undefined || version === undefined) {
    return { released: [], seen: new Map(), noted: false, needsPods: false };
  }
  const { limits = defaultTimeLimits, seen = new Map(), pods } = options;
  const podsVersion = pods?.ledgerVersion === state.ledger.metadata.resourceVersion ? pods?.version : undefined;
  const view: View = { ...options, version, podsVersion, limits, seen, now };
  const ledger = podsVersion === undefined ? state.ledger : lowered(state.ledger, podsVersion);
  const isBehind = podsVersion === undefined && !isAtLeast(version, newestNamed(ledger) ?? '0');
  const fates = (ledger.spec?.reservations ?? []).map((reservation) => ({
    reservation,
    fate: fateOf(reservation, state.pods.get(reservation.pod), view),
  }));
  const released = fates.flatMap(({ reservation, fate }) =>
    fate.kind === 'release' ? [{ reservation, why: fate.why }] : [],
  );
  const kept = fates.flatMap(({ reservation, fate }) => {
    if (fate.kind === 'release') return [];
    return [fate.kind === 'note' ? noted(reservation, fate.overdue) : reservation];
  });
  const watermark = released.length > 0 ? world.changedVersion('pods') : undefined;
  const changed = ledger !== state.ledger || fates.some(({ fate }) => fate.kind !== 'keep');
  const times = fates.flatMap(({ fate }) => (fate.kind !== 'release' && fate.until !== undefined ? [fate.until] : []));
  return {
    released,
    ...(changed ? { ledger: rewrite(ledger, kept, watermark) } : {}),
    ...(times.length > 0 ? { nextCheckAt: Math.min(...times) } : {}),
    needsPods: isBehind || fates.some(({ fate }) => fate.kind === 'keep' && fate.needsPods === true),
    noted: fates.some(({ fate }) => fate.kind === 'note' && fate.overdue.phase === 'waiting'),
    seen: new Map(
      fates.flatMap(({ reservation, fate }) =>
        fate.kind === 'keep' && fate.seenAt !== undefined ? [[noteOf(reservation), fate.seenAt] as const] : [],
      ),
    ),
  };
}

export interface SeenToGo {
  readonly kept: readonly Reservation[];
  readonly released: readonly Release[];
  /** How new a view must be to have seen all that was released. */
  readonly watermark: string | undefined;
}

/**
 * The reservations whose pods are on their way out, by any replica's view. Unlike the leader's pruning it needs no clock, and
 * delays no replica whose view is a moment behind: a replica that has seen this version of the pod has seen it terminate.
 */
export function seenToGo({ reservations, pods }: NamespaceState, view: string | undefined): SeenToGo {
  const kept: Reservation[] = [];
  const released: Release[] = [];
  let watermark: string | undefined;
  for (const reservation of reservations.values()) {
    const pod = pods.get(reservation.pod);
    if (pod === undefined || pod.uid !== reservation.uid || !hasGone(pod, view)) {
      kept.push(reservation);
      continue;
    }
    released.push({ reservation, why: 'terminating' });
    watermark = later(watermark, pod.resourceVersion);
  }
  return { kept, released, watermark };
}

/** With a version that can be compared: by any other, no replica could tell whether it has seen as much. */
function hasGone(pod: PodRecord, view: string | undefined): boolean {
  return pod.has(bit.terminating | bit.finished) && isAtLeast(view ?? '', pod.resourceVersion);
}

function fateOf(reservation: Reservation, record: PodRecord | undefined, view: View): Fate {
  const pod = record?.uid === reservation.uid ? record : undefined;
  if (pod === undefined) {
    // A view older than the one that saw the pod has not seen it *yet*.
    const seesIt = isAtLeast(view.version, reservation.view);
    return seesIt ? { kind: 'release', why: 'gone' } : { kind: 'keep' };
  }
  if (pod.has(bit.terminating | bit.finished)) return { kind: 'release', why: 'terminating' };
  const over = isRemoval(reservation.operation) ? undefined : changeOver(reservation, pod);
  if (over !== undefined) return { kind: 'release', why: over };
  const { overdue } = reservation;
  if (overdue === undefined) return withinLimit(reservation, pod, view);
  return overdue.phase === 'waiting' ? waiting(reservation, overdue, view) : closed(reservation, overdue, pod, view);
}

/** A conditional reservation covers no further request (L5), so no new disruption can begin because of it: it waits from the start. */
function withinLimit(reservation: Reservation, pod: PodRecord, view: View): Fate {
  if (reservation.conditional === true) return beginWaiting(view);
  const seconds = limitOf(reservation, pod, view.limits);
  const seenAt = seenSince(reservation, view);
  if (seconds === undefined) return { kind: 'keep', seenAt };
  const limit = seconds * 1000;
  // A time that cannot be read counts as long ago, and one in the future as now: what follows has a clock of our own.
  const left = Math.min(Date.parse(reservation.time) + limit - view.now, seenAt + limit - view.uptime);
  return left > 0 ? { kind: 'keep', until: view.now + left, seenAt } : beginWaiting(view);
}

/** Undefined: the pod shows that the change is under way, and will show when it is over (L8). */
function limitOf(reservation: Reservation, pod: PodRecord, limits: TimeLimits): number | undefined {
  if (isRemoval(reservation.operation)) return limits.removalSeconds;
  if (isUnderWay(reservation, pod)) return undefined;
  // What was stored, and does not show whether it is over, gets as long as a removal.
  return isDecided(reservation, pod) ? limits.removalSeconds : limits.updateSeconds;
}

function beginWaiting(view: View): Fate {
  const since = new Date(view.now).toISOString();
  const until = view.now + view.limits.inFlightSeconds * 1000;
  return { kind: 'note', overdue: { phase: 'waiting', by: view.identity, since }, until };
}

/** By the clock of the leader that noted it: another leader notes it again. */
function waiting(reservation: Reservation, overdue: Overdue, view: View): Fate {
  if (overdue.by !== view.identity) return beginWaiting(view);
  const seenAt = seenSince(reservation, view);
  const left = seenAt + view.limits.inFlightSeconds * 1000 - view.uptime;
  if (left > 0) return { kind: 'keep', until: view.now + left, seenAt };
  return close(overdue, view, seenAt);
}

/**
 * Nothing is under way any more, so every disruption that was allowed by the reservation is in the pods by now. Which version of the
 * pods that is, only a consistent read of the pods says: the ledger's own version is of another resource, and cannot be compared.
 */
function close({ by, since }: Overdue, { podsVersion }: View, seenAt?: number): Fate {
  if (podsVersion !== undefined) return { kind: 'note', overdue: { phase: 'closed', by, since, podsVersion } };
  return { kind: 'keep', needsPods: true, ...(seenAt === undefined ? {} : { seenAt }) };
}

function seenSince(reservation: Reservation, { seen, uptime }: View): number {
  return seen.get(noteOf(reservation)) ?? uptime;
}

/**
 * From here on it answers no repeated request (L5), so what it was judged by no longer matters; and when it is closed, the request that
 * might have taken it back (L7) is long over.
 */
function noted({ judgedBy: _, claim, ...reservation }: Reservation, overdue: Overdue): Reservation {
  return { ...reservation, ...(claim === undefined || overdue.phase === 'closed' ? {} : { claim }), overdue };
}

function noteOf({ uid, time, overdue }: Reservation): string {
  return overdue === undefined ? `${uid} made ${time}` : `${uid} waits ${overdue.since}`;
}

function closed(reservation: Reservation, overdue: Overdue, pod: PodRecord, view: View): Fate {
  // A version before this one noted no version of the pods.
  if (overdue.podsVersion === undefined) return close(overdue, view);
  const newer = isAtLeast(view.version, overdue.podsVersion);
  const rests = pod.healthy && !pod.has(bit.generationLag) && !isUnderWay(reservation, pod);
  return newer && rests ? { kind: 'release', why: 'returned' } : { kind: 'keep' };
}

/** The next version of a ledger: other reservations, and a watermark that only rises. What else it keeps stays as it is. */
export function rewrite(
  ledger: DisruptionLedger,
  reservations: readonly Reservation[],
  seen?: string,
): DisruptionLedger {
  const watermark = later(ledger.spec?.watermark, seen);
  return { ...ledger, spec: { ...ledger.spec, reservations, ...(watermark === undefined ? {} : { watermark }) } };
}

/**
 * The ledger without the reservations of these requests, which were refused after they had reserved, and whose disruptions are certain
 * not to happen (L7). Undefined: it holds none of them. No watermark rises: nothing was seen to go, and the pods that count again stay.
 */
export function withdraw(ledger: DisruptionLedger, claims: ReadonlySet<string>): DisruptionLedger | undefined {
  const all = ledger.spec?.reservations ?? [];
  const kept = all.filter(({ claim }) => claim === undefined || !claims.has(claim));
  return kept.length === all.length ? undefined : rewrite(ledger, kept);
}
