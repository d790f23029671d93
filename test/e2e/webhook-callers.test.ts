import { describe, expect, it } from 'vitest';
import { forge, forgedReview } from './support/forging.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod, pub } from './support/objects.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const paths = ['/pods?timeout=10s', `/${'A'.repeat(43)}/pods?timeout=10s`, '//pods?timeout=10s', '/?timeout=10s'];

/** Three pods under budgets that let one of them go. */
async function guarded(): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const names = ['web-0', 'web-1', 'web-2'];
  await scene.addPods(...names.map((name) => pod(name, { node, labels: { app: 'web', shard: name } })));
  const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
  const budgets = [pdb('web', { maxUnavailable: 1 }, grouping), pub('web', { maxUnavailable: 1 })];
  await scene.apply(...budgets);
  for (const one of budgets) await scene.waitEnforced(one);
  return scene;
}

async function uids(scene: Scene): Promise<readonly string[]> {
  const pods = await scene.pods();
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.uid);
}

describe.skipIf(skipped)('a caller that is not the API server', () => {
  it('[I13] deletes nothing, reserves nothing and learns nothing', async () => {
    const scene = await guarded();
    const { namespace } = scene;
    const before = await uids(scene);
    for (const { webhookPort } of cluster.operators) {
      for (const path of paths) {
        for (const operation of ['CREATE', 'DELETE'] as const) {
          const answer = await forge(webhookPort, path, forgedReview({ namespace, name: 'web-0', operation }));
          expect(answer).toEqual({ code: 404, text: 'not found\n' });
        }
      }
    }
    expect(await uids(scene)).toEqual(before);
    expect(await scene.reservations()).toEqual([]);
    const evicted = await scene.evict('web-1');
    expect(evicted.code, evicted.text).toBe(201);
  });
});
