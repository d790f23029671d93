import { describe, expect, it } from 'vitest';
import { made } from '../support/cluster.ts';
import { waitCounted } from './support/counted.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod, pub, workload } from './support/objects.ts';
import { expectDone, expectNotNow, isDone, isDoneOrNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const podName = 'statefulset.kubernetes.io/pod-name';
const only = (name: string) => ({ selector: { matchLabels: { [podName]: name } } });
const all = (app: string) => ({ selector: { matchLabels: { app } } });

async function threeReplicas(name: string, ...budgets: readonly Named[]): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await scene.apply(workload('StatefulSet', name, 3));
  await scene.waitReady(3);
  await scene.apply(...budgets);
  return scene;
}

/** Asks for all of them at once until one goes; how many went with it. */
async function evictedOf(scene: Scene, names: readonly string[]): Promise<number> {
  const ask = async () => {
    const answers = await Promise.all(names.map((name) => scene.evict(name)));
    expect(answers.filter((one) => !isDoneOrNotNow(one)).map(({ text }) => text)).toEqual([]);
    return answers.filter(isDone).length;
  };
  return waitUntil('a pod goes', ask, (count) => count > 0, { withinMs: 60_000 });
}

const ours = {
  'a PodDisruptionBudget over groups': pdb(
    'ours',
    { ...only('x-0'), minAvailable: 0 },
    {
      'holdfast.dev/budget-scope': 'PodGroup',
      'holdfast.dev/group-label': podName,
    },
  ),
  'a PodUnavailableBudget': pub('ours', { ...only('x-0'), minAvailable: 0 }),
};

describe.skipIf(skipped).concurrent('a plain budget over all pods, of which one is also under another budget', () => {
  it.each(Object.entries(ours))('[I1] [P2] is spent once: %s', async (_kind, budget) => {
    const rounds = Array.from({ length: 6 }, async () => {
      const scene = await sceneIn(cluster);
      // Pods that never go entirely: an eviction by name must not meet a successor.
      await scene.addPods(
        ...['x-0', 'x-1', 'x-2'].map((name) => pod(name, { node, labels: { app: 'x', [podName]: name } })),
      );
      await scene.apply(pdb('plain', { ...all('x'), minAvailable: 2 }), budget);
      await scene.waitEnforced(budget);
      await waitCounted(scene, 'plain', 1);
      return evictedOf(scene, ['x-0', 'x-1']);
    });
    expect(await Promise.all(rounds)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('[P3] is counted again where Kubernetes has left it uncounted: of two budgets over a pod it counts one', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(
      pod('a', { node, labels: { app: 'web', shard: '0' } }),
      ...['b', 'c'].map((name) => pod(name, { node })),
    );
    const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
    const budget = pdb('first', { selector: { matchLabels: { shard: '0' } }, minAvailable: 0 }, grouping);
    await scene.apply(pdb('plain', { minAvailable: 2 }), budget);
    await scene.waitEnforced(budget);
    await waitCounted(scene, 'plain', 1);
    // Kubernetes sees the pod fail for the one budget, and come back for the other.
    await scene.setReady('a', false);
    await made(
      scene.change('PodDisruptionBudget', 'plain', { metadata: { annotations: { 'e2e.holdfast.dev/look': '1' } } }),
    );
    await waitCounted(scene, 'plain', 0);
    await scene.setReady('a', true);
    expect(await evictedOf(scene, ['b'])).toBe(1);
  });

  it('[P2] [P3] refuses the pods that only it selects, and says so, while another one is on its way out', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(
      pod('a', { node, labels: { app: 'web', shard: '0' } }),
      ...['b', 'c'].map((name) => pod(name, { node })),
    );
    const budget = pub('first', { selector: { matchLabels: { shard: '0' } }, minAvailable: 0 });
    await scene.apply(pdb('plain', { minAvailable: 2 }), budget);
    await scene.waitEnforced(budget);
    await waitCounted(scene, 'plain', 1);
    expectDone(await scene.evict('a'));
    const refused = await scene.evict('b');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PDB plain requires all 2 of the 2 pods that exist (2 available now');
    expect((await scene.reservations()).map((one) => one.pod)).not.toContain('b');
  });
});

describe.skipIf(skipped).concurrent('a pod that a plain budget keeps', () => {
  it('[I3] [P2] holds no place in the PodUnavailableBudget over its siblings: they go at once', async () => {
    const budget = pub('slots', { ...all('s'), maxUnavailable: 1 });
    const scene = await threeReplicas('s', pdb('pinned', { ...only('s-0'), maxUnavailable: 0 }), budget);
    await scene.waitEnforced(budget);
    const refused = await scene.evict('s-0');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PDB pinned');
    expect(await scene.reservations()).toEqual([]);
    const done = await scene.evict('s-1');
    expect(isDone(done), done.text).toBe(true);
  });

  it('[I3] [P2] is told by name, also of two plain budgets, where the eviction API alone answers 500', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node })));
    const budget = pub('all', { minAvailable: 0 });
    await scene.apply(pdb('first', { minAvailable: 1 }), pdb('second', { minAvailable: 2 }), budget);
    await scene.waitEnforced(budget);
    await waitCounted(scene, 'first', 2);
    await waitCounted(scene, 'second', 1);
    expectDone(await scene.evict('a'));
    const refused = await scene.evict('b');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PDB second');
  });
});
