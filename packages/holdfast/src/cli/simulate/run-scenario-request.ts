import { planDrain } from '../../core/plan/plan-drain.ts';
import { Problem } from '../../observe/problem.ts';
import type { LoadedObject } from '../load-objects.ts';
import { fromObjects, nodeNames } from '../plan/plan-snapshot.ts';
import { type RunOptions, simulate } from './run.ts';
import { type ScenarioRequest, scenarioOf } from './scenario.ts';
import type { SimulationResult } from './simulation-result.ts';
import { completeSnapshot } from './snapshot/complete.ts';

export interface ScenarioTerms extends Omit<RunOptions, 'order'> {
  /** How long pods take to start; undefined: as those of the snapshot did. */
  readonly podStartMs: number | undefined;
}

/** Plays through what was asked for, from the objects of a cluster. */
export function runScenarioRequest(
  objects: readonly LoadedObject[],
  request: ScenarioRequest,
  terms: ScenarioTerms,
): Promise<SimulationResult> {
  const { podStartMs, ...options } = terms;
  const snapshot = completeSnapshot(objects, podStartMs);
  return simulate(snapshot, (nodes) => scenarioOf(request, nodes, () => plannedWaves(snapshot.objects)), {
    ...options,
    order: request.order,
  });
}

/** As `holdfast plan --all --force` plans them: a simulation evicts pods without a controller, too. */
function plannedWaves(objects: readonly LoadedObject[]): readonly (readonly string[])[] {
  const around = fromObjects(objects);
  const { waves } = planDrain({ ...around, drain: nodeNames(around.world, around.nodes) }, { force: true });
  if (waves.length === 0) throw new Problem('no node of the snapshot can be drained, so there is no plan to simulate');
  return waves.map(({ nodes }) => nodes.map(({ name }) => name));
}
