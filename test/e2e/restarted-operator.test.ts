import { describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/built.ts';
import { holdfastFor } from './support/holdfast.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod } from './support/objects.ts';
import { blockersOf, expectNotNow } from './support/refusals.ts';
import { conditionOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

/** What an operator must not forget when it is restarted. */

ensureBuilt();
const { cluster, skipped } = await suite();
const holdfast = skipped ? () => Promise.reject(new Error('skipped')) : holdfastFor(cluster.kubeconfig);
const node = skipped ? '' : await addNode(cluster, 'any');

/** Pods of shard a, and of shard b, of which one must serve. Nothing but the ledger says how many pods a shard has. */
async function shards(scene: Scene): Promise<void> {
  const names = ['a-0', 'a-1', 'a-2', 'a-3', 'b-0', 'b-1'];
  await scene.addPods(
    ...names.map((name) => pod(name, { node, goes: true, labels: { app: 'web', shard: name[0] ?? '' } })),
  );
  const budget = pdb(
    'shards',
    { minAvailable: 1 },
    { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' },
  );
  await scene.apply(budget);
  await scene.waitEnforced(budget);
}

async function keptSizes(scene: Scene): Promise<Readonly<Record<string, number>>> {
  const { spec } = await scene.read('DisruptionLedger', 'default');
  const sizes = (spec?.['sizes'] ?? []) as readonly { readonly unit: string; readonly size: number }[];
  return Object.fromEntries(sizes.map(({ unit, size }) => [unit, size]));
}

const standing = async (scene: Scene) =>
  conditionOf(await scene.read('PodDisruptionBudget', 'shards'), 'holdfast.dev/GroupBudget')?.message ?? '';

/** The process ends, and a new one takes its place. */
async function restart(): Promise<void> {
  for (const operator of cluster.operators) {
    cluster.balancer.remove(operator.webhookPort);
    await operator.stop();
  }
  await cluster.addReplica();
}

describe.skipIf(skipped)('a restarted operator', () => {
  it('[G5] [I1] still counts a group as down whose fourth pod is missing, and refuses what would overspend', async () => {
    const scene = await sceneIn(cluster);
    await shards(scene);
    await waitUntil(
      'the ledger keeps the sizes',
      () => keptSizes(scene),
      (sizes) => sizes['a'] === 4 && sizes['b'] === 2,
    );
    expect((await scene.remove('a-3')).code).toBe(200);
    await waitUntil(
      'pod a-3 is deleted',
      async () => (await scene.pod('a-3')).code,
      (code) => code === 404,
    );
    await waitUntil(
      'one group is available',
      () => standing(scene),
      (message) => message.startsWith('1 group available'),
    );
    const before = await scene.evict('b-0');
    expectNotNow(before);
    expect(blockersOf(before)).toEqual(['BudgetExhausted']);

    await restart();
    const after = await scene.evict('b-0');
    expectNotNow(after);
    expect(blockersOf(after)).toEqual(['BudgetExhausted']);
    expect(after.body.message).toContain('needs 1 available group and has 1');
    expect(await keptSizes(scene)).toEqual({ a: 4, b: 2 });
    expect(await standing(scene)).toMatch(/^1 group available/);

    const explained = await holdfast('explain', 'pod/b-0', '-n', scene.namespace);
    expect(explained.code).toBe(1);
    expect(explained.out).toContain('BudgetExhausted');
    const { out } = await holdfast('status', '-n', scene.namespace, '-o', 'json');
    const { budgets } = JSON.parse(out) as { budgets: object[] };
    expect(budgets).toMatchObject([{ available: 1, desired: 1, expected: 2, allowed: 0, down: ['a'] }]);
    const drained = ['--limit', '1h', '-o', 'json', '--', 'drain', node];
    const simulated = await holdfast('simulate', '--from-cluster', '-n', scene.namespace, ...drained);
    const { unfinished } = JSON.parse(simulated.out) as { unfinished: readonly { readonly pod: { name: string } }[] };
    expect(unfinished.map((one) => one.pod.name).filter((name) => name.startsWith('b'))).not.toEqual([]);
  });
});
