import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../testbed/src/find.ts';
import { programs } from '../../testbed/src/programs.ts';
import { startTestbed, type Testbed } from '../../testbed/src/start.ts';
import { holdfast } from '../e2e/support/holdfast-process.ts';
import { type Named, pub } from '../e2e/support/objects.ts';
import { type Scene, sceneIn } from '../e2e/support/scene.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { type ProtectedCluster, protectedCluster } from '../support/protected-cluster.ts';

/** It takes minutes to build, so it is tested where it is built already, or asked for. */
const isHere = findProgram(programs.kruise, process.env).kind === 'found';
const skipped = !isHere && process.env['HOLDFAST_TEST_KRUISE'] !== 'true';
const say = (line: string) => void process.stderr.write(`${line}\n`);

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const startMs = 600_000;
const replicas = 10;

let testbed: Testbed | undefined;
let cluster: ProtectedCluster;

beforeAll(async () => {
  if (skipped) return;
  // OpenKruise's workloads, and PodUnavailableBudgets by Holdfast: without its own webhooks for them, OpenKruise judges none.
  testbed = await startTestbed({
    addOns: ['kruise'],
    kruiseFeatureGates: 'PodUnavailableBudgetDeleteGate=false,PodUnavailableBudgetUpdateGate=false',
    say,
  });
  await holdfast(readFileSync(testbed.kubeconfigPath, 'utf8'), 'install', '--crds-only');
  const base = await testCluster({ controllers: true, existing: testbed.kubeconfigPath });
  await made(base.request('DELETE', `${configurations}/kruise-validating-webhook-configuration`));
  cluster = await protectedCluster({ base });
}, startMs);

afterAll(async () => {
  await cluster?.close();
  await testbed?.stop();
});

const cloneSet = (image: string): Named => ({
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    // All at once, if no budget says no.
    updateStrategy: { type: 'InPlaceOnly', maxUnavailable: '100%' },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
  },
});

async function writeCloneSet(scene: Scene, image: string): Promise<void> {
  const path = `/apis/apps.kruise.io/v1alpha1/namespaces/${scene.namespace}/clonesets/web`;
  const options = { contentType: 'application/apply-patch+yaml', body: cloneSet(image) };
  await made(cluster.request('PATCH', `${path}?fieldManager=e2e&force=true`, options));
}

function imageOf({ spec }: Body): string | undefined {
  return (spec['containers'] as readonly { image: string }[])[0]?.image;
}

async function withImage(scene: Scene, image: string): Promise<number> {
  return (await scene.pods('app=web')).filter((one) => imageOf(one) === image).length;
}

describe.skipIf(skipped)('a CloneSet that updates its pods in place, under a PodUnavailableBudget', () => {
  const budget = pub('eight', { minAvailable: 8 });

  async function tenPods(): Promise<Scene> {
    const scene = await sceneIn(cluster);
    await writeCloneSet(scene, 'example.com/app:1');
    await scene.apply(budget);
    await scene.waitReady(replicas, 'app=web');
    await scene.waitGuarded();
    await waitUntil(
      'the budget counts its pods',
      () => scene.read('PodUnavailableBudget', 'eight'),
      ({ status }) => status?.['currentAvailable'] === replicas && status['unavailableAllowed'] === 2,
    );
    return scene;
  }

  it('stops where the budget ends when the image does not exist, and goes on with another', async () => {
    const scene = await tenPods();
    const broken = 'example.com/app:broken';
    await writeCloneSet(scene, broken);
    await waitUntil(
      'two pods are updated',
      () => withImage(scene, broken),
      (count) => count >= 2,
      { withinMs: 60_000 },
    );
    const end = performance.now() + 30_000;
    while (performance.now() < end) {
      expect(await withImage(scene, broken)).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await writeCloneSet(scene, 'example.com/app:3');
    await waitUntil(
      'all pods are updated',
      () => withImage(scene, 'example.com/app:3'),
      (count) => count === replicas,
      { withinMs: 300_000, everyMs: 500 },
    );
    await scene.waitReady(replicas, 'app=web');
  }, 500_000);

  it('updates all of them, a few at a time', async () => {
    const scene = await tenPods();
    await writeCloneSet(scene, 'example.com/app:2');
    await waitUntil(
      'all pods are updated',
      () => withImage(scene, 'example.com/app:2'),
      (count) => count === replicas,
      { withinMs: 300_000, everyMs: 500 },
    );
    await waitUntil(
      'nothing is reserved any more',
      () => scene.reservations(),
      (reservations) => reservations.length === 0,
      { withinMs: 60_000 },
    );
  }, 500_000);
});
