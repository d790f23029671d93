import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, it } from 'vitest';
import { parse } from 'yaml';
import { addNode } from '../../../../../test/e2e/support/nodes.ts';
import { pod, pub } from '../../../../../test/e2e/support/objects.ts';
import { expectDone, expectNotNow } from '../../../../../test/e2e/support/refusals.ts';
import { sceneIn } from '../../../../../test/e2e/support/scene.ts';
import { waitUntil } from '../../../../../test/e2e/support/wait.ts';
import { made, testCluster } from '../../../../../test/support/cluster.ts';
import { type ProtectedCluster, protectedCluster } from '../../../../../test/support/protected-cluster.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** As OpenKruise's own: it serves v1alpha1 alone, and `holdfast install` leaves it as it is. */
function olderDefinition(): object {
  const { metadata, spec, ...rest } = parse(readFileSync('deploy/crds/podunavailablebudgets.yaml', 'utf8'));
  const versions = spec.versions
    .filter(({ name }: { readonly name: string }) => name === 'v1alpha1')
    .map((version: object) => ({ ...version, storage: true }));
  const generatedBy = { 'controller-gen.kubebuilder.io/version': 'v0.16.5' };
  return {
    ...rest,
    metadata: { name: metadata.name, annotations: generatedBy },
    spec: { ...spec, versions, conversion: { strategy: 'None' } },
  };
}

let cluster: ProtectedCluster;

beforeAll(async () => {
  const base = await testCluster({ controllers: true, speed: 20, nodes: 6 });
  await made(base.request('POST', definitions, { body: olderDefinition() }));
  cluster = await protectedCluster({ base });
});

afterAll(async () => {
  await cluster?.close();
});

it('a PodUnavailableBudget whose definition serves v1alpha1 alone is created, shown and enforced', async () => {
  const node = await addNode(cluster, 'any');
  const scene = await sceneIn(cluster);
  await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node })));
  await scene.apply(pub('two', { minAvailable: 2 }));
  await waitUntil(
    'the budget counts its pods',
    () => scene.read('PodUnavailableBudget', 'two'),
    ({ status }) => status?.['currentAvailable'] === 3 && status['unavailableAllowed'] === 1,
  );
  expectDone(await scene.evict('a'));
  expectNotNow(await scene.evict('b'));
});
