import { describe, expect, it } from 'vitest';
import { hasKubectl, kubectlFor } from '../clients/kubectl.ts';
import { observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { addDefinition, farm, farms, farmsApi } from './support/definitions.ts';
import { addNode, poolLabel, toleration } from './support/nodes.ts';
import { pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from './support/refusals.ts';
import { conditionOf, pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');
if (!skipped) await addDefinition(cluster, farms, farmsApi);

describe.skipIf(skipped).concurrent('a budget', () => {
  it('[I11] counts the pods of an owner of an unknown kind by its scale', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(farm('herd', 4));
    const { metadata } = await scene.read('Farm', 'herd');
    const owner = {
      apiVersion: 'e2e.holdfast.dev/v1',
      kind: 'Farm',
      name: 'herd',
      uid: metadata.uid,
      controller: true,
    };
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node, ownerReferences: [owner] })));
    const budget = pub('web', { maxUnavailable: '25%' });
    await scene.apply(budget);
    const { status } = await scene.waitEnforced(budget);
    expect(status).toMatchObject({
      totalReplicas: 4,
      desiredAvailable: 3,
      currentAvailable: 3,
      unavailableReplicas: 1,
    });
    const refused = await scene.evict('a');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
    expect(refused.body.message).toContain('needs 3 available pods and has 3 of 4; disrupting a leaves 2');
    await made(scene.change('Farm', 'herd', { spec: { replicas: 3 } }));
    // Scales of kinds that are not watched are read again every 30 seconds.
    await waitUntil(
      'the new scale counts',
      async () => (await scene.evict('a')).code,
      (code) => code === 201,
      { withinMs: 60_000 },
    );
  });

  it('counts pods that come after it', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('two', { minAvailable: 2 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node })));
    await waitUntil(
      'the budget counts them',
      async () => (await scene.read('PodUnavailableBudget', 'two')).status,
      (status) => status['currentAvailable'] === 3 && status['unavailableAllowed'] === 1,
    );
    expectDone(await scene.evict('a'));
    expectNotNow(await scene.evict('b'));
  });

  it('that was changed is obeyed as it is now, once it says that it was read', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('web', { minAvailable: 2 });
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node })));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await made(scene.change('PodUnavailableBudget', 'web', { spec: { minAvailable: 3 } }));
    await scene.waitEnforced(budget);
    expectNotNow(await scene.evict('a'));
    await made(scene.change('PodUnavailableBudget', 'web', { spec: { minAvailable: 1 } }));
    const { status } = await scene.waitEnforced(budget);
    expect(status).toMatchObject({ desiredAvailable: 1, unavailableAllowed: 2 });
    expectDone(await scene.evict('a'));
    expectDone(await scene.remove('b'));
    expectNotNow(await scene.evict('c'));
  });

  it('that is gone protects nothing', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('web', { minAvailable: 1 });
    await scene.addPods(pod('a', { node }));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    expectNotNow(await scene.remove('a'));
    await made(cluster.request('DELETE', `${pathOf(scene.namespace, 'PodUnavailableBudget')}/web`));
    await waitUntil(
      'the pod may go',
      async () => (await scene.remove('a')).code,
      (code) => code < 300,
    );
  });

  it('over groups says that it is enforced only when it is', async () => {
    const scene = await sceneIn(cluster);
    const budget = pdb(
      'groups',
      { minAvailable: 1 },
      { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' },
    );
    await scene.addPods(pod('a', { node, labels: { app: 'web', shard: 's0' } }));
    await scene.apply(budget);
    const standing = conditionOf(await scene.waitEnforced(budget), 'holdfast.dev/GroupBudget');
    expect(standing).toMatchObject({ status: 'False', reason: 'NeverSufficient' });
    expectNotNow(await scene.evict('a'));
    const { metadata } = await made(cluster.request('GET', `/api/v1/namespaces/${scene.namespace}`));
    expect(metadata.labels['holdfast.dev/guard']).toBe('enabled');
  });

  it('that is turned from groups to pods is judged by the built-in check', async () => {
    const scene = await sceneIn(cluster);
    const groups = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
    const budget = pdb('web', { minAvailable: 1 }, groups);
    await scene.addPods(...['a', 'b'].map((name) => pod(name, { node, labels: { app: 'web', shard: 's0' } })));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    expectNotNow(await scene.evict('a'));
    await made(
      scene.change('PodDisruptionBudget', 'web', {
        metadata: { annotations: { 'holdfast.dev/budget-scope': 'Pod', 'holdfast.dev/group-label': null } },
      }),
    );
    await waitUntil(
      'a pod may go',
      async () => (await scene.evict('a')).code,
      (code) => code === 201,
    );
  });

  it('refuses with an event that people find on it', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('web', { minAvailable: 1 });
    await scene.addPods(pod('a', { node }));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    expectNotNow(await scene.evict('a'));
    const query = `?fieldSelector=${encodeURIComponent('involvedObject.kind=PodUnavailableBudget')}`;
    await waitUntil(
      'there is an event',
      async () => (await made(cluster.request('GET', `${pathOf(scene.namespace, 'Event')}${query}`))).items,
      (events) =>
        events.some((event) => event.reason !== '' && event.message.includes('requires the only pod that exists')),
    );
  });
});

