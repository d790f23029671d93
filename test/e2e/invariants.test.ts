import { describe, expect, it } from 'vitest';
import { observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { addNode, toleration } from './support/nodes.ts';
import { type Named, pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow, isDoneOrNotNow } from './support/refusals.ts';
import { contentTypes, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 3 });
const node = skipped ? '' : await addNode(cluster, 'any');

const isGoing = ({ metadata }: Body) => metadata.deletionTimestamp !== undefined;

/** A pod that ends within milliseconds may not be there any more when the API server looks at it after a takeover: then that is a 404. */
const unhurried = {
  annotations: { 'sim.holdfast.dev/stop-delay': '10s' },
  spec: { terminationGracePeriodSeconds: 20 },
};

async function podsUnder(budget: Named, count: number, goes = false): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const wish = { node, goes, ...(goes ? unhurried : {}) };
  await scene.addPods(...namesOf(count).map((name) => pod(name, wish)));
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return scene;
}

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

describe.skipIf(skipped).concurrent('with three replicas of the operator', () => {
  it('[I1] a budget is never overspent, however many ask at once and in how many ways', async () => {
    const scene = await podsUnder(pub('eight', { minAvailable: 8 }), 12);
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const askAll = (name: string) => [scene.evict(name), scene.remove(name), scene.evict(name)];
    const answers = await Promise.all(namesOf(12).flatMap(askAll));
    expect(answers.filter((one) => !isDoneOrNotNow(one))).toEqual([]);
    await waitUntil(
      'four of them are going',
      async () => {
        for (const name of namesOf(12)) await scene.evict(name);
        return (await scene.pods()).filter(isGoing).length;
      },
      (going) => going === 4,
    );
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(8);
    observer.close();
  });

  it('[I5] the same request gets the same answer, and is charged once', async () => {
    const scene = await podsUnder(pub('two', { minAvailable: 2 }), 4);
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.evict('p0')));
    for (const answer of answers) expectDone(answer);
    expectDone(await scene.evict('p0'));
    expectDone(await scene.evict('p1'));
    for (let i = 0; i < 3; i += 1) expectNotNow(await scene.evict('p2'));
    const pods = (await scene.reservations()).map((one) => one.pod);
    expect(new Set(pods).size).toBe(pods.length);
  });

  it('[I6] a dry run gets the answer of the real request and leaves no trace', async () => {
    const scene = await podsUnder(pub('two', { minAvailable: 2 }), 3);
    const inBody = { deleteOptions: { dryRun: ['All'] } };
    const before = await scene.pods();
    for (const name of ['p0', 'p1', 'p2']) {
      expectDone(await scene.evict(name, {}, '?dryRun=All'));
      expectDone(await scene.evict(name, inBody));
      expectDone(await scene.remove(name, {}, '?dryRun=All'));
      expectDone(await scene.remove(name, { body: { dryRun: ['All'] } }));
    }
    expect(await scene.pods()).toEqual(before);
    expect(await scene.reservations()).toEqual([]);
    expectDone(await scene.evict('p0'));
    expectNotNow(await scene.evict('p1', {}, '?dryRun=All'));
    expectNotNow(await scene.evict('p1', inBody));
    expectNotNow(await scene.remove('p1', {}, '?dryRun=All'));
  });

  it('[I9] a reservation ends when the pod is seen to go', async () => {
    const scene = await podsUnder(pub('two', { minAvailable: 2 }), 4, true);
    expectDone(await scene.evict('p0'));
    expectDone(await scene.remove('p1'));
    await waitUntil(
      'the ledger is empty',
      () => scene.reservations(),
      (left) => left.length === 0,
    );
    const { status } = await waitUntil(
      'the budget has nothing under way',
      () => scene.read('PodUnavailableBudget', 'two'),
      (body) => body.status?.['disruptedPods'] === undefined && body.status?.['currentAvailable'] === 2,
    );
    expect(status).toMatchObject({ unavailableAllowed: 0, desiredAvailable: 2 });
    expectNotNow(await scene.evict('p2'));
  });

  it('[I11] a pod that is not replaced yet counts as down', async () => {
    const scene = await sceneIn(cluster);
    const own = await addNode(cluster, `${scene.namespace}-own`);
    const containers = [{ name: 'main', image: 'example.com/app:1' }];
    const nodeSelector = { 'kubernetes.io/hostname': own };
    const spec = { terminationGracePeriodSeconds: 1, tolerations: [toleration], nodeSelector, containers };
    const template = { metadata: { labels: { app: 'web' } }, spec };
    const budget = pub('web', { maxUnavailable: 1 });
    await scene.apply(workload('Deployment', 'web', 3, { template }), budget);
    const [first = '', second = ''] = (await scene.waitReady(3)).map(({ metadata }) => metadata.name);
    await scene.waitEnforced(budget);
    await cordon(own, true);
    expectDone(await scene.remove(first));
    await waitUntil(
      'the pod is gone',
      async () => (await scene.pod(first)).code,
      (code) => code === 404,
    );
    expectNotNow(await scene.remove(second));
    await cordon(own, false);
    await waitUntil(
      'another may go',
      async () => (await scene.remove(second)).code,
      (code) => code < 300,
    );
  });
});

