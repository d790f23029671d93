import { describe, expect, it } from 'vitest';
import { userWith } from '../../packages/holdfast/test/cli/live/support.ts';
import { made } from '../support/cluster.ts';
import { HoldfastProcess, holdfast } from './support/holdfast-process.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod } from './support/objects.ts';
import { conditionOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

/** What other tools see of a drain on its nodes: the conditions of KEP-5683. */

const { cluster, skipped } = await suite();
const admin = cluster.kubeconfig;
const patiently = { withinMs: 90_000 };

interface Stage {
  readonly inProgress: string | undefined;
  readonly drained: string | undefined;
  readonly ready: string | undefined;
}

async function stageOf(node: string): Promise<Stage> {
  const found = await made(cluster.request('GET', `/api/v1/nodes/${node}`));
  const status = (type: string) => conditionOf(found, type)?.status;
  return { inProgress: status('DrainInProgress'), drained: status('Drained'), ready: status('Ready') };
}

/** One pod that a budget holds until it is lifted. */
async function heldPod(scene: Scene, node: string): Promise<void> {
  await scene.addPods(pod('held', { node, goes: true }));
  const budget = pdb(
    'all',
    { minAvailable: 1 },
    { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'app' },
  );
  await scene.apply(budget);
  await scene.waitEnforced(budget);
}

describe.skipIf(skipped).concurrent('a node that is drained', () => {
  it('[D7] says so while it is drained and afterwards, and no longer when it is in service again', async () => {
    const scene = await sceneIn(cluster);
    const node = await addNode(cluster, `${scene.namespace}-a`);
    await heldPod(scene, node);
    const drain = new HoldfastProcess(admin, 'drain', node, '--force');
    await waitUntil(
      'the drain shows',
      () => stageOf(node),
      ({ inProgress }) => inProgress === 'True',
      patiently,
    );
    expect(await stageOf(node)).toEqual({ inProgress: 'True', drained: 'False', ready: 'True' });
    await made(cluster.request('DELETE', `/apis/policy/v1/namespaces/${scene.namespace}/poddisruptionbudgets/all`));
    expect((await drain.ended).code).toBe(0);
    expect(await stageOf(node)).toEqual({ inProgress: 'False', drained: 'True', ready: 'True' });
    const back = await holdfast(admin, 'uncordon', node);
    expect(back).toMatchObject({ code: 0, out: `node/${node} uncordoned\n` });
    expect(await stageOf(node)).toEqual({ inProgress: undefined, drained: undefined, ready: 'True' });
  });

  it('[D7] says that the drain has stopped when it was interrupted', async () => {
    const scene = await sceneIn(cluster);
    const node = await addNode(cluster, `${scene.namespace}-b`);
    await heldPod(scene, node);
    const drain = new HoldfastProcess(admin, 'drain', node, '--force');
    await waitUntil(
      'the drain shows',
      () => stageOf(node),
      ({ inProgress }) => inProgress === 'True',
      patiently,
    );
    expect((await drain.interrupt()).code).toBe(130);
    expect(await stageOf(node)).toEqual({ inProgress: 'False', drained: 'False', ready: 'True' });
  });

  it('[D7] is drained all the same by a user who may not write its status, who is told once', async () => {
    const scene = await sceneIn(cluster);
    const nodes = [await addNode(cluster, `${scene.namespace}-c`), await addNode(cluster, `${scene.namespace}-d`)];
    const rules = [
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
    ];
    const user = await userWith({ ...cluster, namespace: scene.namespace }, `plain-${scene.namespace}`, rules);
    const { code, err } = await holdfast(user, 'drain', ...nodes);
    expect({ code, warnings: err.match(/other tools do not see this drain/g)?.length }).toEqual({
      code: 0,
      warnings: 1,
    });
  });
});
