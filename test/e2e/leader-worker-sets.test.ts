import { describe, expect, it } from 'vitest';
import { lwsCrd } from '../../packages/embedded-cluster/src/controllers/leaderworkerset/lws-crd.ts';
import { byLabel, observeAvailability } from '../support/availability.ts';
import { addDefinition } from './support/definitions.ts';
import { addNode } from './support/nodes.ts';
import { leaderWorkerSet, type Named, pdb, pod, pub } from './support/objects.ts';
import { expectDone, expectNotNow, isDone, isDoneOrNotNow } from './support/refusals.ts';
import { conditionOf, type Scene, sceneIn } from './support/scene.ts';
import { serves, suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const lwsApi = '/apis/leaderworkerset.x-k8s.io/v1';
if (!skipped && cluster.embedded) await addDefinition(cluster, lwsCrd, lwsApi);
const hasLws = !skipped && (await serves(cluster, lwsApi));
const node = skipped ? '' : await addNode(cluster, 'any');

describe.skipIf(!hasLws).concurrent('groups of a LeaderWorkerSet', () => {
  const groupKey = 'leaderworkerset.sigs.k8s.io/group-index';
  const podGroupPolicy = { groupLabelKey: groupKey, minReadyReplicas: 3 };
  const selector = { matchLabels: { app: 'llm-serving' } };

  async function serving(budget: Named): Promise<Scene> {
    const scene = await sceneIn(cluster);
    await scene.apply(leaderWorkerSet('llm-serving', 3, 3), budget);
    await scene.waitReady(9, 'app=llm-serving');
    await scene.waitEnforced(budget);
    return scene;
  }

  const byGroups = pub('llm-serving-budget', { selector, maxUnavailable: 1, podGroupPolicy });

  it('[I10] are counted whole: one that lost a worker is down, and what is left of it may go', async () => {
    const scene = await serving(byGroups);
    await scene.setReady('llm-serving-0-1', false);
    const { status } = await waitUntil(
      'the budget knows that a group is down',
      () => scene.read('PodUnavailableBudget', 'llm-serving-budget'),
      (budget) => budget.status?.['currentAvailable'] === 2,
    );
    expect(status).toMatchObject({
      desiredAvailable: 2,
      totalReplicas: 3,
      unavailableReplicas: 1,
      unavailableAllowed: 0,
    });
    expect(Object.keys(status['unavailablePodGroups'] as object)).toEqual(['0']);
    for (const name of ['llm-serving-1', 'llm-serving-1-1', 'llm-serving-2-2']) {
      expectNotNow(await scene.evict(name));
      expectNotNow(await scene.remove(name));
    }
    // The leader goes, and its controller replaces the whole group: no webhook is in its way.
    expectDone(await scene.remove('llm-serving-0'));
    await waitUntil(
      'the group is back',
      () => scene.read('PodUnavailableBudget', 'llm-serving-budget'),
      (budget) => budget.status?.['currentAvailable'] === 3,
    );
  });

  it.each([
    ['a PodUnavailableBudget', byGroups],
    [
      'both limits of a PodUnavailableBudget',
      pub('llm-serving-budget', { selector, maxUnavailable: 2, minAvailable: 2, podGroupPolicy }),
    ],
    ['a PodDisruptionBudget', pdb('llm', { selector, maxUnavailable: 1 }, { 'holdfast.dev/budget-scope': 'PodGroup' })],
  ])('[I1] go one at a time under %s, whichever client asks for how many', async (_, budget) => {
    const scene = await serving(budget);
    const observer = await observeAvailability(cluster, {
      namespace: scene.namespace,
      unitOf: byLabel(groupKey),
      minimum: 3,
    });
    expect(observer.available).toBe(3);
    const names = (await scene.pods()).map(({ metadata }) => metadata.name);
    const answers = await Promise.all(names.map((name) => scene.evict(name)));
    const codes = answers.map(({ code }) => code);
    expect(answers.filter(isDone).length, codes.join()).toBeGreaterThanOrEqual(1);
    expect(codes.filter((code) => code === 429).length).toBeGreaterThanOrEqual(1);
    expect(answers.filter((one) => !isDoneOrNotNow(one))).toEqual([]);
    await scene.waitReady(9, 'app=llm-serving');
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(2);
    observer.close();
  });

  it('of two sets are different groups although their indexes are the same', async () => {
    const scene = await sceneIn(cluster);
    const llm = { matchExpressions: [{ key: 'app', operator: 'In', values: ['llm-a', 'llm-b'] }] };
    const policy = { groupLabelKey: groupKey, minReadyReplicas: 2 };
    const budget = pub('both', { selector: llm, minAvailable: 1, podGroupPolicy: policy });
    await scene.apply(leaderWorkerSet('llm-a', 1, 2), leaderWorkerSet('llm-b', 1, 2), budget);
    await scene.waitReady(4);
    await waitUntil(
      'the budget counts two groups',
      async () => (await scene.read('PodUnavailableBudget', 'both')).status,
      (status) => status?.['totalReplicas'] === 2 && status['currentAvailable'] === 2,
    );
    await scene.waitEnforced(budget);
    await scene.setReady('llm-a-0-1', false);
    await waitUntil(
      'the budget names the group that is down by its set',
      async () =>
        Object.keys(
          ((await scene.read('PodUnavailableBudget', 'both')).status['unavailablePodGroups'] ?? {}) as object,
        ),
      (names) => names.join() === 'llm-a/0',
    );
    expectNotNow(await scene.evict('llm-b-0-1'));
  });

  it('protect pods without the label one by one, and say so', async () => {
    const scene = await sceneIn(cluster);
    const budget = pub('by-shard', {
      minAvailable: 2,
      podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas: 2 },
    });
    const shard = { app: 'web', shard: 's1' };
    await scene.addPods(
      pod('s1-a', { node, labels: shard }),
      pod('s1-b', { node, labels: shard }),
      pod('alone', { node }),
    );
    await scene.apply(budget);
    const standing = await scene.waitEnforced(budget);
    expect(conditionOf(standing, 'MissingGroupLabel')).toMatchObject({
      status: 'True',
      message: '1 pod has no label shard, so it is a unit of its own: alone',
    });
    expectNotNow(await scene.evict('alone'));
    expectNotNow(await scene.remove('s1-b'));
    const moved = await scene.patchPod('s1-a', { metadata: { labels: { shard: 's2' } } });
    expectNotNow(moved);
  });
});
