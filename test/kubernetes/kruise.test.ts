import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../testbed/src/find.ts';
import { programs } from '../../testbed/src/programs.ts';
import { startTestbed, type Testbed } from '../../testbed/src/start.ts';
import { holdfast } from '../e2e/support/holdfast-process.ts';
import { addNode } from '../e2e/support/nodes.ts';
import { pdb, pod, pub } from '../e2e/support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from '../e2e/support/refusals.ts';
import { type Scene, sceneIn } from '../e2e/support/scene.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { made, testCluster } from '../support/cluster.ts';
import { type ProtectedCluster, protectedCluster } from '../support/protected-cluster.ts';

/** It takes minutes to build, so it is tested where it is built already, or asked for. */
const isHere = findProgram(programs.kruise, process.env).kind === 'found';
const skipped = !isHere && process.env['HOLDFAST_TEST_KRUISE'] !== 'true';
const say = (line: string) => void process.stderr.write(`${line}\n`);
if (skipped) say('skipped: OpenKruise is not in the cache of the test bed. HOLDFAST_TEST_KRUISE=true builds it.');

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podunavailablebudgets.policy.kruise.io';
const startMs = 600_000;

let testbed: Testbed | undefined;
let cluster: ProtectedCluster;
let node: string;
let installed: { readonly code: number | null; readonly out: string; readonly err: string };

beforeAll(async () => {
  if (skipped) return;
  // One of its own: here Holdfast is the one who comes second.
  testbed = await startTestbed({ addOns: ['kruise'], say });
  installed = await holdfast(readFileSync(testbed.kubeconfigPath, 'utf8'), 'install', '--crds-only');
  const base = await testCluster({ controllers: true, existing: testbed.kubeconfigPath });
  cluster = await protectedCluster({ base });
  node = await addNode(cluster, 'any');
}, startMs);

afterAll(async () => {
  await cluster?.close();
  await testbed?.stop();
});

const budget = pub('two', { minAvailable: 2 });

/** Three pods without a controller, which a PUB counts all the same. */
async function podsUnderPub(): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await scene.apply(budget);
  await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node })));
  await waitUntil(
    'the budget counts its pods',
    () => scene.read('PodUnavailableBudget', 'two'),
    ({ status }) => status?.['currentAvailable'] === 3 && status['unavailableAllowed'] === 1,
  );
  return scene;
}

/** Who wrote something into it. */
async function writersOf(scene: Scene): Promise<readonly string[]> {
  const { metadata } = await scene.read('PodUnavailableBudget', 'two');
  const fields = (metadata as { readonly managedFields?: readonly { readonly manager: string }[] }).managedFields;
  return (fields ?? []).map(({ manager }) => manager).sort();
}

describe.skipIf(skipped)('beside OpenKruise', () => {
  it('its definition of PodUnavailableBudgets stays, and `holdfast install` says so', async () => {
    expect(installed).toMatchObject({ code: 0 });
    expect(`${installed.out}${installed.err}`).toMatch(/podunavailablebudgets\.policy\.kruise\.io.*controller-gen/);
    const { spec } = await made(cluster.request('GET', definition));
    const versions = spec?.['versions'] as readonly { readonly name: string }[];
    expect(versions.map(({ name }) => name)).toEqual(['v1alpha1']);
  });

  it('a PodUnavailableBudget is left to it: it alone refuses, counts and writes', async () => {
    const scene = await podsUnderPub();
    expectDone(await scene.evict('a'));
    const refused = await scene.evict('b');
    expect(refused.code).toBeGreaterThanOrEqual(400);
    expect(refused.text).toContain('vpodeviction.kb.io');
    expect(refused.text).not.toContain('holdfast');
    expect(blockersOf(refused)).toEqual([]);
    expect(await scene.reservations()).toEqual([]);
    expect((await writersOf(scene)).filter((name) => name.includes('holdfast'))).toEqual([]);
    const { metadata } = await made(cluster.request('GET', `/api/v1/namespaces/${scene.namespace}`));
    expect(metadata.labels).not.toHaveProperty(['holdfast.dev/guard']);
  });

  it('a PodDisruptionBudget over groups is ours all the same', async () => {
    const scene = await sceneIn(cluster);
    const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
    const ofShard = (shard: string, name: string) => pod(name, { node, labels: { app: 'web', shard } });
    await scene.addPods(ofShard('x', 'x-0'), ofShard('x', 'x-1'), ofShard('y', 'y-0'), ofShard('y', 'y-1'));
    const shards = pdb('shards', { minAvailable: 1 }, grouping);
    await scene.apply(shards);
    await scene.waitEnforced(shards);
    expectDone(await scene.evict('x-0'));
    const refused = await scene.evict('y-0');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
  });

  it('when its webhooks are gone, PodUnavailableBudgets are protected by Holdfast', async () => {
    const scene = await podsUnderPub();
    const name = 'kruise-validating-webhook-configuration';
    const { metadata, ...kept } = await made(cluster.request('GET', `${configurations}/${name}`));
    await made(cluster.request('DELETE', `${configurations}/${name}`));
    try {
      await scene.waitGuarded();
      expectDone(await scene.evict('a'));
      const refused = await scene.evict('b');
      expectNotNow(refused);
      expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
    } finally {
      await made(cluster.request('POST', configurations, { body: { ...kept, metadata: { name: metadata.name } } }));
    }
  });
});