describe.skipIf(skipped).concurrent('a workload under a budget', () => {
  async function deployed(kind: 'Deployment' | 'StatefulSet', replicas: number): Promise<Scene> {
    const scene = await sceneIn(cluster);
    const targetRef = { apiVersion: 'apps/v1', kind, name: 'web' };
    const budget = pub('web', { maxUnavailable: 1, targetRef });
    await scene.apply(workload(kind, 'web', replicas), budget);
    await scene.waitReady(replicas);
    await scene.waitEnforced(budget);
    return scene;
  }

  it.each(['Deployment', 'StatefulSet'] as const)('[I1] is rolled out to the end: %s', async (kind) => {
    const scene = await deployed(kind, 4);
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const containers = [{ name: 'main', image: 'example.com/app:2' }];
    const template = { metadata: { labels: { app: 'web' } }, spec: { terminationGracePeriodSeconds: 1, containers } };
    await scene.apply(workload(kind, 'web', 4, { template }));
    await waitUntil(
      'the rollout is complete',
      async () => (await scene.read(kind, 'web')).status,
      (now) => now['updatedReplicas'] === 4 && now['availableReplicas'] === 4 && now['replicas'] === 4,
    );
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(3);
    observer.close();
  });

  it.each(['Deployment', 'StatefulSet'] as const)('is scaled down to the end: %s', async (kind) => {
    const scene = await deployed(kind, 5);
    await made(scene.change(kind, 'web', { spec: { replicas: 2 } }));
    await scene.waitReady(2);
    await waitUntil(
      'the budget counts what is left',
      async () => (await scene.read('PodUnavailableBudget', 'web')).status,
      (now) => now['totalReplicas'] === 2 && now['desiredAvailable'] === 1 && now['currentAvailable'] === 2,
    );
  });

  it.skipIf(!hasKubectl)('[I1] moves to another node as fast as it comes up there, by kubectl drain', async () => {
    const scene = await sceneIn(cluster);
    const pool = scene.namespace;
    const from = await addNode(cluster, `${pool}-from`, { pool });
    const containers = [{ name: 'main', image: 'example.com/app:1' }];
    const spec = {
      terminationGracePeriodSeconds: 1,
      tolerations: [toleration],
      nodeSelector: { [poolLabel]: pool },
      containers,
    };
    const template = { metadata: { labels: { app: 'web' } }, spec };
    const budget = pub('web', { minAvailable: 2 });
    await scene.apply(workload('Deployment', 'web', 4, { template }), budget);
    await scene.waitReady(4);
    await scene.waitEnforced(budget);
    const to = await addNode(cluster, `${pool}-to`, { pool });
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const kubectl = await kubectlFor(cluster.kubeconfig, scene.namespace);
    const { code, err } = await kubectl(`drain ${from} --timeout=35s`);
    expect({ code, err }).toMatchObject({ code: 0 });
    const pods = await scene.waitReady(4);
    expect(new Set(pods.map((one) => one.spec['nodeName']))).toEqual(new Set([to]));
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(2);
    observer.close();
    await kubectl.close();
  });
});
