import { describe, expect, it } from 'vitest';
import { made } from '../support/cluster.ts';
import type { Answer } from '../support/kube-http.ts';
import { addDefinition, farm, farms, farmsApi, kruiseSets, kruiseSetsApi } from './support/definitions.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from './support/refusals.ts';
import { contentTypes, pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');
if (!skipped) {
  await addDefinition(cluster, farms, farmsApi);
  await addDefinition(cluster, kruiseSets, kruiseSetsApi);
}

const stays = 'e2e.holdfast.dev/stays';
const frozen = pub('frozen', { maxUnavailable: 0 });

function patchOwners(scene: Scene, name: string, ownerReferences: readonly object[] | null): Promise<Answer> {
  return scene.change('Pod', name, { metadata: { ownerReferences } });
}

/** Three pods of a farm, which no controller makes again, under a budget. */
async function farmUnder(budget: Named, replicas = 3): Promise<{ scene: Scene; owner: object }> {
  const scene = await sceneIn(cluster);
  await scene.apply(farm('herd', replicas));
  const { metadata } = await scene.read('Farm', 'herd');
  const owner = { apiVersion: 'e2e.holdfast.dev/v1', kind: 'Farm', name: 'herd', uid: metadata.uid, controller: true };
  await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node, ownerReferences: [owner] })));
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return { scene, owner };
}

describe.skipIf(skipped).concurrent('pods whose owner is deleted', () => {
  it('[X4] [I1] stay protected when it leaves them behind: --cascade=orphan', async () => {
    const scene = await sceneIn(cluster);
    const set = workload('StatefulSet', 'web', 3);
    await scene.apply({ ...set, metadata: { ...set.metadata, finalizers: [stays] } }, frozen);
    const before = await scene.waitReady(3);
    await scene.waitEnforced(frozen);
    const path = `${pathOf(scene.namespace, 'StatefulSet')}/web`;
    await made(cluster.request('DELETE', path, { body: { propagationPolicy: 'Orphan' } }));
    // Before, while and after the garbage collector takes the references off.
    await waitUntil(
      'no pod has an owner',
      async () => {
        for (const answer of await Promise.all(before.map(({ metadata }) => scene.evict(metadata.name))))
          expectNotNow(answer);
        return scene.pods();
      },
      (pods) => pods.every(({ metadata }) => metadata.ownerReferences === undefined),
    );
    for (const answer of await Promise.all(before.map(({ metadata }) => scene.remove(metadata.name))))
      expectNotNow(answer);
    const after = await scene.pods();
    expect(after.map(({ metadata }) => metadata.uid).sort()).toEqual(before.map(({ metadata }) => metadata.uid).sort());
    expect(after.every(({ metadata }) => metadata.deletionTimestamp === undefined)).toBe(true);
    const { status } = await scene.waitEnforced(frozen);
    expect(status).toMatchObject({ totalReplicas: 3, currentAvailable: 3, desiredAvailable: 3 });
    await made(
      cluster.request('PATCH', path, { contentType: contentTypes.merge, body: { metadata: { finalizers: null } } }),
    );
  });

  it('[X4] go with it when it takes them along', async () => {
    const scene = await sceneIn(cluster);
    const set = workload('StatefulSet', 'web', 2);
    await scene.apply(set, frozen);
    await scene.waitReady(2);
    await scene.waitEnforced(frozen);
    const path = `${pathOf(scene.namespace, 'StatefulSet')}/web`;
    await made(cluster.request('DELETE', path, { body: { propagationPolicy: 'Foreground' } }));
    await waitUntil(
      'its pods are deleted',
      () => scene.pods(),
      (pods) => pods.length === 0,
      { withinMs: 60_000 },
    );
  });
});

