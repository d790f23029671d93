import { describe, expect, it } from 'vitest';
import { annotation } from '../../packages/holdfast/src/api/names.ts';
import { isReady } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { pdb, pub } from './support/objects.ts';
import {
  all,
  brokenPods,
  crash,
  enforced,
  eventsOf,
  images,
  type SetWish,
  set,
  shape,
  staysAsItIs,
  waitShape,
  waitState,
} from './support/rollouts.ts';
import { pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const { good, better } = images;
const best = 'example.com/app:3';

const partition = (count: number) => ({ ...enforced, rollingUpdate: { partition: count } });
const settle = (seconds: string) => ({ [annotation.rolloutSettleSeconds]: seconds });

async function broken(wish: SetWish, ...names: readonly string[]): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await brokenPods(scene, wish, ...names);
  return scene;
}

const isGoing = ({ metadata }: Body) => metadata.deletionTimestamp !== undefined;

/** When the deletion was requested: the timestamp is when its grace period ends. */
function askedToGo(pod: Body | undefined): number {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = (pod?.metadata ?? {}) as Going;
  return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
}

interface Going {
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}

function readySince(pod: Body | undefined): number {
  const conditions = (pod?.status['conditions'] ?? []) as readonly Readonly<Record<string, string>>[];
  return Date.parse(conditions.find((one) => one['type'] === 'Ready')?.['lastTransitionTime'] ?? '');
}

async function uidOf(scene: Scene, name: string): Promise<string> {
  return (await made(scene.pod(name))).metadata.uid;
}

describe.skipIf(skipped).concurrent('a repair', () => {
  it('[R1] counts ordinals and the partition from where the set begins', async () => {
    const scene = await sceneIn(cluster);
    const wish = { spec: { ordinals: { start: 5 } }, replicas: 2 };
    const pods = (first: string, second: string) => ({ 'web-5': first, 'web-6': second });
    await scene.apply(set(wish));
    await waitShape(scene, pods(`+${good}`, `+${good}`));
    await scene.apply(set({ ...wish, image: better, strategy: partition(2) }));
    await scene.setReady('web-6', false);
    await waitState(scene, /^blocked by web-6: not ready, and the partition updates ordinals from 7 only/);
    await scene.apply(set({ ...wish, image: better, strategy: partition(1) }));
    await waitShape(scene, pods(`+${good}`, `+${better}`));
    await waitState(scene, /^idle: every replica is healthy; the partition holds back the rest$/);
  });

  it('[R1] waits until the replacement has been ready for minReadySeconds', async () => {
    const scene = await broken({ spec: { minReadySeconds: 3 } }, 'web-0', 'web-1');
    const watch = await cluster.watch(pathOf(scene.namespace, 'Pod'));
    await scene.apply(set({ spec: { minReadySeconds: 3 }, image: better }));
    const seen = await watch.until(({ object }) => object.metadata.name === 'web-1' && isGoing(object));
    const replacement = await made(scene.pod('web-0'));
    const first = seen.find(({ object }) => object.metadata.uid === replacement.metadata.uid && isReady(object));
    expect(askedToGo(seen.at(-1)?.object)).toBeGreaterThanOrEqual(readySince(first?.object) + 3_000);
    await waitShape(scene, all(3, better));
    watch.close();
  });

  it('[R1] ends in the template of now when that changes while it waits', async () => {
    const scene = await broken({ annotations: settle('600') }, 'web-0');
    const watch = await cluster.watch(pathOf(scene.namespace, 'Pod'));
    await scene.apply(set({ annotations: settle('600'), image: better }));
    await waitState(scene, /^waiting for web-0: not ready and on an old revision/);
    await scene.apply(set({ annotations: settle('0'), image: best }));
    await waitShape(scene, all(3, best));
    const last = await uidOf(scene, 'web-0');
    const seen = await watch.until(({ object }) => object.metadata.uid === last && isReady(object));
    const ran = seen.map(({ object }) => (object.spec['containers'] as readonly { image: string }[])[0]?.image);
    expect(ran).not.toContain(better);
    watch.close();
  });

  it('[R2] is held up by a crash loop on the newest template that is ready for a moment', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(set());
    await waitShape(scene, all(3, good));
    await scene.apply(set({ image: better, strategy: partition(2) }));
    await waitShape(scene, { ...all(3, good), 'web-2': `+${better}` });
    await scene.setReady('web-0', false);
    const restarted = await crash(scene, 'web-2');
    const watch = await cluster.watch(pathOf(scene.namespace, 'Pod'));
    await scene.apply(set({ image: better, strategy: partition(0) }));
    const seen = await watch.until(({ object }) => object.metadata.name === 'web-0' && isGoing(object), 30_000);
    // With a settle time of 0 ten seconds are what is waited for.
    expect(askedToGo(seen.at(-1)?.object)).toBeGreaterThanOrEqual(restarted + 10_000);
    await waitShape(scene, all(3, better));
    watch.close();
  });

  it('[R1] does nothing to a set that is being deleted', async () => {
    const finalizers = ['e2e.holdfast.dev/stays'];
    const scene = await broken({}, 'web-0');
    const path = `${pathOf(scene.namespace, 'StatefulSet')}/web`;
    await scene.change('StatefulSet', 'web', { metadata: { finalizers } });
    await made(cluster.request('DELETE', path));
    await scene.change('StatefulSet', 'web', {
      spec: { template: { spec: { containers: [{ name: 'main', image: better }] } } },
    });
    try {
      await waitState(scene, /^idle: the StatefulSet is being deleted$/);
      await staysAsItIs(scene);
      expect((await shape(scene))['web-0']).toBe(`-${good}`);
    } finally {
      await scene.change('StatefulSet', 'web', { metadata: { finalizers: null } });
    }
  });
});

