import type { ExpectedSource } from '../verdict.ts';
import type { OwnerNode } from '../world/owners/owner-node.ts';
import { type Expected, notLookedUp } from './desired.ts';
import { weaker } from './expected-groups.ts';

/** What a PodUnavailableBudget holds under one owner. Existing pods are not finished and do not go with their owner. */
export interface OwnerTally {
  /** All pods: while there is one, the owner counts. */
  pods: number;
  /** Neither terminating nor finished. */
  livePods: number;
  existingPods: number;
  /** Existing pods without the group label. */
  existingSingles: number;
  /** Groups with an existing pod. */
  existingGroups: number;
  groups: number;
}

export interface PubScope {
  readonly totalReplicas?: number;
  readonly target?: OwnerNode;
  readonly grouped: boolean;
}

/** How many units a PodUnavailableBudget should have (U3). */
export function expectedUnits(
  scope: PubScope,
  owners: ReadonlyMap<OwnerNode | undefined, OwnerTally>,
  ask: (owner: OwnerNode) => void,
): Expected {
  if (scope.totalReplicas !== undefined) return { known: true, count: scope.totalReplicas, source: 'budget' };
  if (scope.target !== undefined) ask(scope.target);
  const byTarget = scope.target === undefined ? undefined : ofTarget(scope.target, scope.grouped, owners);
  if (byTarget !== undefined) return byTarget;
  let count = 0;
  let source: ExpectedSource | undefined;
  for (const [owner, tally] of owners) {
    if (owner !== undefined) ask(owner);
    const one = scope.grouped ? groupsOf(owner, tally) : podsOf(owner, tally);
    if (!one.known) return one;
    count += one.count;
    source = source === undefined ? one.source : weaker(source, one.source);
  }
  return { known: true, count, source: source ?? 'seen' };
}

/** Undefined when the target's scale says nothing about units: then the owners of the pods are asked. */
function ofTarget(
  target: OwnerNode,
  grouped: boolean,
  owners: ReadonlyMap<OwnerNode | undefined, OwnerTally>,
): Expected | undefined {
  if (target.state === 'unknown') return notLookedUp(target);
  const scale = scaleOf(target);
  // A scale that counts groups says nothing about pods, and the other way round.
  if (scale === undefined || grouped !== target.countsGroups) return undefined;
  const singles = grouped ? sum(owners.values(), (tally) => tally.existingSingles) : 0;
  return { known: true, count: scale + singles, source: 'scale' };
}

function podsOf(owner: OwnerNode | undefined, tally: OwnerTally): Expected {
  if (owner?.state === 'unknown') return notLookedUp(owner);
  const scale = owner === undefined ? undefined : scaleOf(owner);
  if (scale !== undefined) return { known: true, count: scale, source: 'scale' };
  return { known: true, count: tally.existingPods, source: 'seen' };
}

function groupsOf(root: OwnerNode | undefined, tally: OwnerTally): Expected {
  if (root?.state === 'unknown') return notLookedUp(root);
  const seen: Expected = { known: true, count: tally.existingGroups + tally.existingSingles, source: 'seen' };
  const scale = root === undefined ? undefined : scaleOf(root);
  if (root === undefined || scale === undefined) return seen;
  if (root.countsGroups) return { known: true, count: scale + tally.existingSingles, source: 'scale' };
  return tally.groups > 0 ? seen : { known: true, count: scale, source: 'scale' };
}

/**
 * An owner that is gone or going wants nothing any more: what is counted then is its pods, of which those that go with it do
 * not exist, and those that were kept do.
 */
function scaleOf(owner: OwnerNode): number | undefined {
  return owner.state === 'known' && !owner.deleting ? owner.replicas : undefined;
}

function sum<T>(items: Iterable<T>, value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}
