import { describe, expect, it } from 'vitest';
import { addNode } from './support/nodes.ts';
import { pdb, pod } from './support/objects.ts';
import { expectDone } from './support/refusals.ts';
import { conditionOf, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

/** An operator that was told to observe, while the namespaces are labelled as usual. */

const { cluster, skipped } = await suite({ mode: 'observe' });
const node = skipped ? '' : await addNode(cluster, 'any');

describe.skipIf(skipped)('an operator with --mode observe', () => {
  it('[E1] guards namespaces by their label, and refuses, reserves and completes nothing', async () => {
    const scene = await sceneIn(cluster);
    const labels = (shard: string) => ({ app: 'llm', shard });
    await scene.addPods(pod('a-0', { node, labels: labels('0') }), pod('a-1', { node, labels: labels('1') }));
    const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
    // It needs both groups. Kubernetes, which counts pods, allows one of three to go.
    await scene.addPods(pod('b-0', { node, labels: labels('0') }));
    await scene.apply(pdb('llm', { selector: { matchLabels: { app: 'llm' } }, minAvailable: 2 }, grouping));
    await scene.waitGuarded();
    await waitUntil(
      'the budget is observed, and counted by Kubernetes',
      () => scene.read('PodDisruptionBudget', 'llm'),
      (budget) =>
        conditionOf(budget, 'holdfast.dev/GroupBudget')?.reason === 'Observed' &&
        budget.status?.['disruptionsAllowed'] === 1,
    );
    const evicted = await scene.evict('a-1');
    expectDone(evicted);
    expect(String(evicted.headers['warning'])).toContain('Holdfast would refuse this');
    expect(await scene.reservations()).toEqual([]);
    expect((await scene.read('PodDisruptionBudget', 'llm')).metadata.annotations).not.toHaveProperty(
      'holdfast.dev/disruptions-allowed',
    );
  });
});
