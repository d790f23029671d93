import type { Scene } from './scene.ts';
import { seenByAll } from './seen.ts';
import { waitUntil } from './wait.ts';

/** Waits until the disruption controller has counted a plain budget, to this number where one is given, and all replicas have seen that. */
export async function waitCounted(scene: Scene, name: string, disruptionsAllowed?: number): Promise<void> {
  const budget = await waitUntil(
    `PodDisruptionBudget ${name} ${disruptionsAllowed === undefined ? 'is counted' : `allows ${disruptionsAllowed}`}`,
    () => scene.read('PodDisruptionBudget', name),
    ({ status, metadata }) =>
      status?.['observedGeneration'] === metadata.generation &&
      (disruptionsAllowed === undefined || status?.['disruptionsAllowed'] === disruptionsAllowed),
    { withinMs: 60_000 },
  );
  await seenByAll(scene.cluster, 'pdbs', [budget]);
}
