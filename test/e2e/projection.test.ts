import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { made, pause } from '../support/cluster.ts';
import { holdProjectedNumbers } from '../support/installed.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod } from './support/objects.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
const projected = 'holdfast.dev/disruptions-allowed';

interface Shown {
  readonly allowed: unknown;
  /** Of the condition that Kubernetes writes. */
  readonly condition: unknown;
  readonly annotation: string | undefined;
}

async function shownBy(scene: Scene): Promise<Shown> {
  const { status, metadata } = await scene.read('PodDisruptionBudget', 'llm');
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[];
  return {
    allowed: status?.['disruptionsAllowed'],
    condition: conditions.find(({ type }) => type === 'DisruptionAllowed')?.status,
    annotation: metadata.annotations?.[projected],
  };
}

/** `kubectl get pdb` shows this, and stays so: the disruption controller has had time to write what it thinks. */
async function expectShown(scene: Scene, wanted: Shown): Promise<void> {
  const isWanted = (shown: Shown) => JSON.stringify(shown) === JSON.stringify(wanted);
  await waitUntil(`the budget shows ${JSON.stringify(wanted)}`, () => shownBy(scene), isWanted, { withinMs: 60_000 });
  await pause(1_500);
  expect(await shownBy(scene)).toEqual(wanted);
}

/** Four groups of four pods, of which three are needed: Kubernetes, which counts pods, would let thirteen go. */
async function fourGroups(annotations: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const names = ['0', '1', '2', '3'].flatMap((shard) =>
    ['a', 'b', 'c', 'd'].map((one) => ({ shard, name: `${one}-${shard}` })),
  );
  await scene.addPods(...names.map(({ shard, name }) => pod(name, { node, labels: { app: 'llm', shard } })));
  await scene.apply(budget({ ...grouping, ...annotations }));
  return scene;
}

function budget(annotations: Readonly<Record<string, string>>): Named {
  return pdb('llm', { selector: { matchLabels: { app: 'llm' } }, minAvailable: 3 }, annotations);
}

describe.skipIf(skipped).concurrent('disruptionsAllowed of a budget over groups', () => {
  it('[S3] is the number of groups that may be disrupted, and follows them', async () => {
    const scene = await fourGroups();
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
    await scene.setReady('b-2', false);
    await expectShown(scene, { allowed: 0, condition: 'False', annotation: '0' });
    await scene.setReady('b-2', true);
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
  });

  it('[S3] [I2] keeps no pod of a broken group from being evicted', async () => {
    const scene = await fourGroups();
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
    for (const name of ['a-0', 'b-0', 'c-0']) expectDone(await scene.evict(name));
    await expectShown(scene, { allowed: 0, condition: 'False', annotation: '0' });
    expectDone(await scene.evict('d-0'));
    expectNotNow(await scene.evict('a-1'));
  });

  it('[S3] is left alone when it is right: neither the operator nor the disruption controller writes again', async () => {
    const scene = await fourGroups();
    await scene.setReady('b-2', false);
    await expectShown(scene, { allowed: 0, condition: 'False', annotation: '0' });
    const { metadata } = await scene.read('PodDisruptionBudget', 'llm');
    await pause(5_000);
    expect((await scene.read('PodDisruptionBudget', 'llm')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('[S3] is put right when a person writes the annotation', async () => {
    const scene = await fourGroups();
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
    await made(scene.change('PodDisruptionBudget', 'llm', { metadata: { annotations: { [projected]: 'banana' } } }));
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
  });

  it.each([
    ['its budget counts pods from now on', { 'holdfast.dev/budget-scope': 'Pod', 'holdfast.dev/group-label': null }],
    ['its budget says so', { 'holdfast.dev/projection': 'disabled' }],
    ['evictions are left to the built-in check', { 'holdfast.dev/takeover': 'disabled' }],
  ])('[S3] is what Kubernetes counts again when %s', async (_why, annotations) => {
    const scene = await fourGroups();
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
    await made(scene.change('PodDisruptionBudget', 'llm', { metadata: { annotations } }));
    await expectShown(scene, { allowed: 13, condition: 'True', annotation: undefined });
  });
});

describe.skipIf(skipped)('disruptionsAllowed where API servers have no mutating policies', () => {
  const policies = ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'];
  beforeAll(async () => {
    for (const plural of policies)
      await cluster.request('DELETE', `/apis/admissionregistration.k8s.io/v1/${plural}/holdfast-disruptions-allowed`);
    // API servers notice that a policy is gone a moment later.
    await pause(2_000);
  });
  afterAll(() => holdProjectedNumbers(cluster));

  it('[S3] is held by a webhook', async () => {
    const scene = await fourGroups();
    await expectShown(scene, { allowed: 1, condition: 'True', annotation: '1' });
    await scene.setReady('b-2', false);
    await expectShown(scene, { allowed: 0, condition: 'False', annotation: '0' });
    const { metadata } = await scene.read('PodDisruptionBudget', 'llm');
    await pause(5_000);
    expect((await scene.read('PodDisruptionBudget', 'llm')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
});
