import { describe, expect, it } from 'vitest';
import { observeAvailability } from '../support/availability.ts';
import type { Answer, Body } from '../support/kube-http.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, causesOf, expectDone, expectNotNow, isDoneOrNotNow } from './support/refusals.ts';
import { pathOf, type Scene, sceneIn } from './support/scene.ts';
import { seenByAll } from './support/seen.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const resizable = {
  containers: [
    {
      name: 'main',
      image: 'example.com/app:1',
      resources: { requests: { cpu: '100m', memory: '64Mi' } },
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'memory', restartPolicy: 'RestartContainer' },
      ],
    },
  ],
};

/** An update in place is over when the container was restarted: here it goes on for as long as a test looks (half a minute). */
const slowStop = { 'sim.holdfast.dev/stop-delay': cluster.embedded ? '600s' : '30s' };

/** Pods of no controller, so that what is gone stays gone, and a budget that is enforced over them. */
async function podsUnder(budget: Named, names: readonly string[]): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await scene.addPods(...names.map((name) => pod(name, { node, spec: resizable, annotations: slowStop })));
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return scene;
}

type Action = (scene: Scene, name: string) => Promise<Answer>;

const changeLabels =
  (labels: object): Action =>
  (scene, name) =>
    scene.patchPod(name, { metadata: { labels } });
const changeContainer =
  (fields: object): Action =>
  (scene, name) =>
    scene.patchPod(name, { spec: { containers: [{ name: 'main', ...fields }] } });
const resize =
  (requests: object): Action =>
  (scene, name) =>
    scene.patchPod(name, { spec: { containers: [{ name: 'main', resources: { requests } }] } }, 'resize');

const actions = {
  evict: (scene, name) => scene.evict(name),
  delete: (scene, name) => scene.remove(name),
  'delete by collection': (scene, name) =>
    scene.cluster.request('DELETE', `/api/v1/namespaces/${scene.namespace}/pods?fieldSelector=metadata.name%3D${name}`),
  'change the image': changeContainer({ image: 'example.com/app:2' }),
  'move out of the budget': changeLabels({ app: 'other' }),
  'label as unavailable': changeLabels({ 'unavailable-pod.kruise.io/by-hand': 'true' }),
  'resize with a restart': resize({ cpu: '100m', memory: '128Mi' }),
  'resize without a restart': resize({ cpu: '200m', memory: '64Mi' }),
  annotate: (scene, name) => scene.patchPod(name, { metadata: { annotations: { team: 'a' } } }),
  'label otherwise': changeLabels({ tier: 'front' }),
} satisfies Readonly<Record<string, Action>>;

