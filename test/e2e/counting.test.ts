import { describe, expect, it } from 'vitest';
import { lwsCrd } from '../../packages/embedded-cluster/src/controllers/leaderworkerset/lws-crd.ts';
import { made } from '../support/cluster.ts';
import { addDefinition } from './support/definitions.ts';
import { addNode } from './support/nodes.ts';
import { leaderWorkerSet, type Named, pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, expectNotNow } from './support/refusals.ts';
import { conditionOf, pathOf, type Scene, sceneIn } from './support/scene.ts';
import { serves, suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

/** What a budget counts, where that was once wrong: each of these let pods go that were needed, or held up ones that were not. */

const { cluster, skipped } = await suite();
const node = skipped ? '' : await addNode(cluster, 'any');
const lwsApi = '/apis/leaderworkerset.x-k8s.io/v1';
if (!skipped && cluster.embedded) await addDefinition(cluster, lwsCrd, lwsApi);
const hasLws = !skipped && (await serves(cluster, lwsApi));

async function enforced(scene: Scene, ...budgets: readonly Named[]): Promise<void> {
  await scene.apply(...budgets);
  for (const budget of budgets) await scene.waitEnforced(budget);
}

describe.skipIf(skipped).concurrent('a pod that is reserved', () => {
  it('[I14] is judged again after its budget was frozen', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node })));
    await enforced(scene, pub('web', { maxUnavailable: 1 }));
    // The client insists on another version of the pod: it is allowed and reserved, and the API server does not do it.
    const insistent = { deleteOptions: { preconditions: { resourceVersion: '1' } } };
    expect((await scene.evict('a', insistent)).code).toBe(409);
    expect((await scene.reservations()).map((one) => one.pod)).toEqual(['a']);
    await enforced(scene, pub('web', { maxUnavailable: 0 }));
    const answer = await scene.evict('a');
    expectNotNow(answer);
    expect(blockersOf(answer)).toEqual(['BudgetExhausted']);
  });
});

describe.skipIf(skipped).concurrent('a group by a label, of which nothing states the size', () => {
  const budget = pdb(
    'web',
    { minAvailable: 1 },
    { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'app' },
  );
  const standing = async (scene: Scene) =>
    conditionOf(await scene.read('PodDisruptionBudget', 'web'), 'holdfast.dev/GroupBudget')?.message ?? '';
  const waitFor = (scene: Scene, groups: 0 | 1) =>
    waitUntil(
      `${groups} groups are available`,
      () => standing(scene),
      (message) => new RegExp(`^${groups} groups? available`).test(message),
      { withinMs: 60_000 },
    );

  it('[G5] is whole again after its owner was scaled down', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('StatefulSet', 'web', 3));
    await scene.waitReady(3);
    await enforced(scene, budget);
    await waitFor(scene, 1);
    await made(scene.change('StatefulSet', 'web', { spec: { replicas: 2 } }));
    await scene.waitReady(2);
    await waitFor(scene, 1);
  });

  it('[G5] is whole again after a rollout with a surge', async () => {
    const scene = await sceneIn(cluster);
    const strategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } };
    await scene.apply(workload('Deployment', 'web', 2, { strategy }));
    await scene.waitReady(2);
    await enforced(scene, budget);
    await waitFor(scene, 1);
    const template = { metadata: { annotations: { version: '2' } } };
    await made(scene.change('Deployment', 'web', { spec: { template } }));
    await waitUntil(
      'the rollout is over',
      () => scene.read('Deployment', 'web'),
      ({ status }) => status?.['updatedReplicas'] === 2 && status['replicas'] === 2 && status['readyReplicas'] === 2,
      { withinMs: 60_000 },
    );
    await waitFor(scene, 1);
  });

  it('[G5] is not whole while one of its pods is missing', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('StatefulSet', 'web', 3));
    await scene.waitReady(3);
    await enforced(scene, budget);
    await waitFor(scene, 1);
    await scene.setReady('web-1', false);
    await waitFor(scene, 0);
  });
});

