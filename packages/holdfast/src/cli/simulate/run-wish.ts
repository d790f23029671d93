import { planDrain } from '../../core/plan/plan-drain.ts';
import { Problem } from '../../observe/problem.ts';
import type { LoadedObject } from '../load-objects.ts';
import { fromObjects, nodeNames } from '../plan/plan-snapshot.ts';
import { type RunOptions, simulate } from './run.ts';
import { scenarioOf, type Wish } from './scenario.ts';
import type { SimulationResult } from './simulation-result.ts';
import { completeSnapshot } from './snapshot/complete.ts';

export interface WishTerms extends Omit<RunOptions, 'order'> {
  /** How long pods take to start; undefined: as those of the snapshot did. */
  readonly podStartMs: number | undefined;
}

/** Plays through what was asked for, from the objects of a cluster. */
export function runWish(objects: readonly LoadedObject[], wish: Wish, terms: WishTerms): Promise<SimulationResult> {
  const { podStartMs, ...options } = terms;
  const snapshot = completeSnapshot(objects, podStartMs);
  return simulate(snapshot, (nodes) => scenarioOf(wish, nodes, () => plannedWaves(snapshot.objects)), {
    ...options,
    order: wish.order,
  });
}

/** As `holdfast plan --all --force` plans them: a simulation evicts pods without a controller, too. */
function plannedWaves(objects: readonly LoadedObject[]): readonly (readonly string[])[] {
  const around = fromObjects(objects);
  const { waves } = planDrain({ ...around, drain: nodeNames(around.world, around.nodes) }, { force: true });
  if (waves.length === 0) throw new Problem('no node of the snapshot can be drained, so there is no plan to simulate');
  return waves.map(({ nodes }) => nodes.map(({ name }) => name));
}