describe.skipIf(skipped).concurrent('a change of ownerReferences', () => {
  const absent = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'absent',
    uid: '00000000-0000-4000-8000-000000000000',
  };

  it('[U6] that takes a pod away from its owner is judged', async () => {
    const { scene, owner } = await farmUnder(frozen);
    const refusedOf = async (name: string, references: readonly object[] | null): Promise<void> => {
      const answer = await patchOwners(scene, name, references);
      expectNotNow(answer);
      expect(blockersOf(answer)).toEqual(['BudgetExhausted']);
    };
    await refusedOf('b', null);
    await refusedOf('b', [{ ...absent, controller: true }]);
    await refusedOf('b', [absent]);
    await refusedOf('b', [{ ...owner, controller: false }]);
    const { body } = await scene.pod('b');
    expect(body.metadata.ownerReferences).toMatchObject([owner]);
    expect(body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('[U6] [L8] that a budget allows holds its place until it is seen', async () => {
    const { scene } = await farmUnder(pub('two', { minAvailable: 2 }));
    expectDone(await patchOwners(scene, 'a', null));
    // The pod serves on, and counts again as one without an owner.
    await waitUntil(
      'another pod may leave its owner',
      () => patchOwners(scene, 'b', null),
      ({ code }) => code === 200,
      { withinMs: 30_000 },
    );
  });

  it('[U6] that leaves it with its owner is not', async () => {
    const { scene, owner } = await farmUnder(frozen);
    expectDone(await patchOwners(scene, 'a', [owner, absent]));
    expectDone(await patchOwners(scene, 'a', [owner]));
  });
});

describe.skipIf(skipped)('the scale of an owner that no watch covers', () => {
  it('[O5] is read again before a refusal that depends on it', async () => {
    const { scene } = await farmUnder(frozen);
    expectNotNow(await scene.evict('a'));
    await made(scene.change('Farm', 'herd', { spec: { replicas: 0 } }));
    expectDone(await scene.evict('a'));
    expectDone(await scene.remove('b'));
  });
});

describe.skipIf(skipped)('a LeaderWorkerSet of apps.kruise.io', () => {
  it('[U3] [I11] says by its scale how many groups there should be, also when one has no pod left', async () => {
    const scene = await sceneIn(cluster);
    const sets = `${kruiseSetsApi}/namespaces/${scene.namespace}/leaderworkersets`;
    const set = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'LeaderWorkerSet' };
    const stored = { ...set, metadata: { name: 'llm' }, spec: { replicas: 3 } };
    const { metadata } = await made(cluster.request('POST', sets, { body: stored }));
    const owner = { ...set, name: 'llm', uid: metadata.uid, controller: true };
    const key = 'leaderworkerset.sigs.k8s.io/group-index';
    const member = (index: number) =>
      pod(`llm-${index}`, { node, goes: true, labels: { app: 'web', [key]: String(index) }, ownerReferences: [owner] });
    await scene.addPods(...[0, 1, 2].map(member));
    const budget = pub('llm', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: key } });
    await scene.apply(budget);
    expect((await scene.waitEnforced(budget)).status).toMatchObject({ totalReplicas: 3, desiredAvailable: 2 });
    expectDone(await scene.remove('llm-0'));
    await waitUntil(
      'the group has no pod left',
      async () => (await scene.pod('llm-0')).code,
      (code) => code === 404,
    );
    const refused = await scene.remove('llm-1');
    expectNotNow(refused);
    expect(refused.body.message).toContain('has 2 of 3;');
    // The kind is watched: a new scale counts at once.
    await made(
      cluster.request('PATCH', `${sets}/llm`, { contentType: contentTypes.merge, body: { spec: { replicas: 0 } } }),
    );
    await waitUntil(
      'its pods may go',
      async () => (await scene.remove('llm-1')).code,
      (code) => code < 300 || code === 404,
    );
  });
});

describe.skipIf(skipped)('a Pending pod without a node', () => {
  it('[X1] is evicted with success by the API server itself, also under a group budget', async () => {
    const scene = await sceneIn(cluster);
    const labels = { app: 'web', shard: '0' };
    const budget = pdb(
      'groups',
      { minAvailable: 1 },
      {
        'holdfast.dev/budget-scope': 'PodGroup',
        'holdfast.dev/group-label': 'shard',
        'holdfast.dev/group-min-available': '1',
      },
    );
    await scene.addPods(pod('serving', { node, labels }));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const nowhere = { nodeSelector: { 'e2e.holdfast.dev/nowhere': 'true' } };
    const waiting = pod('waiting', { labels, goes: true, spec: nowhere });
    await made(cluster.request('POST', pathOf(scene.namespace, 'Pod'), { body: waiting }));
    const answer = await scene.evict('waiting');
    expect(answer.code, answer.text).toBe(201);
    expect((await scene.pod('waiting')).code).toBe(404);
  });
});