describe.skipIf(skipped).concurrent('a pod under more budgets than are counted for one', () => {
  it('[N7] [S1] [S2] is told of by the budgets over it, until there are few enough', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(pod('a', { node }));
    const own = pub('web', { minAvailable: 0 });
    await enforced(scene, own);
    const scope = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'app' };
    const names = Array.from({ length: 100 }, (_, i) => `crowd-${i}`);
    await scene.apply(...names.map((name) => pdb(name, { minAvailable: 0 }, scope)));
    const isTold = async () => {
      const [unavailable, disruption] = [
        await scene.read('PodUnavailableBudget', 'web'),
        await scene.read('PodDisruptionBudget', 'crowd-0'),
      ];
      const reason = conditionOf(disruption, 'holdfast.dev/GroupBudget')?.reason;
      return [conditionOf(unavailable, 'TooManyBudgets')?.status, reason === 'TooManyBudgets'];
    };
    await waitUntil('both say so', isTold, ([first, second]) => first === 'True' && second === true, {
      withinMs: 60_000,
    });
    const refused = await scene.evict('a');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['TooManyBudgets']);
    for (const name of names.slice(40)) {
      await made(cluster.request('DELETE', `${pathOf(scene.namespace, 'PodDisruptionBudget')}/${name}`));
    }
    await waitUntil('neither says so', isTold, ([first, second]) => first === undefined && second === false, {
      withinMs: 60_000,
    });
  });
});

describe.skipIf(!hasLws).concurrent('a minimum that no group reaches', () => {
  it('[U2] counts as the full size', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(leaderWorkerSet('llm', 2, 2));
    await scene.waitReady(4);
    const policy = { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index', minReadyReplicas: 5 };
    const selector = { matchLabels: { app: 'llm' } };
    await enforced(scene, pub('llm', { selector, maxUnavailable: 0, podGroupPolicy: policy }));
    const answer = await scene.evict('llm-0');
    expectNotNow(answer);
    expect(blockersOf(answer)).toEqual(['BudgetExhausted']);
    const { status } = await scene.read('PodUnavailableBudget', 'llm');
    expect(status).toMatchObject({ currentAvailable: 2, totalReplicas: 2 });
  });

  it('[G5] of a PodDisruptionBudget, too, also where the pods of a group that is down may always go', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(leaderWorkerSet('llm', 2, 2));
    await scene.waitReady(4);
    const scope = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-min-available': '5' };
    const spec = {
      selector: { matchLabels: { app: 'llm' } },
      maxUnavailable: 0,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    };
    await enforced(scene, pdb('llm', spec, scope));
    const answer = await scene.evict('llm-0');
    expectNotNow(answer);
    expect(blockersOf(answer)).toEqual(['BudgetExhausted']);
    const told = conditionOf(await scene.read('PodDisruptionBudget', 'llm'), 'holdfast.dev/GroupBudget')?.message;
    expect(told).toMatch(/^2 groups available, 2 needed/);
    expect(told).toContain('group-min-available is 5, and the largest of 2 groups has 2 pods');
  });
});

describe.skipIf(skipped).concurrent('a workload that is scaled to 0', () => {
  it('[X4] keeps its pods where a budget states a total of its own', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('StatefulSet', 'web', 2));
    await scene.waitReady(2);
    await enforced(scene, pub('web', { maxUnavailable: 0, protectTotalReplicas: 2 }, 'v1beta1'));
    await made(scene.change('StatefulSet', 'web', { spec: { replicas: 0 } }));
    await waitUntil(
      'the controller is refused',
      async () =>
        (await made(cluster.request('GET', pathOf(scene.namespace, 'Event')))).items as readonly {
          readonly reason?: string;
        }[],
      (events) => events.some(({ reason }) => reason === 'FailedDelete'),
      { withinMs: 60_000 },
    );
    expectNotNow(await scene.evict('web-0'));
    expectNotNow(await scene.remove('web-1'));
    await scene.waitReady(2);
  });

  it('[X4] lets them go where none does', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('StatefulSet', 'web', 2));
    await scene.waitReady(2);
    await enforced(scene, pub('web', { maxUnavailable: 0 }));
    await made(scene.change('StatefulSet', 'web', { spec: { replicas: 0 } }));
    await waitUntil(
      'its pods are deleted',
      () => scene.pods(),
      (pods) => pods.length === 0,
      { withinMs: 60_000 },
    );
  });
});

/** The KEP's own Workload, with replicas, which no release of Kubernetes has. */
describe.skipIf(skipped || !cluster.embedded)('a gang of several replicas', () => {
  it('[P5] whose pods name no replica is refused, and never taken for one large group', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply({
      apiVersion: 'scheduling.k8s.io/v1alpha1',
      kind: 'Workload',
      metadata: { name: 'job' },
      spec: { podGroups: [{ name: 'workers', replicas: 2, policy: { gang: { minCount: 2 } } }] },
    });
    const spec = { workload: { name: 'job', podGroup: 'workers' } };
    await scene.addPods(...['a', 'b', 'c', 'd'].map((name) => pod(name, { node, spec })));
    await enforced(scene, pdb('web', { minAvailable: 2 }));
    const answer = await scene.evict('a');
    expectNotNow(answer);
    expect(blockersOf(answer)).toEqual(['GroupNotResolved']);
  });
});
