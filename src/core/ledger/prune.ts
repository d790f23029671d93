import type { DisruptionLedger, Overdue, Reservation } from '../../api/ledger.ts';
import { bit } from '../health.ts';
import { isRemoval } from '../request.ts';
import { isAtLeast, later } from '../resource-version.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { World } from '../world/world.ts';
import { rewrite } from './rewrite.ts';
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
}

/**
 * When this process first saw each of its notes `waiting` in the ledger, by its uptime. The time for what is under way begins there:
 * until a note is written, requests are answered by the reservation, however long ago the leader made up its mind.
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
}

/** What to do with one reservation. */
type Fate =
  | { readonly kind: 'release'; readonly why: ReleaseReason }
  | { readonly kind: 'note'; readonly overdue: Overdue; readonly until?: number }
  | { readonly kind: 'keep'; readonly until?: number; readonly seenAt?: number };

interface View {
  readonly version: string;
  /** The ledger's own resourceVersion: not older than anything noted in it. */
  readonly ledgerVersion: string;
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
  if (state?.ledger === undefined || version === undefined) return { released: [], seen: new Map(), noted: false };
  const { limits = defaultTimeLimits, seen = new Map() } = options;
  const ledgerVersion = state.ledger.metadata.resourceVersion ?? '';
  const view: View = { ...options, version, ledgerVersion, limits, seen, now };
  const fates = (state.ledger.spec?.reservations ?? []).map((reservation) => ({
    reservation,
    fate: fateOf(reservation, state.pods.get(reservation.pod), view),
  }));
  const released = fates.flatMap(({ reservation, fate }) =>
    fate.kind === 'release' ? [{ reservation, why: fate.why }] : [],
  );
  const kept = fates.flatMap(({ reservation, fate }) => {
    if (fate.kind === 'release') return [];
    return [fate.kind === 'note' ? { ...reservation, overdue: fate.overdue } : reservation];
  });
  const watermark = released.length > 0 ? world.changedVersion('pods') : undefined;
  const changed = fates.some(({ fate }) => fate.kind !== 'keep');
  const times = fates.flatMap(({ fate }) => (fate.kind !== 'release' && fate.until !== undefined ? [fate.until] : []));
  return {
    released,
    ...(changed ? { ledger: rewrite(state.ledger, kept, watermark) } : {}),
    ...(times.length > 0 ? { nextCheckAt: Math.min(...times) } : {}),
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
 * The reservations whose pods are on their way out, by any replica's view. Unlike the leader's pruning it needs no clock, and holds
 * nobody up whose view is a moment behind: who has seen a pod as new as this has seen it go, whatever else is newer.
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

/** One that rests on a condition covers nobody (L5), so that nothing new comes under way by it: it waits from the start. */
function withinLimit(reservation: Reservation, pod: PodRecord, view: View): Fate {
  if (reservation.conditional === true) return beginWaiting(view);
  const seconds = limitOf(reservation, pod, view.limits);
  if (seconds === undefined) return { kind: 'keep' };
  const until = Date.parse(reservation.time) + seconds * 1000;
  // A time that cannot be read counts as long ago: what follows has a clock of our own.
  return view.now < until ? { kind: 'keep', until } : beginWaiting(view);
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

/** By the clock of the leader that noted it: another one notes it anew. */
function waiting(reservation: Reservation, overdue: Overdue, view: View): Fate {
  if (overdue.by !== view.identity) return beginWaiting(view);
  const seenAt = view.seen.get(noteOf(reservation)) ?? view.uptime;
  const left = seenAt + view.limits.inFlightSeconds * 1000 - view.uptime;
  if (left > 0) return { kind: 'keep', until: view.now + left, seenAt };
  return { kind: 'note', overdue: { ...overdue, phase: 'closed' } };
}

function noteOf({ uid, overdue }: Reservation): string {
  return `${uid} ${overdue?.since}`;
}

function closed(reservation: Reservation, overdue: Overdue, pod: PodRecord, view: View): Fate {
  const newer = isAtLeast(view.version, overdue.resourceVersion ?? view.ledgerVersion);
  const rests = pod.healthy && !pod.has(bit.generationLag) && !isUnderWay(reservation, pod);
  return newer && rests ? { kind: 'release', why: 'returned' } : { kind: 'keep' };
}
