import { describe, expect, it } from 'vitest';
import { made } from '../support/cluster.ts';
import { attack } from './support/attack.ts';
import { forge, forgedReview } from './support/forging.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod, pub } from './support/objects.ts';
import { contentTypes, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const paths = ['/pods?timeout=10s', `/${'a'.repeat(64)}/pods?timeout=10s`, '//pods?timeout=10s', '/?timeout=10s'];

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
    const reviews = (['CREATE', 'DELETE'] as const).map((operation) =>
      forgedReview({ namespace, name: 'web-0', operation }),
    );
    const answers = cluster.operators.flatMap(({ webhookPort }) =>
      paths.flatMap((path) => reviews.map((review) => forge(webhookPort, path, review))),
    );
    for (const answer of await Promise.all(answers)) expect(answer).toEqual({ code: 404, text: 'not found\n' });
    expect(await uids(scene)).toEqual(before);
    expect(await scene.reservations()).toEqual([]);
    const evicted = await scene.evict('web-1');
    expect(evicted.code, evicted.text).toBe(201);
  });
});

describe.skipIf(skipped)('a caller that knows the path', () => {
  it('[I13] has nothing done in a namespace that is not guarded, whatever budgets are there', async () => {
    const scene = await sceneIn(cluster);
    const { namespace } = scene;
    // Neither enabled nor disabled: the operator leaves it as it is, and API servers ask nothing.
    const labels = { 'holdfast.dev/guard': 'other' };
    await made(
      cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
        contentType: contentTypes.merge,
        body: { metadata: { labels } },
      }),
    );
    await scene.apply(pub('web', { maxUnavailable: 1 }));
    await scene.addPods(...['web-0', 'web-1'].map((name) => pod(name, { node, labels: { app: 'web' } })));
    const before = await uids(scene);
    const answers = cluster.operators.map((operator) =>
      forge(
        operator.webhookPort,
        `/${operator.pathSegment()}/pods?timeout=10s`,
        forgedReview({ namespace, name: 'web-0', operation: 'CREATE' }),
      ),
    );
    for (const { code, text } of await Promise.all(answers)) {
      expect({ code, allowed: JSON.parse(text).response.allowed }).toEqual({ code: 200, allowed: true });
    }
    expect(await uids(scene)).toEqual(before);
    expect(await scene.reservations()).toEqual([]);
  });
});

describe.skipIf(skipped)('callers that are not the API server', () => {
  it('[I13] cannot make a real eviction fail, whatever they send and however slowly', async () => {
    const scene = await sceneIn(cluster);
    const names = Array.from({ length: 3 }, (_, index) => `web-${index}`);
    await scene.addPods(...names.map((name) => pod(name, { node, labels: { app: 'web' } })));
    const budget = pub('web', { maxUnavailable: 3 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const ports = cluster.operators.map(({ webhookPort }) => webhookPort);
    const attacked = attack({ ports, namespaces: [scene.namespace] });
    const failures: string[] = [];
    const path = `/api/v1/namespaces/${scene.namespace}/pods`;
    const evict = async (name: string, query: string) => {
      const metadata = { name, namespace: scene.namespace };
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
      const answer = await cluster.request('POST', `${path}/${name}/eviction${query}`, { body });
      if (answer.code !== 201) failures.push(`${name}${query}: ${answer.code} ${answer.text}`);
    };
    try {
      for (const name of names) {
        // A wave has begun since the last one, and each connection of it is there.
        const wave = attacked.waves();
        while (attacked.waves() === wave) await evict(name, '?dryRun=All');
        await evict(name, '');
      }
    } finally {
      await attacked.stop();
    }
    expect(failures.slice(0, 3)).toEqual([]);
    expect(attacked.answers()).toEqual(['404 not found\n']);
  });
});
