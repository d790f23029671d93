import { describe, expect, it } from 'vitest';
import { isReady } from '../support/availability.ts';
import { pub } from './support/objects.ts';
import {
  all,
  brokenPods,
  enforced,
  eventsOf,
  images,
  type SetWish,
  set,
  shape,
  stateOf,
  statesUntil,
  staysAsItIs,
  waitShape,
  waitState,
} from './support/rollouts.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const { good, better, broken, worse } = images;

/** A set whose rollout of a broken template is stuck at its highest pod. */
async function stuck(wish: SetWish = {}): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await scene.apply(set(wish));
  await waitShape(scene, all(3, good));
  await scene.apply(set({ ...wish, image: broken }));
  await waitShape(scene, { ...all(3, good), 'web-2': `-${broken}` });
  return scene;
}

/** All of them. */
async function allBroken(strategy: object): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await brokenPods(scene, { strategy }, 'web-0', 'web-1', 'web-2');
  return scene;
}

/** From web-0 on. */
async function uidsOf(scene: Scene): Promise<readonly string[]> {
  const pods = [...(await scene.pods())].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  return pods.map(({ metadata }) => metadata.uid);
}

describe.skipIf(skipped).concurrent('a broken template, then a fixed one', () => {
  it('leaves a RollingUpdate stuck, as Kubernetes has it', async () => {
    const strategy = { type: 'RollingUpdate' };
    const scene = await stuck({ strategy });
    await scene.apply(set({ strategy, image: better }));
    await staysAsItIs(scene);
    expect(await shape(scene)).toEqual({ ...all(3, good), 'web-2': `-${broken}` });
    expect(await stateOf(scene)).toBeUndefined();
  });

  it('[R1] is repaired with EnforcedRollingUpdate, and then rolled by Kubernetes', async () => {
    const scene = await stuck();
    await waitState(scene, /^blocked by web-2: not ready on the update revision/);
    const watch = await cluster.watch(`/apis/apps/v1/namespaces/${scene.namespace}/statefulsets`);
    await scene.apply(set({ image: better }));
    await waitShape(scene, all(3, better));
    const states = await statesUntil(watch, /^idle: every replica is healthy and on the update revision$/);
    expect(states.filter((state) => state.startsWith('deleted'))).toEqual([
      expect.stringMatching(
        /^deleted web-2: it was not ready on revision web-\w+, and its replacement has revision web-\w+$/,
      ),
    ]);
    watch.close();
    const told = await waitUntil(
      'events are told',
      () => eventsOf(scene, 'RolloutPodReplaced'),
      (events) => events.length === 2,
    );
    expect([...told].sort()[0]).toMatch(/^Pod: deleted pod web-2, which was not ready on the old revision web-/);
  });

  it('[R1] is repaired from the lowest up when the first template of all was broken', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(set({ image: broken }));
    await waitShape(scene, { 'web-0': `-${broken}` });
    await scene.apply(set({ image: good }));
    await waitShape(scene, all(3, good));
  });

  it('[R1] is repaired pod by pod when all are broken, and each goes once', async () => {
    const scene = await allBroken(enforced);
    const before = await uidsOf(scene);
    const watch = await cluster.watch(`/api/v1/namespaces/${scene.namespace}/pods`);
    await scene.apply(set({ image: better }));
    await waitShape(scene, all(3, better));
    const after = await uidsOf(scene);
    const seen = await watch.until(({ object }) => object.metadata.uid === after[2] && isReady(object));
    expect(new Set(seen.map(({ object }) => object.metadata.uid))).toEqual(new Set([...before, ...after]));
    watch.close();
  });

  it('would come back on the old template without rollingUpdate, which is why it is added', async () => {
    const scene = await allBroken({ type: 'RollingUpdate' });
    const [first] = await uidsOf(scene);
    await scene.change('StatefulSet', 'web', {
      spec: { template: { spec: { containers: [{ name: 'main', image: better }] } } },
    });
    await waitUntil(
      'Kubernetes has seen the template',
      () => scene.read('StatefulSet', 'web'),
      ({ metadata, status }) => status['observedGeneration'] === metadata.generation,
    );
    await scene.remove('web-0');
    await waitUntil(
      'another web-0 is ready',
      () => scene.pod('web-0'),
      ({ body, code }) => code === 200 && body.metadata.uid !== first && isReady(body),
    );
    expect((await shape(scene))['web-0']).toBe(`+${good}`);
  });

  it('[R2] goes no deeper with another broken one: one pod is tried, and stops everything', async () => {
    const scene = await stuck();
    await scene.apply(set({ image: worse }));
    await waitShape(scene, { ...all(3, good), 'web-2': `-${worse}` });
    await waitState(scene, /^blocked by web-2/);
    await staysAsItIs(scene);
  });

  for (const strategy of [{ type: 'RollingUpdate' }, enforced]) {
    it(`is repaired by Kubernetes itself with ${strategy.type} and Parallel`, async () => {
      const scene = await stuck({ strategy, policy: 'Parallel' });
      await scene.apply(set({ strategy, policy: 'Parallel', image: better }));
      await waitShape(scene, all(3, better));
      expect(await eventsOf(scene, 'RolloutPodReplaced')).toEqual([]);
    });
  }

  it('waits for the settle time', async () => {
    const annotations = { 'holdfast.dev/rollout-settle-seconds': '600' };
    const scene = await stuck({ annotations });
    await scene.apply(set({ annotations, image: better }));
    await waitState(scene, /^waiting for web-2: not ready and on an old revision, to be replaced at /);
    await staysAsItIs(scene, 500);
    await scene.change('StatefulSet', 'web', {
      metadata: { annotations: { 'holdfast.dev/rollout-settle-seconds': '0' } },
    });
    await waitShape(scene, all(3, better));
  });

  it('does nothing below the partition, and goes on when that is lowered', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(set({ image: good }));
    await waitShape(scene, all(3, good));
    const partition = (count: number) => ({ ...enforced, rollingUpdate: { partition: count } });
    await scene.apply(set({ image: better, strategy: partition(3) }));
    await waitState(scene, /^idle: every replica is healthy; the partition holds back the rest$/);
    await scene.setReady('web-1', false);
    await waitState(scene, /^blocked by web-1: not ready, and the partition updates ordinals from 3 only/);
    await staysAsItIs(scene, 500);
    await scene.apply(set({ image: better, strategy: partition(1) }));
    await waitShape(scene, { ...all(3, better), 'web-0': `+${good}` });
  });
});

