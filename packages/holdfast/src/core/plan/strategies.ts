import { compareStrings } from '../compare.ts';
import { obtain } from '../world/selector-index.ts';
import type { Choose } from './carry-out.ts';
import type { LostUnit } from './losses.ts';
import type { StrategyName } from './plan-result.ts';
import type { DrainCandidate, Site } from './site.ts';

export interface Strategy {
  readonly name: StrategyName;
  /** Asked before every wave: pods that moved onto a node change what it takes. */
  readonly choose: Choose;
  /** The most nodes in a wave. */
  readonly atMost?: number;
}

/** Each way asks the engine about every pod. With more pods than this two ways have to do, or a plan would take too long. */
const maxPodsForAllWays = 50_000;

/** Ways to plan: the usual one, and those that are best most often. */
const mainStrategies: readonly Strategy[] = [
  { name: 'first fit', choose: (left) => left },
  { name: 'group by group', choose: groupByGroup },
];

const moreStrategies: readonly Strategy[] = [
  { name: 'scarcest first', choose: (left) => sorted(left, (one) => -scarcity(one)) },
  { name: 'emptiest first', choose: (left) => sorted(left, ({ alone }) => alone.order.length) },
];

export function strategiesFor(site: Pick<Site, 'candidates'>): readonly Strategy[] {
  return isLarge(site) ? mainStrategies : [...mainStrategies, ...moreStrategies];
}

export function isLarge({ candidates }: Pick<Site, 'candidates'>): boolean {
  return candidates.reduce((sum, { alone }) => sum + alone.order.length, 0) > maxPodsForAllWays;
}

export const oneAtATime: Strategy = { name: 'one node at a time', choose: (left) => left, atMost: 1 };

/** Equal ones stay in the order in which they were given. */
function sorted(left: readonly DrainCandidate[], key: (one: DrainCandidate) => number): readonly DrainCandidate[] {
  return left
    .map((one) => ({ one, key: key(one) }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}

/** How large a part of a budget it takes, of the one of which it takes the largest. */
function scarcity({ alone }: DrainCandidate): number {
  const counts = new Map<LostUnit['allowance'], number>();
  for (const { allowance } of alone.losses) counts.set(allowance, (counts.get(allowance) ?? 0) + 1);
  let highest = 0;
  for (const [allowance, count] of counts) highest = Math.max(highest, count / Math.max(1, allowance.allowed));
  return highest;
}

/** Nodes that break the same unit stand together: a group that goes down goes down once. */
function groupByGroup(left: readonly DrainCandidate[]): readonly DrainCandidate[] {
  const byLoss = new Map<LostUnit, DrainCandidate[]>();
  for (const candidate of left) {
    for (const loss of candidate.alone.losses) obtain(byLoss, loss, () => []).push(candidate);
  }
  const seen = new Set<DrainCandidate>();
  for (const start of sorted(left, (one) => -scarcity(one))) visit(start, byLoss, seen);
  return [...seen];
}

/** Without recursion: one unit may tie thousands of nodes together. */
function visit(
  start: DrainCandidate,
  byLoss: ReadonlyMap<LostUnit, readonly DrainCandidate[]>,
  seen: Set<DrainCandidate>,
): void {
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const tied = next.alone.losses.flatMap((loss) => byLoss.get(loss) ?? []).filter((one) => !seen.has(one));
    open.push(...tied.sort((a, b) => compareStrings(b.name, a.name)));
  }
}
