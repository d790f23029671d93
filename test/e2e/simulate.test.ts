import { describe, expect, it } from 'vitest';
import type { SimulationResult } from '../../packages/holdfast/src/cli/simulate/simulation-result.ts';
import { reading, userWith } from '../../packages/holdfast/test/cli/live/support.ts';
import { ensureBuilt } from '../../test/support/built.ts';
import { holdfastFor } from './support/holdfast.ts';
import { addNode, poolLabel, toleration } from './support/nodes.ts';
import { pdb, workload } from './support/objects.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

ensureBuilt();
const { cluster, skipped } = await suite();

/** The user who takes a snapshot may read, and nothing else. */
const readOnly = [{ apiGroups: ['*'], resources: ['*'], verbs: reading }];

const pods = (scene: Scene) => `/api/v1/namespaces/${scene.namespace}/pods`;

/** Three pods of each kind of workload on the nodes of a pool, and a budget over all of them. */
async function shopOn(scene: Scene, pool: string): Promise<void> {
  const spec = {
    terminationGracePeriodSeconds: 1,
    nodeSelector: { [poolLabel]: pool },
    tolerations: [toleration],
    containers: [{ name: 'main', image: 'example.com/app:1', resources: { requests: { cpu: '1' } } }],
  };
  const template = (app: string) => ({ template: { metadata: { labels: { app, tier: 'web' } }, spec } });
  await scene.apply(
    workload('StatefulSet', 'db', 3, template('db')),
    workload('Deployment', 'web', 3, template('web')),
  );
  await scene.waitReady(6, 'tier=web');
  await scene.apply(pdb('shop', { minAvailable: 5, selector: { matchLabels: { tier: 'web' } } }));
}

describe.skipIf(skipped)('holdfast simulate --from-cluster', () => {
  it('reads, by the rights to read alone, and plays through a drain of what is there', async () => {
    const scene = await sceneIn(cluster);
    const pool = scene.namespace;
    const nodes = [await addNode(cluster, 'sim-a', { pool }), await addNode(cluster, 'sim-b', { pool })];
    await shopOn(scene, pool);
    const before = await cluster.request('GET', pods(scene));
    const holdfast = holdfastFor(await userWith(cluster, 'simulating', readOnly));
    const asked = ['simulate', '--from-cluster', '-n', scene.namespace, '-o', 'json', '--', 'drain', nodes[0] ?? ''];
    const { code, out, err } = await holdfast(...asked);
    expect(err).toBe(
      `warning: only namespace ${scene.namespace} is simulated: pods of others take no room, and are not drained\n`,
    );
    expect(code).toBe(0);
    const result: SimulationResult = JSON.parse(out);
    const there = podsOn(before, nodes[0] ?? '');
    const evicted = result.timeline.flatMap((event) => (event.kind === 'evicted' ? [event.pod.name] : []));
    expect(evicted.toSorted()).toEqual(there.toSorted());
    // Nothing was replaced before it began, and only the drain took anything away: the controllers know the pods as theirs.
    expect(result.timeline.filter(({ kind }) => kind === 'removed')).toEqual([]);
    expect(result.budgets).toMatchObject([{ desired: 5, available: 6, lowest: there.length > 0 ? 5 : 6 }]);
    expect(result.timeline.flatMap((event) => (event.kind === 'ready' ? [event.pod.node] : []))).toEqual(
      there.map(() => nodes[1]),
    );
    expect(podsOn(await cluster.request('GET', pods(scene)), nodes[0] ?? '')).toEqual(there);
  });

  it('says what may not be read, and does without', async () => {
    const scene = await sceneIn(cluster);
    const pool = scene.namespace;
    const node = await addNode(cluster, 'sim-c', { pool });
    await shopOn(scene, pool);
    const rules = [
      { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: reading },
      { apiGroups: ['apps', 'policy', 'policy.kruise.io', 'holdfast.dev'], resources: ['*'], verbs: reading },
    ];
    const holdfast = holdfastFor(await userWith(cluster, 'partly', rules));
    const { out, err } = await holdfast('simulate', '--from-cluster', '-n', scene.namespace, '--', 'drain', node);
    expect(err).toContain('objects of kind Node may not be read');
    expect(out).toContain(`1 node is made up, because pods are on it: ${node}`);
    expect(out).toContain('1 pod evicted');
  });

  it('[K1] gives no answer without budgets', async () => {
    const scene = await sceneIn(cluster);
    const node = await addNode(cluster, 'sim-d', { pool: scene.namespace });
    await shopOn(scene, scene.namespace);
    const rules = [{ apiGroups: ['', 'apps'], resources: ['*'], verbs: reading }];
    const holdfast = holdfastFor(await userWith(cluster, 'unsure', rules));
    const { code, out, err } = await holdfast('simulate', '--from-cluster', '-n', scene.namespace, '--', 'drain', node);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('error: unknown: you may not list poddisruptionbudgets.policy (ClusterRole view grants it)');
  });

  it('gives up without pods', async () => {
    const scene = await sceneIn(cluster);
    const rules = [{ apiGroups: [''], resources: ['nodes', 'namespaces'], verbs: reading }];
    const holdfast = holdfastFor(await userWith(cluster, 'blind', rules));
    const { code, out, err } = await holdfast('simulate', '--from-cluster', '-n', scene.namespace, '--', 'upgrade');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('error: pods cannot be read');
    expect(err).toContain('-n NAMESPACE');
  });
});

function podsOn(answer: { readonly body: unknown }, node: string): readonly string[] {
  const { items } = answer.body as { items: { metadata: { name: string }; spec: { nodeName?: string } }[] };
  return items.filter(({ spec }) => spec.nodeName === node).map(({ metadata }) => metadata.name);
}
