import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { label, Setup, template } from './setup.ts';

let setup: Setup;
beforeEach(async () => {
  setup = new Setup();
  await setup.start();
});
afterEach(() => setup.stop());

/** Names of all pods of groups of this size. */
function names(groups: number, size: number): string[] {
  return Array.from({ length: groups }, (_, group) =>
    Array.from({ length: size }, (_, worker) => (worker === 0 ? `llm-${group}` : `llm-${group}-${worker}`)),
  ).flat();
}

describe('three groups of four', () => {
  beforeEach(async () => {
    await setup.create({});
    await setup.run();
  });

  test('come up with all their pods, and say so', () => {
    expect(setup.podNames().sort()).toEqual(names(3, 4).sort());
    expect(setup.lws.status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      hpaPodSelector: `${label('name')}=llm,${label('worker-index')}=0`,
    });
    expect(setup.truths).toEqual(['Available']);
    expect(setup.events()).toContain('AllGroupsReady: All replicas are ready, with 3 groups ready of total 3 groups');
    expect(setup.errors).toEqual([]);
  });

  test('the pods know their place', () => {
    const key = createHash('sha1').update('default/llm-1').digest('hex');
    const leader = setup.pod('llm-1').metadata;
    const worker = setup.pod('llm-1-3').metadata;
    const own = { [label('name')]: 'llm', [label('group-index')]: '1', [label('group-key')]: key };
    expect(leader.labels).toMatchObject({ ...own, [label('worker-index')]: '0' });
    expect(worker.labels).toMatchObject({ ...own, [label('worker-index')]: '3' });
    expect(leader.annotations).toEqual({ [label('size')]: '4' });
    expect(worker.annotations).toEqual({ [label('size')]: '4', [label('leader-name')]: 'llm-1' });
    const hash = setup.set('llm')?.metadata.labels?.[label('template-revision-hash')];
    expect(hash).toMatch(/^[a-z0-9]+$/);
    expect(new Set(setup.pods().map(({ metadata }) => metadata.labels?.[label('template-revision-hash')]))).toEqual(
      new Set([hash]),
    );
    expect(setup.pod('llm-1-3').spec.containers[0]?.env).toEqual([
      { name: 'LWS_LEADER_ADDRESS', value: 'llm-1.llm.default' },
      { name: 'LWS_GROUP_SIZE', value: '4' },
      { name: 'LWS_WORKER_INDEX', value: '3' },
    ]);
  });

  test('everything is owned so that it goes with its owner', () => {
    const owners = (object: { metadata: { ownerReferences?: object[] } } | undefined) =>
      object?.metadata.ownerReferences;
    const by = (kind: string, name: string, uid: string | undefined) =>
      expect.objectContaining({ kind, name, uid, controller: true, blockOwnerDeletion: true });
    const { uid } = setup.lws.metadata;
    expect(owners(setup.set('llm'))).toEqual([by('LeaderWorkerSet', 'llm', uid)]);
    expect(owners(setup.pod('llm-2'))).toEqual([by('StatefulSet', 'llm', setup.set('llm')?.metadata.uid)]);
    expect(owners(setup.set('llm-2'))).toEqual([by('Pod', 'llm-2', setup.pod('llm-2').metadata.uid)]);
    expect(owners(setup.pod('llm-2-1'))).toEqual([by('StatefulSet', 'llm-2', setup.set('llm-2')?.metadata.uid)]);
    const service = setup.plane.view.get('services', 'default', 'llm');
    expect(owners(service)).toEqual([by('LeaderWorkerSet', 'llm', uid)]);
    expect(service?.['spec']).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { [label('name')]: 'llm' },
    });
  });

  test('the StatefulSets have the right shape', () => {
    expect(setup.set('llm')?.spec).toMatchObject({
      replicas: 3,
      podManagementPolicy: 'Parallel',
      serviceName: 'llm',
      updateStrategy: { rollingUpdate: { partition: 0, maxUnavailable: 1 } },
    });
    expect(setup.set('llm')?.metadata.annotations).toEqual({ [label('replicas')]: '3' });
    expect(setup.set('llm-0')?.spec).toMatchObject({ replicas: 3, ordinals: { start: 1 }, serviceName: 'llm' });
  });

  test('everything stays as it is when nothing happens', async () => {
    const before = setup.plane.registry.store.revision;
    await setup.clock.advance(60_000);
    expect(setup.plane.registry.store.revision).toBe(before);
  });

  test('a worker that restarts takes its group with it, and no other', async () => {
    const others = [...setup.uids('llm-0'), ...setup.uids('llm-2')];
    const group = setup.uids('llm-1');
    await setup.restartContainer('llm-1-2');
    await setup.run();
    expect([...setup.uids('llm-0'), ...setup.uids('llm-2')]).toEqual(others);
    const recreated = setup.uids('llm-1');
    expect(recreated).toHaveLength(4);
    expect(recreated.filter((uid) => group.includes(uid))).toEqual([]);
    expect(setup.truths).toEqual(['Available']);
    expect(setup.events()).toContain(
      'RecreateGroupOnPodRestart: Worker pod llm-1-2 failed, deleted leader pod llm-1 to recreate group 1',
    );
    expect(setup.errors).toEqual([]);
  });

  test.each(['llm-1', 'llm-1-1'])('a group is recreated when %s is deleted', async (name) => {
    const others = [...setup.uids('llm-0'), ...setup.uids('llm-2')];
    const group = setup.uids('llm-1');
    await setup.client.delete('pods', 'default', name);
    await setup.run();
    const recreated = setup.uids('llm-1');
    expect(recreated).toHaveLength(4);
    expect(recreated.filter((uid) => group.includes(uid))).toEqual([]);
    expect([...setup.uids('llm-0'), ...setup.uids('llm-2')]).toEqual(others);
    expect(setup.truths).toEqual(['Available']);
  });

  test('more groups and fewer groups', async () => {
    await setup.edit((spec) => {
      spec.replicas = 5;
    });
    await setup.run();
    expect(setup.podNames().sort()).toEqual(names(5, 4).sort());
    expect(setup.lws.status?.readyReplicas).toBe(5);
    await setup.edit((spec) => {
      spec.replicas = 1;
    });
    await setup.run();
    expect(setup.podNames().sort()).toEqual(names(1, 4).sort());
    expect(setup.set('llm-4')).toBeUndefined();
    expect(setup.lws.status).toMatchObject({ replicas: 1, readyReplicas: 1 });
    expect(setup.truths).toEqual(['Available']);
  });

  test('all is gone when the set is deleted', async () => {
    await setup.client.delete('leaderworkerset.x-k8s.io/leaderworkersets', 'default', 'llm');
    await setup.run();
    expect(setup.podNames()).toEqual([]);
    expect(setup.plane.view.list('apps/statefulsets')).toEqual([]);
    expect(setup.plane.view.get('services', 'default', 'llm')).toBeUndefined();
  });
});

