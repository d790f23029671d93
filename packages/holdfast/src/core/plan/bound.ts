import { obtain } from '../world/selector-index.ts';
import { binBound } from './bin-bound.ts';
import type { BudgetAllowance, LostUnit } from './losses.ts';
import type { LowerBound } from './plan-result.ts';
import { roomBounds } from './room-bound.ts';
import type { Searched } from './search.ts';
import type { DrainCandidate, Site } from './site.ts';

/** How many waves every plan has that drains these nodes. Of equal bounds the first counts: the ones that say the most. */
export function lowerBoundOf(site: Site, searched: Searched | undefined): LowerBound {
  if (site.candidates.length === 0) return { waves: 0, why: 'nothingToDrain' };
  const atRest = boundAtRest(site, searched);
  return largest([mayGainPods(site) ? ofFirstWave(atRest) : atRest, ...roomBounds(site)]);
}

/** What budgets ask for if every node keeps the pods that it has until it is drained. */
export function boundAtRest({ candidates }: Site, searched: Searched | undefined): LowerBound {
  return largest([
    { waves: 1, why: 'oneIsNeeded' },
    ...budgetBounds(candidates),
    ...(searched?.proven ? [{ waves: searched.sets.length, why: 'search' as const, tried: searched.tried }] : []),
  ]);
}

function largest(bounds: readonly LowerBound[]): LowerBound {
  return bounds.reduce((best, one) => (one.waves > best.waves ? one : best));
}

/** Whether pods of one wave may move to nodes of a later one. */
function mayGainPods({ nodes, candidates }: Site): boolean {
  const open = new Set(nodes.flatMap(({ name, unschedulable }) => (unschedulable ? [] : [name])));
  return candidates.some(({ name }) => open.has(name));
}

/**
 * A node that gained pods may take more rounds than before, and every further round lets other nodes of its wave break units, too. So
 * what budgets give to nodes at rest limits the first wave, and no other: if they cannot all be in it, there are two waves at least.
 */
function ofFirstWave(atRest: LowerBound): LowerBound {
  return atRest.waves < 2 ? atRest : { waves: 2, why: 'firstWave', because: atRest };
}

function budgetBounds(candidates: readonly DrainCandidate[]): readonly LowerBound[] {
  const unsure = optedOut(candidates);
  const rounds = candidates.map(({ alone }) => alone.rounds).sort((a, b) => b - a);
  const bounds: LowerBound[] = [];
  for (const [allowance, claims] of claimsByAllowance(candidates)) {
    const { budget, unitKind, allowed } = allowance;
    const key = `${budget.namespace}/${budget.name}`;
    if (!Number.isFinite(allowed) || (budget.kind === 'PodUnavailableBudget' && unsure.has(key))) continue;
    const waves = Math.max(atOnceBound(claims, allowed), inRoundsBound(claims, rounds, allowed));
    bounds.push({ waves, why: 'budget', budget, unitKind, units: unitsOf(claims), allowed, rounds: rounds[0] ?? 1 });
  }
  return bounds;
}

/**
 * Budgets with pods that they count and do not protect. Such a pod may bring a unit down that is charged to no pod, so counting
 * charges proves nothing.
 */
function optedOut(candidates: readonly DrainCandidate[]): ReadonlySet<string> {
  const budgets = new Set<string>();
  for (const { alone } of candidates) {
    for (const { pod } of alone.order) {
      for (const pub of pod.pubs) {
        if (pub.leavesAlone(pod) || !pub.protects('EVICT')) budgets.add(`${pub.ref.namespace}/${pub.ref.name}`);
      }
    }
  }
  return budgets;
}

/** What one node takes of one budget: the units that no other node before it was put down for. */
interface Claim {
  readonly rounds: number;
  units: number;
}

/** A unit that several nodes break counts for one of them: in whatever wave they are, it is down at least once. */
function claimsByAllowance(candidates: readonly DrainCandidate[]): ReadonlyMap<BudgetAllowance, readonly Claim[]> {
  const counted = new Set<LostUnit>();
  const byAllowance = new Map<BudgetAllowance, Map<DrainCandidate, Claim>>();
  // Those that go at once first: they say more than those that take several rounds.
  for (const candidate of [...candidates].sort((a, b) => a.alone.rounds - b.alone.rounds)) {
    for (const loss of candidate.alone.losses) {
      if (counted.has(loss)) continue;
      counted.add(loss);
      const claims = obtain(byAllowance, loss.allowance, () => new Map<DrainCandidate, Claim>());
      obtain(claims, candidate, () => ({ rounds: candidate.alone.rounds, units: 0 })).units += 1;
    }
  }
  return new Map([...byAllowance].map(([allowance, claims]) => [allowance, [...claims.values()]]));
}

const unitsOf = (claims: readonly Claim[]): number => claims.reduce((sum, { units }) => sum + units, 0);

/** Nodes that go at once do so in the first round of their wave, and share what the budget gives once. */
function atOnceBound(claims: readonly Claim[], allowed: number): number {
  return binBound(
    claims.filter(({ rounds }) => rounds === 1).map(({ units }) => units),
    allowed,
  );
}

/** A wave has as many rounds as its slowest node, and each round gives what the budget gives. The slowest nodes come first. */
function inRoundsBound(claims: readonly Claim[], rounds: readonly number[], allowed: number): number {
  if (allowed <= 0) return 1;
  let waves = 0;
  for (let left = unitsOf(claims); left > 0; waves += 1) left -= allowed * (rounds[waves] ?? 1);
  return waves;
}