describe.skipIf(skipped).concurrent('a PodUnavailableBudget', () => {
  it.each([
    'evict',
    'delete',
    'delete by collection',
    'change the image',
    'move out of the budget',
    'label as unavailable',
    'resize with a restart',
  ] as const)('[I1] [I8] lets one of three pods go and then refuses with 429: %s', async (action) => {
    const scene = await podsUnder(pub('two', { minAvailable: 2 }), ['a', 'b', 'c']);
    expectDone(await actions[action](scene, 'a'));
    const refused = await actions[action](scene, 'b');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
    const { body } = await scene.pod('b');
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect(body.metadata.labels).toEqual({ app: 'web' });
  });

  it('[U8] is refused when it overlaps with one that was created a moment ago', async () => {
    const scene = await sceneIn(cluster);
    const create = (name: string): Promise<Answer> =>
      cluster.request('POST', pathOf(scene.namespace, 'PodUnavailableBudget'), {
        body: pub(name, { maxUnavailable: 1 }),
      });
    for (const round of [0, 1, 2, 3]) {
      expect((await create(`first-${round}`)).code).toBe(201);
      const refused = await create(`second-${round}`);
      expect([refused.code, refused.body.reason], refused.text).toEqual([422, 'Invalid']);
      expectDone(await cluster.request('DELETE', `${pathOf(scene.namespace, 'PodUnavailableBudget')}/first-${round}`));
    }
  });

  it('does not look at changes that take nothing away', async () => {
    const scene = await podsUnder(pub('all', { minAvailable: 2 }), ['a', 'b']);
    expectDone(await actions.annotate(scene, 'a'));
    expectDone(await actions['label otherwise'](scene, 'a'));
    expectDone(await actions['resize without a restart'](scene, 'a'));
    expectNotNow(await scene.evict('a'));
  });

  it('guards the operations that it lists, and no others', async () => {
    const budget = pub('resizes', { minAvailable: 2, protectOperations: ['RESIZE', 'EVICT'] }, 'v1beta1');
    const scene = await podsUnder(budget, ['a', 'b']);
    expectNotNow(await actions['resize without a restart'](scene, 'a'));
    expectNotNow(await scene.evict('a'));
    expectDone(await actions['change the image'](scene, 'a'));
    expectDone(await scene.remove('b'));
  });

  it('leaves alone what opted out, and counts it all the same', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('all', { minAvailable: 2 });
    const annotations = { 'pub.kruise.io/no-protect': 'true' };
    await scene.addPods(pod('kept', { node }), pod('free', { node, annotations }));
    await scene.apply(budget);
    const { status } = await scene.waitEnforced(budget);
    expect(status).toMatchObject({ currentAvailable: 2, unavailableAllowed: 0, totalReplicas: 2 });
    expectNotNow(await scene.evict('kept'));
    expectDone(await scene.remove('free'));
  });

  it('[I3] refuses for one budget of several, and nothing of the others is spent', async () => {
    const scene = await sceneIn(cluster);
    const labels = { app: 'web', backend: 'true' };
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node, labels })));
    const free = pub('by-app', { maxUnavailable: 2 });
    const strict = pub('by-role', { maxUnavailable: 0, selector: { matchLabels: { backend: 'true' } } });
    await scene.apply(free, strict);
    await scene.waitEnforced(free);
    await scene.waitEnforced(strict);
    const refused = await scene.evict('a');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PUB by-role ');
    expect(await scene.reservations()).toEqual([]);
    expect((await scene.read('PodUnavailableBudget', 'by-app')).status).toMatchObject({ unavailableAllowed: 2 });
  });

  it('[I3] stands beside PodDisruptionBudgets, which have their own say: what they refuse takes nothing from it', async () => {
    const scene = await podsUnder(pub('two', { minAvailable: 2 }), ['a', 'b', 'c', 'd']);
    await scene.apply(pdb('three', { minAvailable: 3 }));
    const budget = await waitUntil(
      'the built-in budget allows one',
      () => scene.read('PodDisruptionBudget', 'three'),
      ({ status }) => status?.['disruptionsAllowed'] === 1,
    );
    await seenByAll(cluster, 'pdbs', [budget]);
    expectDone(await scene.evict('a'));
    const refused = await scene.evict('b');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PDB three');
    expectDone(await scene.remove('c'));
  });

  it('[I12] says which budget, which unit, how many there are, how many are needed and what would help', async () => {
    const scene = await podsUnder(pub('two', { minAvailable: 2 }), ['a', 'b']);
    const refused = await scene.evict('a');
    expectNotNow(refused);
    const [cause] = causesOf(refused);
    expect(cause?.message).toBe(
      'PUB two requires all 2 of the 2 pods that exist (2 available now), so waiting does not help unless another pod is created; ' +
        'add 1 pod, or lower minAvailable',
    );
    expect(refused.body.message).toContain('PUB two requires all 2 of the 2 pods that exist (2 available now)');
    expect(causesOf(refused)).toContainEqual({
      reason: 'Hint',
      message: `holdfast explain pod/a -n ${scene.namespace}`,
    });
  });

  it('shows in its status what it counts', async () => {
    const scene = await podsUnder(pub('two', { maxUnavailable: '30%' }), ['a', 'b', 'c', 'd']);
    const numbers = { desiredAvailable: 2, totalReplicas: 4 };
    const { status } = await scene.read('PodUnavailableBudget', 'two');
    expect(status).toMatchObject({ ...numbers, currentAvailable: 4, unavailableAllowed: 2, unavailableReplicas: 0 });
    await scene.setReady('a', false);
    await waitUntil(
      'the budget has one less',
      async () => (await scene.read('PodUnavailableBudget', 'two')).status,
      (now) => now['currentAvailable'] === 3 && now['unavailableAllowed'] === 1 && now['unavailableReplicas'] === 1,
    );
  });
});

describe.skipIf(skipped).concurrent('writing a PodUnavailableBudget', () => {
  const web = { matchLabels: { app: 'webserver' } };
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

  it.each([
    ['selector and targetRef', { selector: web, targetRef: target, maxUnavailable: 1 }, 'spec.selector'],
    ['neither selector nor targetRef', { selector: null, maxUnavailable: 1 }, 'spec.selector'],
    ['neither maxUnavailable nor minAvailable', { selector: web }, 'spec.maxUnavailable'],
    ['both, without groups', { selector: web, maxUnavailable: 1, minAvailable: 1 }, 'spec.maxUnavailable'],
    ['a percentage that is none', { selector: web, maxUnavailable: 'half' }, 'spec.maxUnavailable'],
    ['more than everything', { selector: web, minAvailable: '101%' }, 'spec.minAvailable'],
    ['a selector that cannot be read', { selector: { matchLabels: { app: 'a b' } }, minAvailable: 1 }, 'spec.selector'],
  ])('is refused with 422 and the field: %s', async (_, spec, field) => {
    const scene = await sceneIn(cluster);
    const refused = await scene.tryApply(pub('bad', spec));
    expect(refused.code, refused.text).toBe(422);
    expect(refused.body.reason).toBe('Invalid');
    expect(causesOf(refused).map((cause) => cause.field ?? '')).toContainEqual(expect.stringContaining(field));
    expect(
      (
        await cluster.request(
          'GET',
          `/apis/policy.kruise.io/v1alpha1/namespaces/${scene.namespace}/podunavailablebudgets`,
        )
      ).body.items,
    ).toEqual([]);
  });

  it('is refused when another one already selects the same pods, and only then', async () => {
    const scene = await sceneIn(cluster);
    const one = pub('first', { selector: web, maxUnavailable: 1 });
    await scene.apply(one);
    await scene.waitEnforced(one);
    const same = await scene.tryApply(pub('second', { selector: web, minAvailable: 1 }));
    expect(same.code, same.text).toBe(422);
    expect(same.body.message).toContain('first');
    await scene.apply(
      pub('third', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 1 }),
      pub('fourth', { selector: { matchLabels: { backend: 'true' } }, maxUnavailable: 1 }),
    );
  });
});

