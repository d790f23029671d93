import { afterEach, describe, expect, it } from 'vitest';
import type { PodObject, ReplicaSetObject } from '../../../src/controllers/common/workloads.ts';
import {
  startReplicaSetController,
  startReplicationController,
} from '../../../src/controllers/replicaset/replicaset-controller.ts';
import { ApiError } from '../../../src/errors.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { pod, replicaSet, template } from '../workloads.ts';

const sets = 'apps/replicasets';
let cluster: FakeCluster;

afterEach(() => cluster.stop());

async function start(spec: Partial<ReplicaSetObject['spec']> = {}): Promise<void> {
  cluster = new FakeCluster().start(startReplicaSetController);
  await cluster.client.create(sets, replicaSet('web', spec));
  await cluster.run();
}

const status = () => cluster.get<ReplicaSetObject>(sets, 'web').status;

describe('ReplicaSet controller', () => {
  it('keeps as many pods as asked for, with generated names, owned by it', async () => {
    await start();
    expect(cluster.podNames()).toHaveLength(3);
    for (const one of cluster.pods()) {
      expect(one.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
      expect(one.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: cluster.get(sets, 'web').metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    expect(status()).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    expect(cluster.events('web')).toContain(`SuccessfulCreate: Created pod: ${cluster.podNames()[0]}`);
  });

  it('replaces a pod that is deleted and one that failed', async () => {
    await start();
    const [first, second, third] = cluster.podNames() as [string, string, string];
    await cluster.client.delete('pods', 'default', first);
    await cluster.setPod(second, 'failed');
    await cluster.run();
    const active = cluster.pods().filter((one) => one.status?.phase === 'Running');
    expect(active).toHaveLength(3);
    expect(active.map(({ metadata }) => metadata.name)).toContain(third);
  });

  it('removes what is too much', async () => {
    await start();
    await cluster.edit<ReplicaSetObject>(sets, 'web', ({ spec }) => {
      spec.replicas = 1;
    });
    await cluster.quiet();
    expect(status()).toMatchObject({ replicas: 1, terminatingReplicas: 2 });
    await cluster.run();
    expect(cluster.pods()).toHaveLength(1);
    expect(cluster.events('web').filter((event) => event.startsWith('SuccessfulDelete'))).toHaveLength(2);
  });

  it('adopts a matching orphan instead of creating a pod', async () => {
    cluster = new FakeCluster().start(startReplicaSetController);
    await cluster.client.create('pods', pod('stray'));
    await cluster.client.create(sets, replicaSet('web', { replicas: 2 }));
    await cluster.run();
    expect(cluster.podNames()).toContain('stray');
    expect(cluster.pods()).toHaveLength(2);
    expect(cluster.get('pods', 'stray').metadata.ownerReferences?.[0]).toMatchObject({ name: 'web', controller: true });
  });

  it('lets go of a pod that it does not select any more, and replaces it', async () => {
    await start();
    const name = cluster.podNames()[0] as string;
    await cluster.edit<PodObject>('pods', name, ({ metadata }) => {
      metadata.labels = { app: 'debug' };
    });
    await cluster.run();
    expect(cluster.get('pods', name).metadata.ownerReferences).toBeUndefined();
    expect(cluster.pods()).toHaveLength(4);
  });

  it('leaves pods of others alone', async () => {
    cluster = new FakeCluster().start(startReplicaSetController);
    const owned = pod('taken');
    owned.metadata.ownerReferences = [{ apiVersion: 'x/v1', kind: 'Other', name: 'o', uid: 'other', controller: true }];
    await cluster.client.create('pods', owned);
    await cluster.client.create(sets, replicaSet('web', { replicas: 1 }));
    await cluster.run();
    expect(cluster.get('pods', 'taken').metadata.ownerReferences?.[0]?.name).toBe('o');
    expect(cluster.pods()).toHaveLength(2);
  });

  it('counts pods as available when they have been ready for long enough', async () => {
    await start({ minReadySeconds: 30 });
    expect(status()).toMatchObject({ readyReplicas: 3 });
    expect(status()).not.toHaveProperty('availableReplicas');
    await cluster.clock.advance(31_000);
    expect(status()).toMatchObject({ availableReplicas: 3 });
  });

  it('says when pods are refused, and takes it back', async () => {
    cluster = new FakeCluster().start(startReplicaSetController);
    const refusal = new ApiError({ code: 403, reason: 'Forbidden', message: 'pods "x" is forbidden: exceeded quota' });
    cluster.refuse = (verb, resource) => (verb === 'create' && resource === 'pods' ? refusal : undefined);
    await cluster.client.create(sets, replicaSet('web'));
    await cluster.clock.advance(500);
    expect(status()?.conditions).toEqual([
      expect.objectContaining({
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: refusal.message,
      }),
    ]);
    expect(cluster.events('web')).toEqual([`FailedCreate: Error creating: ${refusal.message}`]);
    cluster.refuse = () => undefined;
    await cluster.clock.advance(60_000);
    await cluster.run();
    expect(status()).not.toHaveProperty('conditions');
    expect(status()?.readyReplicas).toBe(3);
  });

  it('does nothing to its pods while it is being deleted', async () => {
    await start();
    await cluster.edit(sets, 'web', ({ metadata }) => {
      metadata.finalizers = ['test/hold'];
    });
    await cluster.client.delete(sets, 'default', 'web');
    await cluster.client.delete('pods', 'default', cluster.podNames()[0] as string);
    await cluster.run();
    expect(cluster.pods()).toHaveLength(2);
  });

  it('writes no status that says the same', async () => {
    await start();
    const before = cluster.store.revision;
    await cluster.edit(sets, 'web', ({ metadata }) => {
      metadata.annotations = { touched: 'yes' };
    });
    await cluster.quiet();
    expect(cluster.store.revision).toBe(before + 1);
  });
});

describe('ReplicationController controller', () => {
  it('works as a ReplicaSet does, with its plain selector', async () => {
    cluster = new FakeCluster().start(startReplicationController);
    await cluster.client.create('replicationcontrollers', {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'old', namespace: 'default' },
      spec: { replicas: 2, selector: { app: 'web' }, template: template() },
    });
    await cluster.run();
    expect(cluster.pods()).toHaveLength(2);
    expect(cluster.get('replicationcontrollers', 'old')['status']).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });
  });
});