async function cordon(name: string, unschedulable: boolean): Promise<void> {
  const contentType = contentTypes.merge;
  await made(cluster.request('PATCH', `/api/v1/nodes/${name}`, { contentType, body: { spec: { unschedulable } } }));
}

describe.skipIf(skipped).concurrent('[I4] when it is unknown', () => {
  const scope = 'holdfast.dev/budget-scope';

  it.each([
    [
      'the group of a pod cannot be resolved',
      pdb('b', { minAvailable: 1 }, { [scope]: 'PodGroup' }),
      'GroupNotResolved',
    ],
    ['the budget is not valid', pdb('b', { minAvailable: 1 }, { [scope]: 'Rack' }), 'BudgetInvalid'],
  ])('a protected pod stays, and others go: %s', async (_, budget, code) => {
    const scene = await sceneIn(cluster);
    await scene.addPods(pod('a', { node }), pod('b', { node }), pod('free', { node, labels: { app: 'batch' } }));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const refused = await scene.evict('a');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual([code]);
    expectDone(await scene.evict('free'));
  });
});

describe.skipIf(skipped).concurrent('[I7] what is not voluntary passes', () => {
  const everything = pub('all', { minAvailable: '100%' });

  async function deployed(budget = everything): Promise<Scene> {
    const scene = await sceneIn(cluster);
    await scene.apply(workload('Deployment', 'web', 3), budget);
    await scene.waitReady(3);
    await scene.waitEnforced(budget);
    const [first] = await scene.pods();
    expectNotNow(await scene.remove(first?.metadata.name ?? ''));
    return scene;
  }
  const gone = (scene: Scene) =>
    waitUntil(
      'no pods are left',
      async () => (await scene.pods()).length,
      (count) => count === 0,
    );

  it('the deletion of the namespace', async () => {
    const scene = await deployed();
    const path = `/api/v1/namespaces/${scene.namespace}`;
    await made(cluster.request('DELETE', path));
    await waitUntil(
      'the namespace is gone',
      async () => (await cluster.request('GET', path)).code,
      (code) => code === 404,
    );
  });

  it.each(['Background', 'Foreground'])('the deletion of the workload, by garbage collection (%s)', async (policy) => {
    const scene = await deployed(pub('all', { minAvailable: 3 }));
    const path = `/apis/apps/v1/namespaces/${scene.namespace}/deployments/web?propagationPolicy=${policy}`;
    await made(cluster.request('DELETE', path));
    await gone(scene);
  });

  it('a workload that is scaled to 0', async () => {
    const scene = await deployed(pub('all', { minAvailable: 3 }));
    await made(scene.change('Deployment', 'web', { spec: { replicas: 0 } }));
    await gone(scene);
  });

  it("the kubelet's last delete of a pod that was allowed to go", async () => {
    const scene = await podsUnder(pub('one', { minAvailable: 1 }), 2, true);
    expectDone(await scene.evict('p0'));
    await waitUntil(
      'the pod is gone',
      async () => (await scene.pod('p0')).code,
      (code) => code === 404,
    );
  });

  it('pods that never ran, that are over and that are going already', async () => {
    const scene = await podsUnder(pub('all', { minAvailable: 3 }), 2);
    const nodeSelector = { 'kubernetes.io/hostname': 'nowhere' };
    const path = `/api/v1/namespaces/${scene.namespace}/pods`;
    await made(cluster.request('POST', path, { body: pod('pending', { spec: { nodeSelector } }) }));
    await made(cluster.request('POST', path, { body: pod('over', { spec: { nodeSelector } }) }));
    await made(scene.patchPod('over', { status: { phase: 'Succeeded' } }, 'status'));
    expectNotNow(await scene.evict('p0'));
    for (const name of ['pending', 'over']) expectDone(await scene.evict(name));
    await scene.setReady('p1', false);
    await waitUntil(
      'a pod that is down may go',
      async () => (await scene.remove('p1')).code,
      (code) => code < 300,
    );
    expectDone(await scene.remove('p1'));
    expectNotNow(await scene.evict('p0'));
  });

  it('everything, where a person turned the guard off', async () => {
    const scene = await sceneIn(cluster);
    const path = `/api/v1/namespaces/${scene.namespace}`;
    const contentType = contentTypes.merge;
    const body = { metadata: { labels: { 'holdfast.dev/guard': 'disabled' } } };
    await made(cluster.request('PATCH', path, { contentType, body }));
    await scene.addPods(pod('a', { node }));
    await scene.apply(pub('all', { minAvailable: 1 }));
    await waitUntil(
      'the budget says that it is not enforced',
      () => scene.read('PodUnavailableBudget', 'all'),
      ({ status }) =>
        ((status?.['conditions'] ?? []) as { type: string; status: string; reason: string }[]).some(
          (one) => one.type === 'Enforced' && one.status === 'False' && one.reason === 'NotGuarded',
        ),
    );
    expectDone(await scene.evict('a'));
  });
});
