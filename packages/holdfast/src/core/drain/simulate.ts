import { compareStrings } from '../compare.ts';
import type { DecideOptions } from '../decide/decide.ts';
import type { Blocker, Charge } from '../verdict.ts';
import { reserve, unreserve } from '../world/namespace-state.ts';
import type { World } from '../world/world.ts';
import { askToEvict } from './evict.ts';

export interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

export function podKeyOf({ namespace, name }: PodKey): PodKey {
  return { namespace, name };
}

export interface DrainSimulationOptions extends DecideOptions {
  /** `given`: in the order of the list, as a script would; `any`: in an order that lets many go at once, as a planner may. */
  readonly order?: 'given' | 'any';
  /** Whether a controller makes a new pod in place of this one; absent: all come back. One that does not is gone for all later rounds. */
  readonly comesBack?: (pod: PodKey) => boolean;
}

/** One pod's part in a drain. */
export interface DrainStep {
  readonly pod: PodKey;
  readonly charges: readonly Charge[];
}

export interface BlockedPod {
  readonly pod: PodKey;
  readonly blockers: readonly Blocker[];
}

export interface DrainSimulation {
  /** Round 1 can go now; round n when the pods of the round before are back as they were. */
  readonly rounds: readonly (readonly DrainStep[])[];
  /** For each pod that does not go in round 1: what it waits for. */
  readonly waiting: readonly BlockedPod[];
  /** What can never go as things are, and why. */
  readonly stuck: readonly BlockedPod[];
}

/** What would happen if these pods were evicted (M1, M2). The world is left as it was. Every round but the last takes a pod away. */
export function simulateDrain(
  world: World,
  pods: readonly PodKey[],
  now: number,
  options: DrainSimulationOptions = {},
): DrainSimulation {
  const rounds: (readonly DrainStep[])[] = [];
  const lost: (() => void)[] = [];
  let waiting: readonly BlockedPod[] | undefined;
  let left = pods;
  let blocked: readonly BlockedPod[] = [];
  while (left.length > 0) {
    const round = simulateRound(world, left, now, options);
    lost.push(...round.lost);
    waiting ??= round.blocked;
    blocked = round.blocked;
    if (round.steps.length === 0) break;
    rounds.push(round.steps);
    left = round.blocked.map((one) => one.pod);
  }
  for (const back of lost.reverse()) back();
  return { rounds, waiting: waiting ?? [], stuck: blocked };
}

interface Round {
  readonly steps: readonly DrainStep[];
  readonly blocked: readonly BlockedPod[];
  /** Undoes the eviction of each pod that does not come back. */
  readonly lost: readonly (() => void)[];
}

/** One pass over the pods; each sees those before it as gone. */
function simulateRound(world: World, pods: readonly PodKey[], now: number, options: DrainSimulationOptions): Round {
  const { comesBack = () => true, order } = options;
  const undo: (() => void)[] = [];
  const lost: (() => void)[] = [];
  const steps: DrainStep[] = [];
  const blocked: BlockedPod[] = [];
  for (const pod of order === 'any' ? ordered(world, pods, now, options) : pods) {
    const verdict = askToEvict(world, pod, now, options);
    if (verdict.result === 'deny') {
      blocked.push({ pod, blockers: verdict.blockers });
      continue;
    }
    steps.push({ pod, charges: verdict.charges });
    (comesBack(pod) ? undo : lost).push(takeAway(world, pod, now));
  }
  for (const back of undo.reverse()) back();
  return { steps, blocked, lost };
}

/** An allowed pod is gone for the rest of the round, whether or not a ledger holds it, and on whatever condition. */
function takeAway(world: World, pod: PodKey, now: number): () => void {
  const state = world.namespace(pod.namespace);
  const record = state?.pods.get(pod.name);
  if (state === undefined || record === undefined) return () => {};
  const { uid, name } = record;
  const before = state.reservations.get(uid);
  const reservation = { pod: name, uid, operation: 'EVICT', time: new Date(now).toISOString(), view: '' } as const;
  reserve(state, reservation);
  return () => (before === undefined ? unreserve(state, reservation) : reserve(state, before));
}

/**
 * Free pods first; then unit by unit, those with the most pods in the list first, so that a group that must be broken anyway
 * goes whole instead of several being broken in part.
 */
function ordered(
  world: World,
  pods: readonly PodKey[],
  now: number,
  options: DrainSimulationOptions,
): readonly PodKey[] {
  const ranked = pods.map((pod) => ({ pod, unit: brokenUnit(world, pod, now, options) }));
  const sizes = new Map<string, number>();
  for (const { unit } of ranked) if (unit !== undefined) sizes.set(unit, (sizes.get(unit) ?? 0) + 1);
  const rank = (unit: string | undefined): number =>
    unit === undefined ? Number.POSITIVE_INFINITY : (sizes.get(unit) ?? 0);
  return ranked
    .sort(
      (a, b) =>
        rank(b.unit) - rank(a.unit) ||
        compareStrings(a.unit ?? '', b.unit ?? '') ||
        compareStrings(a.pod.name, b.pod.name),
    )
    .map(({ pod }) => pod);
}

/** The unit that a pod would break if it went first, or the one that blocks it. */
function brokenUnit(world: World, pod: PodKey, now: number, options: DrainSimulationOptions): string | undefined {
  const verdict = askToEvict(world, pod, now, options);
  const broken =
    verdict.result === 'allow'
      ? verdict.charges.find((charge) => charge.effect === 'breaks')
      : verdict.blockers.find((one) => one.unit !== undefined);
  return broken?.unit === undefined
    ? undefined
    : `${pod.namespace}/${broken.budget?.kind}/${broken.budget?.name}/${broken.unit}`;
}
