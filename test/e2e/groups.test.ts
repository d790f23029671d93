import { describe, expect, it } from 'vitest';
import { hasKubectl, kubectlFor } from '../clients/kubectl.ts';
import { observeAvailability } from '../support/availability.ts';
import type { Body } from '../support/kube-http.ts';
import { waitCounted } from './support/counted.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod, podGroup } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from './support/refusals.ts';
import { conditionOf, type Scene, sceneIn } from './support/scene.ts';
import { servedGangs, suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const gangVersion = skipped ? undefined : await servedGangs(cluster);
const hasGangs = gangVersion !== undefined;
const node = skipped ? '' : await addNode(cluster, 'any');

const groupOf = ({ spec }: Body) => (spec['schedulingGroup'] as { podGroupName?: string } | undefined)?.podGroupName;

interface Gangs {
  readonly groups: number;
  readonly size: number;
  readonly minCount?: number;
  readonly nodeOf?: (group: number, member: number) => string;
  readonly goes?: boolean;
}

/** Pods `g0-0`, `g0-1`, ... in gangs `g0`, `g1`, ... */
async function gangs(scene: Scene, wish: Gangs): Promise<void> {
  const { groups, size, minCount = size, nodeOf = () => node, goes = false } = wish;
  const numbers = Array.from({ length: groups }, (_, group) => group);
  await scene.apply(...numbers.map((group) => podGroup(`g${group}`, minCount, gangVersion ?? 'v1beta1')));
  const members = Array.from({ length: size }, (_, member) => member);
  await scene.addPods(
    ...numbers.flatMap((group) => members.map((member) => gangPod(group, member, nodeOf(group, member), goes))),
  );
}

function gangPod(group: number, member: number, on: string, goes: boolean): Named {
  return pod(`g${group}-${member}`, { node: on, goes, spec: { schedulingGroup: { podGroupName: `g${group}` } } });
}

function available(scene: Scene, minimum: number) {
  return observeAvailability(cluster, { namespace: scene.namespace, unitOf: groupOf, minimum });
}

describe.skipIf(!hasGangs).concurrent('a PodDisruptionBudget over gangs', () => {
  it('[I2] counts gangs: ten of eight pods, nine needed, and one may go with all of its pods', async () => {
    const scene = await sceneIn(cluster);
    await gangs(scene, { groups: 10, size: 8 });
    const budget = pdb('workers', { minAvailable: 9 });
    await scene.apply(budget);
    const standing = conditionOf(await scene.waitEnforced(budget), 'holdfast.dev/GroupBudget');
    expect(standing).toMatchObject({ status: 'True', reason: 'Sufficient' });
    expect(standing?.message).toContain('10 groups available, 9 needed');
    const observer = await available(scene, 8);
    for (const member of [0, 1, 2, 3, 4, 5, 6, 7]) expectDone(await scene.evict(`g3-${member}`));
    const refused = await scene.evict('g4-0');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(9);
    observer.close();
  });

  it('[I2] takes a pod above the minimum of its gang for nothing, and the next one for a whole gang', async () => {
    const scene = await sceneIn(cluster);
    await gangs(scene, { groups: 2, size: 3, minCount: 2 });
    const budget = pdb('workers', { minAvailable: 2 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    expectDone(await scene.evict('g0-0'));
    expectDone(await scene.evict('g1-0'));
    expectNotNow(await scene.evict('g0-1'));
    expectNotNow(await scene.evict('g1-2'));
  });

  it('counts a gang that lost a pod by failure as down', async () => {
    const scene = await sceneIn(cluster);
    await gangs(scene, { groups: 3, size: 2 });
    const budget = pdb('workers', { maxUnavailable: 1 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.setReady('g0-0', false);
    await waitUntil(
      'the budget knows',
      async () => conditionOf(await scene.read('PodDisruptionBudget', 'workers'), 'holdfast.dev/GroupBudget')?.status,
      (status) => status === 'False',
    );
    expectNotNow(await scene.evict('g1-0'));
    expectDone(await scene.evict('g0-1'));
  });

  it('leaves pods without a gang in the same selection to the built-in check, and says so', async () => {
    const scene = await sceneIn(cluster);
    await gangs(scene, { groups: 2, size: 2 });
    await scene.addPods(pod('alone', { node }));
    const budget = pdb('mixed', { minAvailable: 1 });
    await scene.apply(budget);
    const standing = conditionOf(await scene.waitEnforced(budget), 'holdfast.dev/GroupBudget');
    expect(standing?.message).toContain('1 selected pod has no group and is not counted among the groups');
    expectDone(await scene.evict('g0-0'));
    expectNotNow(await scene.evict('g1-0'));
  });

  it('[I3] asks every other PodDisruptionBudget of the pod, too, and answers 429 where the built-in check would fail', async () => {
    const scene = await sceneIn(cluster);
    await gangs(scene, { groups: 3, size: 2 });
    const budget = pdb('groups', { minAvailable: 1 });
    const pods = pdb('pods', { minAvailable: 5 }, { 'holdfast.dev/budget-scope': 'Pod' });
    await scene.apply(budget, pods);
    await scene.waitEnforced(budget);
    await waitCounted(scene, 'pods');
    expectDone(await scene.evict('g0-0'));
    const refused = await scene.evict('g1-0');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PDB pods ');
  });
});

describe.skipIf(skipped).concurrent('a PodDisruptionBudget over single pods', () => {
  it('is the built-in one, untouched', async () => {
    const scene = await sceneIn(cluster);
    const names = ['a', 'b', 'c', 'd'];
    await scene.addPods(...names.map((name) => pod(name, { node })));
    await scene.apply(pdb('plain', { minAvailable: 3 }));
    await waitUntil(
      'the built-in controller allows one',
      () => scene.read('PodDisruptionBudget', 'plain'),
      ({ status }) => status?.['disruptionsAllowed'] === 1,
    );
    expectDone(await scene.evict('a'));
    const refused = await scene.evict('b');
    expect(refused.code).toBe(429);
    expect(refused.body.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    const budget = await scene.read('PodDisruptionBudget', 'plain');
    expect(conditionOf(budget, 'holdfast.dev/GroupBudget')).toBeUndefined();
    expect(await scene.reservations()).toEqual([]);
  });

  it.skipIf(!cluster.embedded)('falls back to it when the Workload that pods name cannot be found', async () => {
    const scene = await sceneIn(cluster);
    const spec = { workload: { name: 'nowhere', podGroup: 'worker', podGroupReplicaIndex: 0 } };
    await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node, spec })));
    await scene.apply(pdb('plain', { minAvailable: 2 }));
    await waitUntil(
      'the built-in controller allows one',
      () => scene.read('PodDisruptionBudget', 'plain'),
      ({ status }) => status?.['disruptionsAllowed'] === 1,
    );
    expectDone(await scene.evict('a'));
    expect((await scene.evict('b')).code).toBe(429);
  });
});

// The proposal's own fields, which no release of Kubernetes ever had.
describe.skipIf(skipped || !cluster.embedded).concurrent('a Workload with replicas', () => {
  const own = (replica: number, member: number): Named =>
    pod(`worker-${replica}-${member}`, {
      node,
      labels: { workload: 'my-training-job', 'pod-group': 'worker' },
      spec: { workload: { name: 'my-training-job', podGroup: 'worker', podGroupReplicaIndex: replica } },
    });
  const job = (replicas: number, minCount: number): Named => ({
    apiVersion: 'scheduling.k8s.io/v1alpha1',
    kind: 'Workload',
    metadata: { name: 'my-training-job' },
    spec: { podGroups: [{ name: 'worker', replicas, policy: { gang: { minCount } } }] },
  });
  const selector = { matchLabels: { workload: 'my-training-job', 'pod-group': 'worker' } };
  const all = (replicas: number, size: number): Named[] =>
    Array.from({ length: replicas * size }, (_, index) => own(Math.floor(index / size), index % size));

  it.each([
    ['a number', 3, 'allowed'],
    ['a percentage, rounded up', '70%', 'allowed'],
    ['a percentage that needs all', '80%', 'refused'],
  ] as const)('is counted in replicas by minAvailable as %s', async (_, minAvailable, outcome) => {
    const scene = await sceneIn(cluster);
    await scene.apply(job(4, 2));
    await scene.addPods(...all(4, 2));
    const budget = pdb('my-training-job-workers-pdb', { minAvailable, selector });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const first = await scene.evict('worker-0-0');
    if (outcome === 'refused') return expectNotNow(first);
    expectDone(first);
    expectDone(await scene.evict('worker-0-1'));
    expectNotNow(await scene.evict('worker-1-0'));
  });

  it('[I11] counts a replica that has no pods at all as down', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(job(3, 2));
    await scene.addPods(...all(2, 2));
    const budget = pdb('my-training-job-workers-pdb', { maxUnavailable: 1, selector });
    await scene.apply(budget);
    const standing = conditionOf(await scene.waitEnforced(budget), 'holdfast.dev/GroupBudget');
    expect(standing?.message).toContain('2 groups available, 2 needed, 3 expected');
    expectNotNow(await scene.evict('worker-0-0'));
  });
});

describe.skipIf(!hasGangs || !hasKubectl).concurrent('kubectl drain', () => {
  /** Two gangs of three on three nodes: the middle one has a pod of each. */
  async function threeNodes(scene: Scene) {
    const on = await Promise.all(['a', 'b', 'c'].map((one) => addNode(cluster, `${scene.namespace}-${one}`)));
    const [a = '', b = '', c = ''] = on;
    const at = [
      [a, a, b],
      [b, c, c],
    ];
    await gangs(scene, { groups: 2, size: 3, goes: true, nodeOf: (group, member) => at[group]?.[member] ?? '' });
    const budget = pdb('one-group', { minAvailable: 1 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    return { a, b, c, kubectl: await kubectlFor(cluster.kubeconfig, scene.namespace) };
  }

  it('[I1] waits rather than break the second gang, and goes on when the first is back', async () => {
    const scene = await sceneIn(cluster);
    const { b, c, kubectl } = await threeNodes(scene);
    const observer = await available(scene, 3);
    const drain = kubectl(`drain ${b} --force --timeout=35s`);
    const left = await waitUntil(
      'one pod of the node is gone',
      async () =>
        (await scene.pods()).filter(({ spec }) => spec['nodeName'] === b).map(({ metadata }) => metadata.name),
      (names) => names.length === 1,
    );
    expectNotNow(await scene.evict(left[0] ?? ''));
    const [group, member] = left[0] === 'g1-0' ? [0, 2] : [1, 0];
    await scene.addPods(gangPod(group, member, c, true));
    const { code, err } = await drain;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toMatch(/\(will retry after 5s\): admission webhook .* needs 1 available group and has 1/);
    expect((await scene.pods()).filter(({ spec }) => spec['nodeName'] === b)).toEqual([]);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(1);
    observer.close();
    await kubectl.close();
  });

  it('[I2] empties a node that has pods of one gang alone, at once', async () => {
    const scene = await sceneIn(cluster);
    const { a, kubectl } = await threeNodes(scene);
    const { code, out, err } = await kubectl(`drain ${a} --force --timeout=20s`);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('drained');
    expect(err).not.toContain('retry');
    await kubectl.close();
  });

  it('[I6] asks without leaving a trace with --dry-run=server', async () => {
    const scene = await sceneIn(cluster);
    const { b, kubectl } = await threeNodes(scene);
    const before = (await scene.pods()).map(({ metadata }) => metadata.resourceVersion);
    await kubectl(`drain ${b} --force --timeout=3s --dry-run=server`);
    expect((await scene.pods()).map(({ metadata }) => metadata.resourceVersion)).toEqual(before);
    expect(await scene.reservations()).toEqual([]);
    await kubectl.close();
  });
});
