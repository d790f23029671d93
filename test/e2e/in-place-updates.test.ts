import { describe, expect, it } from 'vitest';
import { isReady, observeAvailability } from '../support/availability.ts';
import type { Answer, Body } from '../support/kube-http.ts';
import { addNode } from './support/nodes.ts';
import { pod, pub } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow, isDoneOrNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const budget = pub(
  'one-away',
  { maxUnavailable: 1, protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] },
  'v1beta1',
);
const container = {
  name: 'main',
  image: 'example.com/app:1',
  resources: { requests: { cpu: '100m', memory: '64Mi' } },
  resizePolicy: [
    { resourceName: 'cpu', restartPolicy: 'NotRequired' },
    { resourceName: 'memory', restartPolicy: 'RestartContainer' },
  ],
};
const proxy = { name: 'proxy', image: 'example.com/proxy:1' };

/** Embedded clusters of tests run twenty times as fast as the clock; the nodes of the test bed run by it. */
const seconds = (count: number): string => `${cluster.embedded ? count * 20 : count}s`;
const stopping = (count: number) => ({ 'sim.holdfast.dev/stop-delay': seconds(count) });
const deferred = { 'sim.holdfast.dev/resize': 'deferred' };

/** Longer than a reservation for an update was ever kept by the clock. */
const longSeconds = 28;

type Annotations = Readonly<Record<string, string>>;

/** Pods of a Deployment would be replaced; these stay who they are. */
async function podsUnder(pods: Readonly<Record<string, Annotations>>): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const spec = { containers: [container, proxy] };
  await scene.addPods(
    ...Object.entries(pods).map(([name, annotations]) => pod(name, { node, spec, goes: true, annotations })),
  );
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return scene;
}

const setImage = (scene: Scene, name: string, image = 'example.com/app:2', of = 'main'): Promise<Answer> =>
  scene.patchPod(name, { spec: { containers: [{ name: of, image }] } });
const setLabels = (scene: Scene, name: string, labels: object): Promise<Answer> =>
  scene.patchPod(name, { metadata: { labels } });
const resize = (scene: Scene, name: string, requests: object): Promise<Answer> =>
  scene.patchPod(name, { spec: { containers: [{ name: 'main', resources: { requests } }] } }, 'resize');

/** Asks until it is done, and says what was the case then. */
async function insist<T>(ask: () => Promise<Answer>, now: () => Promise<T>): Promise<T> {
  const { before } = await waitUntil(
    'the request is allowed',
    async () => {
      const before = await now();
      const answer = await ask();
      expect(isDoneOrNotNow(answer), answer.text).toBe(true);
      return { before, done: answer.code < 300 };
    },
    ({ done }) => done,
    { withinMs: 100_000, everyMs: 250 },
  );
  return before;
}

interface Status {
  readonly name: string;
  readonly restartCount: number;
}

function restartsOf(body: Body, of = 'main'): number {
  const statuses = (body.status?.['containerStatuses'] ?? []) as readonly Status[];
  return statuses.find(({ name }) => name === of)?.restartCount ?? 0;
}

const podNow = async (scene: Scene, name: string): Promise<Body> => (await scene.pod(name)).body;