describe.skipIf(skipped).concurrent('who else has a say in a removal', () => {
  it('[R2] is not a PodDisruptionBudget, as for Kubernetes itself', async () => {
    const scene = await broken({}, 'web-0', 'web-1', 'web-2');
    await scene.apply(pdb('none', { maxUnavailable: 0 }));
    await scene.apply(set({ image: better }));
    await waitShape(scene, all(3, better));
  });

  it('[R2] is a PodUnavailableBudget, which lets a broken pod go', async () => {
    const scene = await broken({}, 'web-0');
    const budget = pub('all', { minAvailable: '100%' });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const before = await uidOf(scene, 'web-0');
    await scene.apply(set({ image: better }));
    await waitUntil(
      'web-0 is on the new template',
      () => shape(scene),
      (found) => found['web-0'] === `+${better}`,
    );
    expect(await uidOf(scene, 'web-0')).not.toBe(before);
  });

  it('[R2] is the disruption probe of a pod that still serves, under such a budget', async () => {
    const scene = await sceneIn(cluster);
    // No agent runs the probe, so what the application would say is unknown.
    const probe = { httpGet: { path: '/may-go', port: 8080 } };
    const podAnnotations = { [annotation.disruptionProbe]: JSON.stringify(probe) };
    await scene.apply(set({ replicas: 2, podAnnotations }));
    await waitShape(scene, all(2, good));
    const budget = pub('one', { maxUnavailable: 1 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.setReady('web-0', false);
    await scene.apply(set({ replicas: 1, podAnnotations }));
    await waitState(scene, /scale-down: the deletion of web-1 is refused: .*probe/i);
    expect(Object.keys(await shape(scene)).sort()).toEqual(['web-0', 'web-1']);
    await made(cluster.request('DELETE', `${pathOf(scene.namespace, 'PodUnavailableBudget')}/one`));
    await waitShape(scene, { 'web-0': `-${good}` });
    const told = await waitUntil(
      'events are told',
      () => eventsOf(scene, 'RolloutPodRemoved'),
      (events) => events.length === 2,
    );
    expect([...told].map((one) => one.split(':')[0]).sort()).toEqual(['Pod', 'StatefulSet']);
  });
});
