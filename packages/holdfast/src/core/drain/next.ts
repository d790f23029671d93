import { compareStrings } from '../compare.ts';
import {
  type BrokenUnits,
  Census,
  isRequestOpen,
  isSeenSince,
  type SeenAt,
  type Tracked,
  type UnitCensus,
} from './census.ts';
import { type CoursePod, isSettled } from './course-pod.ts';

/** Everything that the choice of the next pods depends on. */
export interface Situation {
  readonly pods: readonly Tracked[];
  readonly broken: BrokenUnits;
  readonly seenAt: SeenAt;
  /** Pods that may be on their way at once. */
  readonly parallel: number;
  /** Pods that may be asked for at once. */
  readonly requests: number;
  /** `groups`: finish a broken group before another of the same budget is opened; `all`: at once, and the answers decide. */
  readonly order: 'groups' | 'all';
}

/** The pods to ask for now, in this order. */
export function nextPods(situation: Situation, now: number): readonly CoursePod[] {
  const { pods, order } = situation;
  const room = roomIn(situation);
  const ready = pods.filter((one) => isDue(one, situation.seenAt, now));
  if (room <= 0 || ready.length === 0) return [];
  if (order === 'all') return ready.slice(0, room).map(({ pod }) => pod);
  const census = new Census(pods, situation.broken, situation.seenAt);
  const chosen: CoursePod[] = [];
  for (const { pod } of ranked(ready, census)) {
    if (chosen.length === room) break;
    if (census.holdersOf(pod).length > 0) continue;
    census.ask(pod);
    chosen.push(pod);
  }
  if (chosen.length > 0) return chosen;
  const untangled = ways(situation, census).crossing.filter((one) => ready.includes(one))[0];
  return untangled === undefined ? [] : [untangled.pod];
}

function roomIn({ pods, parallel, requests, seenAt }: Situation): number {
  const moving = pods.filter((one) => isMoving(one, seenAt)).length;
  const asking = pods.filter(({ state }) => state.kind === 'asking').length;
  return Math.min(parallel - moving, requests - asking);
}

/** Whether nothing more will happen: everything is settled, or what is left is held back by what can never be finished. */
export function isOver(situation: Situation): boolean {
  const left = situation.pods.filter(({ state }) => !isSettled(state));
  if (left.length === 0) return true;
  if (situation.order === 'all' || left.some(({ state }) => state.kind !== 'waiting')) return false;
  const { free, crossing } = ways(situation, new Census(situation.pods, situation.broken, situation.seenAt));
  return !free && crossing.length === 0;
}

/** The groups that hold a pod back. */
export function holdersOf(situation: Situation): (pod: CoursePod) => readonly UnitCensus[] {
  if (situation.order === 'all') return () => [];
  const census = new Census(situation.pods, situation.broken, situation.seenAt);
  return (pod) => census.holdersOf(pod);
}

function isMoving(tracked: Tracked, seenAt: SeenAt): boolean {
  return tracked.state.kind === 'going' || isRequestOpen(tracked, seenAt);
}

/** Whether a waiting pod's own retry time has come. */
function isDue({ pod, state }: Tracked, seenAt: SeenAt, now: number): boolean {
  if (state.kind !== 'waiting' || state.due > now) return false;
  // A pod of the same name may have taken its place: asking for a wrong uid costs the built-in budget one disruption.
  return state.answer === undefined || isSeenSince(pod, seenAt, state.answer.at);
}

/** Pods that finish a group first, then those that are in none, then the largest group on these nodes. */
function ranked(ready: readonly Tracked[], census: Census): readonly Tracked[] {
  const rank = ({ pod }: Tracked): number => {
    if (pod.units.length === 0) return Number.MAX_SAFE_INTEGER;
    const units = pod.units.map((unit) => census.of(unit));
    return units.every((one) => one.open) ? Number.POSITIVE_INFINITY : Math.max(...units.map((one) => one.left));
  };
  const keyed = ready.map((one) => ({ one, rank: rank(one), key: sortKey(one) }));
  // Infinity - Infinity is NaN.
  return keyed
    .sort((a, b) => (a.rank === b.rank ? compareStrings(a.key, b.key) : b.rank - a.rank))
    .map(({ one }) => one);
}

function sortKey({ pod }: Tracked): string {
  return `${pod.units[0]?.id ?? ''} ${pod.namespace}/${pod.name}`;
}

/**
 * What could still be done. `free`: some pod may go, if not yet. `crossing`: where the groups of two budgets cross, finishing the
 * one takes opening another of the other: when every pod is held back so, the one that finishes most goes first.
 */
function ways(
  { pods, seenAt }: Situation,
  census: Census,
): { readonly free: boolean; readonly crossing: readonly Tracked[] } {
  const waiting = pods.filter(({ state }) => state.kind === 'waiting');
  const moving = pods.some((one) => isMoving(one, seenAt));
  const free = moving || waiting.some(({ pod }) => census.holdersOf(pod).length === 0);
  if (free) return { free, crossing: [] };
  const opened = ({ pod }: Tracked) => pod.units.filter((unit) => census.of(unit).open).length;
  const crossing = waiting
    .filter((one) => opened(one) > 0 && census.holdersOf(one.pod).every(({ hopeless }) => hopeless === 0))
    .sort((a, b) => opened(b) - opened(a) || compareStrings(sortKey(a), sortKey(b)));
  return { free, crossing };
}