describe.skipIf(skipped).concurrent('an update in place', () => {
  it('[I1] [I9] is under way until its container was restarted, however long the old one takes to stop', async () => {
    const slowStart = { 'sim.holdfast.dev/start-delay': seconds(4) };
    const scene = await podsUnder({ a: { ...stopping(longSeconds) }, b: slowStart, c: slowStart });
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    expectDone(await setImage(scene, 'a'));
    const [a] = await Promise.all([
      insist(
        () => setImage(scene, 'b'),
        () => podNow(scene, 'a'),
      ),
      insist(
        () => setImage(scene, 'c'),
        () => podNow(scene, 'a'),
      ),
    ]);
    expect({ restarts: restartsOf(a), ready: isReady(a) }).toEqual({ restarts: 1, ready: true });
    await waitUntil(
      'all are updated',
      () => scene.pods(),
      (pods) => pods.every((one) => restartsOf(one) === 1 && isReady(one)),
    );
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(2);
    observer.close();
  });

  it('[I1] [I9] is a resize that the node has no room for yet, until there is', async () => {
    const scene = await podsUnder({ a: deferred, b: deferred, c: deferred });
    expectDone(await resize(scene, 'a', { memory: '128Mi' }));
    await waitUntil(
      'the resize is pending',
      () => podNow(scene, 'a'),
      ({ status }) => JSON.stringify(status).includes('"Deferred"'),
    );
    const end = performance.now() + longSeconds * 1_000;
    while (performance.now() < end) {
      expectNotNow(await resize(scene, 'b', { memory: '128Mi' }));
      expectNotNow(await scene.evict('c'));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expectDone(await scene.patchPod('a', { metadata: { annotations: { 'sim.holdfast.dev/resize': null } } }));
    const a = await insist(
      () => resize(scene, 'b', { memory: '128Mi' }),
      () => podNow(scene, 'a'),
    );
    expect(restartsOf(a)).toBe(1);
  });

  it('[I9] ends when it is seen to be done', async () => {
    const scene = await podsUnder({ a: {}, b: {}, c: {} });
    for (const name of ['a', 'b', 'c']) {
      expectDone(await setImage(scene, name));
      await freed(scene);
    }
  });

  it('[I9] ends when it is seen to be taken back', async () => {
    const scene = await podsUnder({ a: stopping(1), b: {} });
    expectDone(await setImage(scene, 'a'));
    expectNotNow(await setImage(scene, 'b'));
    await waitUntil(
      'the container is another one',
      () => podNow(scene, 'a'),
      (body) => restartsOf(body) === 1,
    );
    expectDone(await setImage(scene, 'a', 'example.com/app:1'));
    await freed(scene);
  });

  it('[I9] ends when a deferred resize is taken back', async () => {
    const scene = await podsUnder({ a: deferred, b: {} });
    expectDone(await resize(scene, 'a', { memory: '128Mi' }));
    expectNotNow(await scene.evict('b'));
    expectDone(await resize(scene, 'a', { memory: '64Mi' }));
    // The nodes of the test bed do not say which generation they have observed: there the leader has to wait.
    if (cluster.embedded) await freed(scene);
  });

  it('[I9] ends when its label was moved back, or an unavailable label was taken off', async () => {
    const scene = await podsUnder({ a: {}, b: {}, c: {} });
    for (const [there, back] of [
      [{ app: 'other' }, { app: 'web' }],
      [{ 'unavailable-pod.kruise.io/drill': 'true' }, { 'unavailable-pod.kruise.io/drill': null }],
    ] as const) {
      expectDone(await setLabels(scene, 'a', there));
      expectDone(await setLabels(scene, 'a', back));
      await freed(scene);
    }
    const drill = { 'unavailable-pod.kruise.io/drill': 'true' };
    expectDone(await setLabels(scene, 'a', drill));
    await freed(scene);
    // The label alone keeps it out of the count.
    const refused = await setLabels(scene, 'b', drill);
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
  });

  it('[L5] counts a second container that is updated meanwhile', async () => {
    const scene = await podsUnder({ a: stopping(3), b: {} });
    expectDone(await setImage(scene, 'a'));
    expectDone(await setImage(scene, 'a', 'example.com/proxy:2', 'proxy'));
    const a = await insist(
      () => setImage(scene, 'b'),
      () => podNow(scene, 'a'),
    );
    expect([restartsOf(a), restartsOf(a, 'proxy')]).toEqual([1, 1]);
  });
});

/** The budget may be spent again; sooner than the clock alone ever gave it back. */
async function freed(scene: Scene): Promise<void> {
  await waitUntil(
    'nothing is reserved any more',
    () => scene.reservations(),
    (reservations) => reservations.length === 0,
    { withinMs: 15_000 },
  );
}
