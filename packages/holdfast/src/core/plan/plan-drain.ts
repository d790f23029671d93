import { podKeyOf } from '../drain/simulate.ts';
import { boundAtRest, lowerBoundOf } from './bound.ts';
import { type Choose, carryOut, type PlanOutcome } from './carry-out.ts';
import { describeWave } from './describe-wave.ts';
import { defaultPlanOptions, type PlanInput, type PlanOptions } from './input.ts';
import type { DrainPlan, LowerBound, StrategyName, StuckNode } from './plan-result.ts';
import { type Searched, searchShortest } from './search.ts';
import { type Site, surveySite } from './site.ts';
import { isLarge, oneAtATime, type Strategy, strategiesFor } from './strategies.ts';

/**
 * In which waves to drain nodes so that no budget is broken. Several ways are tried and the best one is taken, so a plan never has
 * more waves than draining one node at a time, or than putting each node into the first wave where it fits. The world is left as it was.
 */
export function planDrain(input: PlanInput, options: Partial<PlanOptions> = {}): DrainPlan {
  const site = surveySite(input, { ...defaultPlanOptions, ...options });
  const searched = searchShortest(site);
  const bound = lowerBoundOf(site, searched);
  const goodEnough = isLarge(site) ? Math.max(bound.waves, boundAtRest(site, searched).waves) : bound.waves;
  const tried = tryAll(site, searched, goodEnough);
  const ranked = [...tried].sort((a, b) => compareOutcomes(a.outcome, b.outcome));
  const best = ranked[0]?.outcome ?? { waves: [], drained: 0, noRoom: new Map() };
  const waves = best.waves.map((wave) => describeWave(wave, site.options));
  return {
    waves,
    never: neverDrained(site, best),
    lowerBound: best.drained === site.candidates.length ? bound : boundOfDrained(site, best),
    compared: ranked.map(({ name, outcome }) => {
      return { strategy: name, waves: outcome.waves.length, drained: outcome.drained };
    }),
    room: site.nodes.length === 0 ? 'notLookedAt' : 'lookedAt',
    seconds: waves.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

interface Try {
  readonly name: StrategyName;
  readonly outcome: PlanOutcome;
}

/** Stops at a plan with so many waves: none can have fewer, or, of many pods, looking for one would take too long. */
function tryAll(site: Site, searched: Searched | undefined, goodEnough: number): readonly Try[] {
  const all = site.candidates.length;
  if (all === 0) return [];
  const tried: Try[] = [];
  const isBest = ({ outcome }: Try): boolean => outcome.drained === all && outcome.waves.length <= goodEnough;
  const attempts: readonly Strategy[] = [
    ...strategiesFor(site),
    ...(searched === undefined ? [] : [{ name: 'search' as const, choose: bySets(site, searched) }]),
  ];
  for (const strategy of attempts) {
    const one = { name: strategy.name, outcome: carryOut(site, strategy) };
    tried.push(one);
    if (isBest(one)) break;
  }
  // Every wave of every plan drains a node: one at a time can only be better where the others leave nodes behind.
  const complete = tried.some(({ outcome }) => outcome.drained === all);
  return complete ? tried : [...tried, { name: oneAtATime.name, outcome: carryOut(site, oneAtATime) }];
}

/** The sets that a search found, one after the other. Where room matters one may not fit, and others go on meanwhile. */
function bySets({ nodes }: Site, { sets }: Searched): Choose {
  const order = sets.flat().map(({ name }) => name);
  const rank = new Map(sets.flatMap((set, index) => set.map(({ name }) => [name, index] as const)));
  return (left) => {
    const sorted = [...left].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    const first = rank.get(sorted[0]?.name ?? '');
    return nodes.length === 0 ? sorted.filter(({ name }) => rank.get(name) === first) : sorted;
  };
}

/** More nodes are better than fewer waves: a plan that leaves nodes behind is not a shorter one. */
function compareOutcomes(a: PlanOutcome, b: PlanOutcome): number {
  return b.drained - a.drained || a.waves.length - b.waves.length;
}

function neverDrained(site: Site, { waves, noRoom }: PlanOutcome): readonly StuckNode[] {
  const drained = new Set(waves.flatMap(({ members }) => members.map(({ candidate }) => candidate.name)));
  const homeless = site.candidates.flatMap(({ name }): readonly StuckNode[] => {
    const mover = noRoom.get(name);
    return drained.has(name) || mover === undefined ? [] : [{ node: name, why: 'noRoom', pod: podKeyOf(mover.pod) }];
  });
  return [...site.stuck, ...homeless];
}

/** Nodes that are left behind do not make a plan longer. */
function boundOfDrained(site: Site, { waves }: PlanOutcome): LowerBound {
  const drained = new Set(waves.flatMap(({ members }) => members.map(({ candidate }) => candidate.name)));
  const candidates = site.candidates.filter(({ name }) => drained.has(name));
  const rest = { ...site, candidates };
  return lowerBoundOf(rest, searchShortest(rest));
}
