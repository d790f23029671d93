import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaderWorkerSet, pub, workload } from '../e2e/support/objects.ts';
import { expectDone, expectNotNow } from '../e2e/support/refusals.ts';
import { type Scene, sceneIn } from '../e2e/support/scene.ts';
import { serves } from '../e2e/support/suite.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { made } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { type ProtectedCluster, protectedCluster } from '../support/protected-cluster.ts';
import { countByUser, disruptionsIn, isRefusal } from './audit.ts';

/** Only of a test bed: who asked for what is not to be had from an API server itself. */
const auditLog = process.env['HOLDFAST_TEST_AUDIT_LOG'] ?? '';

/** What they do is the end of what others decided. A refusal would stop the cluster and protect nothing. */
const mustPass = {
  kubelets: 'system:node:kwok',
  garbage: 'system:serviceaccount:kube-system:generic-garbage-collector',
  namespaces: 'system:serviceaccount:kube-system:namespace-controller',
  leaderWorkerSets: 'system:serviceaccount:lws-system:lws-controller-manager',
} as const;

const admin = 'testbed-admin';

describe.skipIf(auditLog === '')('the audit log of a protected cluster', () => {
  let cluster: ProtectedCluster;
  const scenes: Scene[] = [];
  const newScene = async () => {
    const scene = await sceneIn(cluster);
    scenes.push(scene);
    return scene;
  };
  const requests = () =>
    disruptionsIn(
      auditLog,
      scenes.map(({ namespace }) => namespace),
    );
  const answersTo = (user: string) => requests().filter((one) => one.user === user);

  beforeAll(async () => {
    cluster = await protectedCluster({ replicas: 2 });
  });
  afterAll(() => cluster.close());

  /** No controller of a control plane was refused, and the one that should have done something did it. */
  function expectUnhindered(user: string): void {
    expect(answersTo(user)).not.toEqual([]);
    const refused = countByUser(requests().filter(isRefusal));
    for (const one of Object.values(mustPass)) expect(refused).not.toHaveProperty(one);
  }

  it('shows kubelets that end what was allowed to go, and people who were refused', async () => {
    const scene = await newScene();
    const budget = pub('web', { minAvailable: 3 });
    await scene.apply(workload('Deployment', 'web', 4), budget);
    await scene.waitReady(4);
    await scene.waitEnforced(budget);
    await made(scene.change('Deployment', 'web', { spec: { replicas: 3 } }));
    for (const { metadata } of await scene.waitReady(3)) expectNotNow(await scene.evict(metadata.name));
    await waitUntil(
      'the fourth pod is gone',
      () => scene.pods(),
      (pods) => pods.length === 3,
    );
    expectUnhindered(mustPass.kubelets);
    expect(countByUser(requests().filter(isRefusal))).toHaveProperty(admin);
  });

  it('shows a garbage collector that no webhook hinders', async () => {
    const scene = await newScene();
    const budget = pub('web', { maxUnavailable: 0 });
    await scene.apply(workload('StatefulSet', 'web', 3), budget);
    await scene.waitReady(3);
    await scene.waitEnforced(budget);
    const path = `/apis/apps/v1/namespaces/${scene.namespace}/statefulsets/web?propagationPolicy=Background`;
    expectDone(await cluster.request('DELETE', path));
    await waitUntil(
      'no pod is left',
      () => scene.pods(),
      (pods) => pods.length === 0,
    );
    expectUnhindered(mustPass.garbage);
  });

  it('shows a namespace controller that no webhook hinders', async () => {
    const scene = await newScene();
    const budget = pub('web', { maxUnavailable: 0 });
    await scene.apply(workload('Deployment', 'web', 3), budget);
    await scene.waitReady(3);
    await scene.waitEnforced(budget);
    expectDone(await cluster.request('DELETE', `/api/v1/namespaces/${scene.namespace}`));
    await waitUntil(
      'the namespace is gone',
      () => cluster.request('GET', `/api/v1/namespaces/${scene.namespace}`),
      ({ code }) => code === 404,
    );
    expectUnhindered(mustPass.namespaces);
  });

  it.each([
    { kind: 'StatefulSet', controller: 'statefulset-controller' },
    { kind: 'Deployment', controller: 'replicaset-controller' },
  ] as const)(
    'shows the updates and the scale-down of a $kind that end, under a budget with room for one pod',
    async ({ kind, controller }) => {
      const scene = await newScene();
      const budget = pub('web', { maxUnavailable: 1 });
      await scene.apply(workload(kind, 'web', 4), budget);
      await scene.waitReady(4);
      await scene.waitEnforced(budget);
      const image = 'example.com/app:2';
      const template = { spec: { containers: [{ name: 'main', image }] } };
      await made(scene.change(kind, 'web', { spec: { template } }));
      const runs = ({ spec }: Body) =>
        (spec['containers'] as readonly { image: string }[]).every((one) => one.image === image);
      await waitUntil(
        'all pods are of the new template',
        () => scene.waitReady(4),
        (pods) => pods.every(runs),
      );
      const user = `system:serviceaccount:kube-system:${controller}`;
      expect(answersTo(user)).not.toEqual([]);
      // A budget may tell a rollout to wait. The built-in StatefulSet controller takes one pod at a time, and never has to.
      if (kind === 'StatefulSet') expect(answersTo(user).filter(isRefusal)).toEqual([]);
      await made(scene.change(kind, 'web', { spec: { replicas: 2 } }));
      await scene.waitReady(2);
      expectUnhindered(mustPass.kubelets);
    },
  );

  it('[I10] shows a LeaderWorkerSet that recreates a broken group, whatever the budget', async (context) => {
    context.skip(!(await serves(cluster, '/apis/leaderworkerset.x-k8s.io/v1')), 'no LeaderWorkerSets here');
    const scene = await newScene();
    const selector = { matchLabels: { app: 'llm' } };
    const podGroupPolicy = { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index', minReadyReplicas: 3 };
    const budget = pub('llm', { selector, maxUnavailable: 1, podGroupPolicy });
    await scene.apply(leaderWorkerSet('llm', 3, 3), budget);
    const before = await scene.waitReady(9);
    await scene.waitEnforced(budget);
    expectDone(await scene.evict('llm-1-2'));
    const uidOf = (pods: typeof before) => pods.find(({ metadata }) => metadata.name === 'llm-1')?.metadata.uid;
    await waitUntil(
      'the group is another one, and whole',
      () => scene.waitReady(9),
      (pods) => uidOf(pods) !== uidOf(before),
    );
    expectUnhindered(mustPass.leaderWorkerSets);
  });
});
