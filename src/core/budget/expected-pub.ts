import type { ExpectedSource } from '../verdict.ts';
import type { OwnerNode } from '../world/owners.ts';
import type { Expected } from './desired.ts';
import { weaker } from './expected-groups.ts';

/** What a PodUnavailableBudget holds under one owner, in pods and groups that are neither terminating nor finished. */
export interface OwnerTally {
  /** All pods, also those that are going: while there is one, the owner counts. */
  pods: number;
  livePods: number;
  /** Live pods without the group label. */
  liveSingles: number;
  liveGroups: number;
  /** Groups, live or not. */
  groups: number;
}

export interface PubScope {
  readonly totalReplicas?: number;
  readonly target?: OwnerNode;
  readonly grouped: boolean;
}

/** How many units a PodUnavailableBudget should have (U3). */
export function expectedUnits(scope: PubScope, owners: ReadonlyMap<OwnerNode | undefined, OwnerTally>): Expected {
  if (scope.totalReplicas !== undefined) return { known: true, count: scope.totalReplicas, source: 'budget' };
  const byTarget = scope.target === undefined ? undefined : ofTarget(scope.target, scope.grouped, owners);
  if (byTarget !== undefined) return byTarget;
  let count = 0;
  let source: ExpectedSource | undefined;
  for (const [owner, tally] of owners) {
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
  const blank = withoutScale(target);
  if (blank !== undefined) return blank;
  if (target.replicas === undefined || (grouped && !target.countsGroups)) return undefined;
  const singles = grouped ? sum(owners.values(), (tally) => tally.liveSingles) : 0;
  return { known: true, count: target.replicas + singles, source: 'scale' };
}

function podsOf(owner: OwnerNode | undefined, tally: OwnerTally): Expected {
  if (owner === undefined) return { known: true, count: tally.livePods, source: 'seen' };
  const blank = withoutScale(owner);
  if (blank !== undefined) return blank;
  if (owner.replicas !== undefined) return { known: true, count: owner.replicas, source: 'scale' };
  return { known: true, count: tally.livePods, source: 'seen' };
}

function groupsOf(root: OwnerNode | undefined, tally: OwnerTally): Expected {
  const seen: Expected = { known: true, count: tally.liveGroups + tally.liveSingles, source: 'seen' };
  if (root === undefined) return seen;
  const blank = withoutScale(root);
  if (blank !== undefined) return blank;
  if (root.replicas === undefined) return seen;
  if (root.countsGroups) return { known: true, count: root.replicas + tally.liveSingles, source: 'scale' };
  return tally.groups > 0 ? seen : { known: true, count: root.replicas, source: 'scale' };
}

/** An owner nobody looked up says nothing; one that is gone or going wants nothing. */
function withoutScale(owner: OwnerNode): Expected | undefined {
  if (owner.state === 'unknown') return { known: false, why: `${owner.display} was not looked up yet` };
  if (owner.state === 'gone' || owner.deleting) return { known: true, count: 0, source: 'scale' };
  return undefined;
}

function sum<T>(items: Iterable<T>, value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}