describe('other policies', () => {
  test.each(['None', 'Default'])('with %s only the pod itself comes back', async (restartPolicy) => {
    await setup.create({ leaderWorkerTemplate: { size: 3, workerTemplate: template('app:1'), restartPolicy } });
    await setup.run();
    const leader = setup.pod('llm-0').metadata.uid;
    const worker = setup.pod('llm-0-1').metadata.uid;
    await setup.client.delete('pods', 'default', 'llm-0-1');
    await setup.run();
    expect(setup.pod('llm-0').metadata.uid).toBe(leader);
    expect(setup.pod('llm-0-1').metadata.uid).not.toBe(worker);
    expect(setup.lws.spec.leaderWorkerTemplate.restartPolicy).toBe('None');
  });

  test('workers can wait for their leader', async () => {
    setup.broken.add('llm-1');
    await setup.create({ replicas: 2, startupPolicy: 'LeaderReady' });
    await setup.run();
    expect(setup.podNames().sort()).toEqual(['llm-0', 'llm-0-1', 'llm-0-2', 'llm-0-3', 'llm-1']);
    expect(setup.truths).toEqual(['Progressing']);
    setup.broken.clear();
    await setup.run();
    expect(setup.podNames()).toHaveLength(8);
    expect(setup.truths).toEqual(['Available']);
  });

  test('a group of one has no workers', async () => {
    await setup.create({ leaderWorkerTemplate: { size: 1, workerTemplate: template('app:1') } });
    await setup.run();
    expect(setup.podNames()).toEqual(['llm-0', 'llm-1', 'llm-2']);
    expect(setup.set('llm-0')).toBeUndefined();
    expect(setup.truths).toEqual(['Available']);
  });

  test('each group can have a subdomain of its own', async () => {
    await setup.create({ replicas: 1, networkConfig: { subdomainPolicy: 'UniquePerReplica' } });
    await setup.run();
    expect(setup.plane.view.get('services', 'default', 'llm')).toBeUndefined();
    expect(setup.plane.view.get('services', 'default', 'llm-0')?.['spec']).toMatchObject({
      selector: { [label('name')]: 'llm', [label('group-index')]: '0' },
    });
    for (const name of ['llm-0', 'llm-0-1']) {
      expect(setup.pod(name).spec.subdomain).toBe('llm-0');
      expect(setup.pod(name).spec.containers[0]?.env?.[0]?.value).toBe('llm-0.llm-0.default');
    }
  });

  test('workers follow their leader into its domain', async () => {
    await setup.client.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-a', labels: { rack: 'r7' } },
    });
    await setup.create({ replicas: 1 }, { [label('exclusive-topology')]: 'rack' });
    await setup.run();
    expect(setup.pod('llm-0').spec.nodeSelector).toBeUndefined();
    expect(setup.pod('llm-0').spec.affinity?.podAntiAffinity).toBeDefined();
    expect(setup.pod('llm-0-1').spec.nodeSelector).toEqual({ rack: 'r7' });
    expect(setup.pod('llm-0-1').spec.affinity).toBeUndefined();
  });

  test('the leader can have a template of its own', async () => {
    const leaderTemplate = { metadata: { labels: { role: 'leader' } }, ...template('leader:1') };
    await setup.create({
      replicas: 1,
      leaderWorkerTemplate: { size: 2, leaderTemplate, workerTemplate: template('app:1') },
    });
    await setup.run();
    expect(setup.pod('llm-0').spec.containers[0]?.image).toBe('leader:1');
    expect(setup.pod('llm-0').metadata.labels).toMatchObject({ role: 'leader', [label('name')]: 'llm' });
    expect(setup.pod('llm-0-1').spec.containers[0]?.image).toBe('app:1');
  });

  test('a template that cannot work is reported once and again, without leaving revisions behind', async () => {
    await setup.create({ leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [] } } } });
    await setup.clock.advance(20_000);
    expect(setup.events()).toContain('FailedCreate: Failed to create leader statefulset llm');
    expect(setup.plane.view.list('apps/controllerrevisions')).toHaveLength(1);
  });
});
