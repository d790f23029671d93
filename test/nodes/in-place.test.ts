import { afterAll, describe, expect, it } from 'vitest';
import { conditionOf } from '../e2e/support/scene.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { tally } from '../faults/support/shop.ts';
import { type AvailabilityObserver, observeAvailability } from '../support/availability.ts';
import { made, pause } from '../support/cluster.ts';
import type { Answer, Body } from '../support/kube-http.ts';
import { note } from './support/notes.ts';
import { barePod, pub } from './support/objects.ts';
import { type NodesScene, nodesScene, patience } from './support/scene.ts';

const names = ['db-0', 'db-1', 'db-2'];
const scenes: NodesScene[] = [];
afterAll(() => Promise.all(scenes.map((scene) => scene.close())));

/** Containers that take their time to stop, ready meanwhile, and to start. */
const slow = { args: ['--stop-after=8s', '--ready-after=8s'], graceSeconds: 15 };
const resizable = {
  resources: { requests: { memory: '32Mi' }, limits: { memory: '64Mi' } },
  resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
};

/** @param node that all of them are on; default: any */
async function threePods(node?: string): Promise<NodesScene> {
  const scene = await nodesScene();
  scenes.push(scene);
  const operations = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'];
  await scene.apply(
    ...names.map((name) => onNode(barePod(name, { app: 'db' }, { ...slow, container: resizable }), node)),
    pub('db', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 1, protectOperations: operations }),
  );
  await scene.waitReady(names.length, 'app=db');
  await scene.waitEnforced('pub', 'db');
  return scene;
}

function onNode(pod: ReturnType<typeof barePod>, node: string | undefined) {
  const nodeSelector = node === undefined ? {} : { 'kubernetes.io/hostname': node };
  return { ...pod, spec: { ...pod.spec, nodeSelector } };
}

type Change = (scene: NodesScene, name: string) => Promise<Answer>;

const patch = (scene: NodesScene, path: string, container: object): Promise<Answer> =>
  scene.cluster.request('PATCH', `/api/v1/namespaces/${scene.namespace}/pods/${path}`, {
    contentType: 'application/strategic-merge-patch+json',
    body: { spec: { containers: [{ name: 'app', ...container }] } },
  });
const toImage =
  (image: string): Change =>
  (scene, name) =>
    patch(scene, name, { image });
const toMemory =
  (memory: string): Change =>
  (scene, name) =>
    patch(scene, `${name}/resize`, { resources: { requests: { memory }, limits: { memory } } });

/** All of them want it at once and go on asking, as a rollout does, until each container was started again. */
async function changeAll(scene: NodesScene, change: Change): Promise<AvailabilityObserver> {
  const observer = await observeAvailability(scene.cluster, { namespace: scene.namespace, selector: 'app=db' });
  const before = new Map((await scene.pods('app=db')).map((pod) => [pod.metadata.name, restartsOf(pod)]));
  const answers: Answer[] = [];
  const insist = async (name: string) => {
    const ask = async () => {
      const answer = await change(scene, name);
      answers.push(answer);
      return answer;
    };
    await waitUntil(`${name} may be changed`, ask, ({ code }) => code < 300, patience);
  };
  await Promise.all(names.map(insist));
  await waitUntil(
    'every container was started again',
    () => scene.pods('app=db'),
    (pods) => pods.every((pod) => restartsOf(pod) > (before.get(pod.metadata.name) ?? 0)),
    patience,
  );
  await scene.waitReady(names.length, 'app=db');
  await observer.caughtUp();
  observer.close();
  note('changes in place', JSON.stringify(tally(answers)));
  expect(answers.filter(({ code }) => code >= 300 && code !== 429).map(({ text }) => text)).toEqual([]);
  return observer;
}

function restartsOf({ status }: Body): number {
  const [first] = (status['containerStatuses'] ?? []) as readonly { readonly restartCount: number }[];
  return first?.restartCount ?? 0;
}

describe('changes in place of real containers, under a PUB that lets one pod be away', () => {
  it('[I1] of the image', async () => {
    const observer = await changeAll(await threePods(), toImage('holdfast.test/app:2'));
    expect(observer.lowest, observer.describe()).toBe(names.length - 1);
  });

  it('[I1] of the memory, which restarts the container', async () => {
    const observer = await changeAll(await threePods(), toMemory('80Mi'));
    expect(observer.lowest, observer.describe()).toBe(names.length - 1);
  });

  it('[I1] of the memory, for which the node has no room at first', async () => {
    const scene = await threePods('node-2');
    const { status } = await nodeOf(scene, 'node-2');
    const room = Number.parseInt(String((status['allocatable'] as { memory: string }).memory), 10);
    const filler = { container: { resources: { requests: { memory: `${Math.floor(room * 0.95)}Ki` } } } };
    await scene.apply(onNode(barePod('filler', { app: 'filler' }, filler), 'node-2'));
    await scene.waitReady(1, 'app=filler');
    const changed = changeAll(scene, toMemory(`${Math.floor(room * 0.1)}Ki`));
    const deferred = await waitUntil(
      'a change is deferred',
      async () => (await scene.pods('app=db')).filter(isDeferred),
      (pods) => pods.length > 0,
      patience,
    );
    expect(deferred.length).toBe(1);
    await pause(deferredMs);
    // While it waits for room it has not happened, and nothing else may be let away instead.
    expect((await scene.pods('app=db')).filter(isDeferred).length).toBe(1);
    await scene.kubectl('delete', 'pod', 'filler', '--force', '--wait=false');
    const observer = await changed;
    expect(observer.lowest, observer.describe()).toBe(names.length - 1);
  });
});

/** Longer than a reservation for a change in place was ever kept by the clock. */
const deferredMs = 25_000;

function isDeferred(pod: Body): boolean {
  return conditionOf(pod, 'PodResizePending')?.reason === 'Deferred';
}

function nodeOf({ cluster }: NodesScene, name: string): Promise<Body> {
  return made(cluster.request('GET', `/api/v1/nodes/${name}`));
}