/** The three ways in which an application went down although every tool obeyed its own limits. */
describe.skipIf(skipped).concurrent('an application that several people work on', () => {
  it('[I1] is rolled out while its nodes are drained', async () => {
    const scene = await sceneIn(cluster);
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2, maxSurge: 1 } };
    const budget = pub('web', {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxUnavailable: 2,
    });
    await scene.apply(workload('Deployment', 'web', 6, { strategy }), budget);
    await scene.waitReady(6);
    await scene.waitEnforced(budget);
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const containers = [{ name: 'main', image: 'example.com/app:2' }];
    const template = { metadata: { labels: { app: 'web' } }, spec: { terminationGracePeriodSeconds: 1, containers } };
    await scene.apply(workload('Deployment', 'web', 6, { strategy, template }));
    for (let round = 0; round < 5; round += 1) {
      const pods = await scene.pods();
      const answers = await Promise.all(pods.map(({ metadata }) => scene.evict(metadata.name)));
      expect(answers.filter((one) => !isDoneOrNotNow(one))).toEqual([]);
    }
    await waitUntil(
      'the rollout is complete',
      async () => (await scene.read('Deployment', 'web')).status,
      (now) => now['updatedReplicas'] === 6 && now['availableReplicas'] === 6 && now['replicas'] === 6,
      // A ReplicaSet's controller that was refused a dozen times in a row waits for most of a minute until it tries again.
      { withinMs: 100_000 },
    );
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(4);
    observer.close();
  });

  it('[I1] is scaled down while a sidecar is updated in place', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('web', { minAvailable: 5 });
    const template = {
      metadata: { labels: { app: 'web' }, annotations: slowStop },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'example.com/app:1' }] },
    };
    await scene.apply(workload('Deployment', 'web', 8, { template }), budget);
    const pods = await scene.waitReady(8);
    await scene.waitEnforced(budget);
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const [, ...updates] = await Promise.all([
      scene.change('Deployment', 'web', { spec: { replicas: 6 } }),
      ...pods.map(({ metadata }) => actions['change the image'](scene, metadata.name)),
    ]);
    const changed = updates.filter(({ code }) => code === 200).map(({ body }) => body.metadata.uid);
    expect(updates.filter((one) => !isDoneOrNotNow(one))).toEqual([]);
    await observer.caughtUp();
    const left = new Set((await scene.pods()).filter(isStaying).map(({ metadata }) => metadata.uid));
    const gone = pods.map(({ metadata }) => metadata.uid).filter((uid) => !left.has(uid));
    expect(new Set([...changed, ...gone]).size, observer.describe()).toBeLessThanOrEqual(3);
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(5);
    observer.close();
  });

  it('[I1] [I5] is updated in place by two teams at once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const scene = await podsUnder(pub('web', { minAvailable: 3 }), names);
    const update = async (image: string) => {
      const answers = await Promise.all(names.map((name) => changeContainer({ image })(scene, name)));
      expect(answers.filter((one) => !isDoneOrNotNow(one))).toEqual([]);
    };
    await Promise.all([update('example.com/app:2'), update('example.com/app:3')]);
    const images = (await scene.pods()).map(
      ({ spec }) => (spec['containers'] as readonly { image: string }[])[0]?.image,
    );
    expect(images.filter((image) => image !== 'example.com/app:1')).toHaveLength(2);
    const { status } = await waitUntil(
      'the budget lists them',
      () => scene.read('PodUnavailableBudget', 'web'),
      (body) => Object.keys((body.status?.['unavailablePods'] ?? {}) as object).length === 2,
    );
    expect(status).toMatchObject({ currentAvailable: 3, unavailableAllowed: 0 });
  });
});

function isStaying({ metadata }: Body): boolean {
  return metadata.deletionTimestamp === undefined;
}