describe.skipIf(skipped).concurrent('a scale-down behind a broken pod', () => {
  async function scaledDown(): Promise<Scene> {
    const scene = await sceneIn(cluster);
    await scene.apply(set({ replicas: 4 }));
    await waitShape(scene, all(4, good));
    return scene;
  }

  it('[R3] goes on, highest first', async () => {
    const scene = await scaledDown();
    await scene.setReady('web-0', false);
    const watch = await cluster.watch(`/api/v1/namespaces/${scene.namespace}/pods`);
    await scene.apply(set({ replicas: 2 }));
    await waitShape(scene, { 'web-0': `-${good}`, 'web-1': `+${good}` });
    const seen = await watch.until(({ type, object }) => type === 'DELETED' && object.metadata.name === 'web-2');
    // The second one does not go before the first is gone.
    const goes = seen.filter(
      ({ type, object }) => type === 'DELETED' || object.metadata.deletionTimestamp !== undefined,
    );
    const order = goes.map(({ object }) => object.metadata.name);
    expect(order.lastIndexOf('web-3')).toBeLessThan(order.indexOf('web-2'));
    watch.close();
    const told = await waitUntil(
      'events are told',
      () => eventsOf(scene, 'RolloutPodRemoved'),
      (events) => events.length === 4,
    );
    expect(told.join('\n')).toContain(
      'deleted pod web-3, which is beyond the replicas of StatefulSet web, although web-0 is not ready',
    );
  });

  it('[R2] is refused by a budget, says so, and goes on when that is gone', async () => {
    const scene = await scaledDown();
    const budget = pub('all', { minAvailable: '100%' });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.setReady('web-0', false);
    await scene.apply(set({ replicas: 3 }));
    await waitState(scene, /scale-down: the deletion of web-3 is refused: .*all/);
    expect(Object.keys(await shape(scene)).sort()).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
    await cluster.request(
      'DELETE',
      `/apis/policy.kruise.io/v1alpha1/namespaces/${scene.namespace}/podunavailablebudgets/all`,
    );
    await waitShape(scene, { ...all(3, good), 'web-0': `-${good}` });
  });
});

describe.skipIf(skipped).concurrent('[R4] opting out', () => {
  const ways: Readonly<Record<string, object>> = {
    'by the stop annotation': { 'holdfast.dev/rollout-stop': 'true' },
    'by taking the annotation away': { 'holdfast.dev/update-strategy': null },
  };
  for (const [sentence, annotations] of Object.entries(ways)) {
    it(sentence, async () => {
      const scene = await stuck();
      await scene.change('StatefulSet', 'web', { metadata: { annotations } });
      const template = { spec: { containers: [{ name: 'main', image: better }] } };
      await scene.change('StatefulSet', 'web', { spec: { template } });
      await waitUntil(
        'the state tells',
        () => stateOf(scene),
        (state) => state === undefined || state === 'off: stopped by the annotation holdfast.dev/rollout-stop',
      );
      await staysAsItIs(scene);
      const back = { 'holdfast.dev/rollout-stop': null, 'holdfast.dev/update-strategy': 'EnforcedRollingUpdate' };
      await scene.change('StatefulSet', 'web', { metadata: { annotations: back } });
      await waitShape(scene, all(3, better));
    });
  }
});
