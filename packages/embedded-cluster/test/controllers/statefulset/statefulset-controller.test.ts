import { afterEach, describe, expect, it } from 'vitest';
import type { StatefulSetObject } from '../../../src/controllers/common/workloads.ts';
import {
  type StatefulSetOptions,
  startStatefulSetController,
} from '../../../src/controllers/statefulset/statefulset-controller.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { statefulSet, template } from '../workloads.ts';

const sets = 'apps/statefulsets';
let cluster: FakeCluster;

afterEach(() => cluster.stop());

async function start(spec: Partial<StatefulSetObject['spec']> = {}, options: StatefulSetOptions = {}): Promise<void> {
  cluster = new FakeCluster().start((context) => startStatefulSetController(context, options));
  await cluster.client.create(sets, statefulSet('db', spec));
  await cluster.run();
}

const setImage = (image: string) =>
  cluster.edit<StatefulSetObject>(sets, 'db', (set) => {
    set.spec.template = template(image);
  });

const images = () => cluster.pods().map(({ spec }) => spec.containers[0]?.image);
const status = () => cluster.get<StatefulSetObject>(sets, 'db').status;

describe('StatefulSet controller', () => {
  it('creates pods in order, each when the one before is ready', async () => {
    cluster = new FakeCluster().start(startStatefulSetController);
    await cluster.client.create(sets, statefulSet('db'));
    const seen: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      await cluster.quiet();
      seen.push(cluster.podNames().join(' '));
      await cluster.kubelet();
    }
    expect(seen).toEqual(['db-0', 'db-0 db-1', 'db-0 db-1 db-2', 'db-0 db-1 db-2']);
  });

  it('gives pods their identity', async () => {
    await start({ replicas: 1, ordinals: { start: 5 } });
    const [pod] = cluster.pods();
    expect(pod?.metadata.name).toBe('db-5');
    expect(pod?.metadata.labels).toEqual({
      app: 'web',
      'statefulset.kubernetes.io/pod-name': 'db-5',
      'apps.kubernetes.io/pod-index': '5',
      'controller-revision-hash': status()?.updateRevision,
    });
    expect(pod?.spec.hostname).toBe('db-5');
    expect(pod?.spec.subdomain).toBe('db');
    expect(pod?.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'StatefulSet', name: 'db', controller: true, blockOwnerDeletion: true }),
    ]);
  });

  it('reports a settled set', async () => {
    await start();
    const { currentRevision } = status() ?? {};
    expect(currentRevision).toMatch(/^db-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(status()).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision,
      updateRevision: currentRevision,
      collisionCount: 0,
    });
    expect(cluster.events('db')).toContain('SuccessfulCreate: Create Pod db-2 in StatefulSet db successful');
  });

  it('keeps the template as a replacing patch in its revision', async () => {
    await start();
    const [revision] = cluster.view.list('apps/controllerrevisions', 'default');
    expect(revision?.['data']).toEqual({ spec: { template: { ...template(), $patch: 'replace' } } });
    expect(revision?.['revision']).toBe(1);
  });

  it('updates from the highest ordinal down, and then makes the new revision the current one', async () => {
    await start();
    await setImage('app:2');
    await cluster.quiet();
    await cluster.kubelet();
    await cluster.quiet();
    expect(images()).toEqual(['app:1', 'app:1', 'app:2']);
    expect(status()?.currentRevision).not.toBe(status()?.updateRevision);
    await cluster.run();
    expect(images()).toEqual(['app:2', 'app:2', 'app:2']);
    expect(status()?.currentRevision).toBe(status()?.updateRevision);
  });

  it('leaves pods below the partition alone, and recreates them from the current revision', async () => {
    await start({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await setImage('app:2');
    await cluster.run();
    await cluster.client.delete('pods', 'default', 'db-0');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'app:2']);
    expect(status()?.updatedReplicas).toBe(1);
  });

  it('goes back to a revision it had before', async () => {
    await start();
    await setImage('app:2');
    await cluster.run();
    await setImage('app:1');
    await cluster.run();
    const numbers = cluster.view.list('apps/controllerrevisions', 'default').map((one) => one['revision']);
    expect(numbers.sort()).toEqual([2, 3]);
    expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
  });

  it('keeps no more unused revisions than it should', async () => {
    await start({ revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await setImage(image);
      await cluster.run();
    }
    expect(cluster.view.list('apps/controllerrevisions', 'default')).toHaveLength(2);
  });

  it.each([
    ['with maxUnavailable', true],
    ['without maxUnavailable', false],
  ])('sticks at a broken update, even when the template is fixed, until the pod is deleted (%s)', async (_, gate) => {
    await start({}, { maxUnavailableGate: gate });
    await setImage('broken:2');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'broken:2']);
    await setImage('app:3');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'broken:2']);
    await cluster.client.delete('pods', 'default', 'db-2');
    await cluster.run();
    expect(images()).toEqual(['app:3', 'app:3', 'app:3']);
  });

  it('does not stick when pods are managed in parallel', async () => {
    await start({ podManagementPolicy: 'Parallel' });
    await setImage('broken:2');
    await cluster.run();
    await setImage('app:3');
    await cluster.run();
    expect(images()).toEqual(['app:3', 'app:3', 'app:3']);
  });

  it('creates nothing above a pod that broke', async () => {
    await start();
    await cluster.setPod('db-0', 'unready');
    await cluster.client.delete('pods', 'default', 'db-2');
    await cluster.run((pod) => (pod.metadata.name === 'db-0' ? 'unready' : 'ready'));
    expect(cluster.podNames()).toEqual(['db-0', 'db-1']);
  });

  it('replaces pods that ended', async () => {
    await start();
    const before = cluster.get('pods', 'db-1').metadata.uid;
    await cluster.setPod('db-1', 'failed');
    await cluster.run();
    expect(cluster.get('pods', 'db-1').metadata.uid).not.toBe(before);
    expect(status()?.readyReplicas).toBe(3);
  });

  it('updates only on deletion when told so', async () => {
    await start({ updateStrategy: { type: 'OnDelete' } });
    await setImage('app:2');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
    await cluster.client.delete('pods', 'default', 'db-1');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:2', 'app:1']);
  });

  it('scales down from the top, one at a time', async () => {
    await start();
    await cluster.edit<StatefulSetObject>(sets, 'db', (set) => {
      set.spec.replicas = 0;
    });
    const seen: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      await cluster.quiet();
      seen.push(
        cluster
          .pods()
          .map(({ metadata }) => `${metadata.name}${metadata.deletionTimestamp ? '!' : ''}`)
          .join(' '),
      );
      await cluster.kubelet();
    }
    expect(seen).toEqual(['db-0 db-1 db-2!', 'db-0 db-1!', 'db-0!', '']);
  });

  it('waits for minReadySeconds before it goes on', async () => {
    cluster = new FakeCluster().start(startStatefulSetController);
    await cluster.client.create(sets, statefulSet('db', { minReadySeconds: 60, replicas: 2 }));
    await cluster.run();
    expect(cluster.podNames()).toEqual(['db-0']);
    expect(status()).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await cluster.clock.advance(61_000);
    await cluster.run();
    expect(cluster.podNames()).toEqual(['db-0', 'db-1']);
    expect(status()).toMatchObject({ readyReplicas: 2, availableReplicas: 1 });
  });

  it('adopts an orphan that has its name and labels', async () => {
    await start();
    await cluster.edit('pods', 'db-1', (pod) => {
      delete pod.metadata.ownerReferences;
    });
    await cluster.run();
    expect(cluster.get('pods', 'db-1').metadata.ownerReferences?.[0]?.name).toBe('db');
  });
});

describe('claims of a StatefulSet', () => {
  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  const claim = (name: string) => cluster.get('persistentvolumeclaims', name);

  it('are made once for each pod, mounted, and kept', async () => {
    await start({ volumeClaimTemplates });
    const uid = claim('data-db-2').metadata.uid;
    await cluster.edit<StatefulSetObject>(sets, 'db', (set) => {
      set.spec.replicas = 1;
    });
    await cluster.run();
    expect(claim('data-db-2').metadata.uid).toBe(uid);
    expect(claim('data-db-2').metadata.ownerReferences).toBeUndefined();
    expect(cluster.pods()[0]?.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    ]);
  });

  it('belong to the set when they are to go with it, and to the pod when it is scaled away', async () => {
    await start({
      volumeClaimTemplates,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    expect(claim('data-db-1').metadata.ownerReferences?.[0]?.kind).toBe('StatefulSet');
    await cluster.edit<StatefulSetObject>(sets, 'db', (set) => {
      set.spec.replicas = 1;
    });
    await cluster.run();
    expect(claim('data-db-0').metadata.ownerReferences?.[0]?.kind).toBe('StatefulSet');
    expect(claim('data-db-1').metadata.ownerReferences?.[0]?.kind).toBe('Pod');
  });

  it('hold a pod back while they are being deleted, and let it go when they are gone', async () => {
    await start({ volumeClaimTemplates, replicas: 1 });
    await cluster.edit('persistentvolumeclaims', 'data-db-0', ({ metadata }) => {
      metadata.finalizers = ['kubernetes.io/pvc-protection'];
    });
    await cluster.client.delete('persistentvolumeclaims', 'default', 'data-db-0');
    await cluster.client.delete('pods', 'default', 'db-0');
    await cluster.quiet();
    await cluster.kubelet();
    await cluster.clock.advance(100);
    expect(cluster.pods()).toEqual([]);
    expect(cluster.events('db')).toContain(
      'FailedCreate: Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted',
    );
    await cluster.edit('persistentvolumeclaims', 'data-db-0', ({ metadata }) => {
      metadata.finalizers = [];
    });
    await cluster.clock.advance(0);
    expect(cluster.podNames()).toEqual(['db-0']);
    expect(cluster.errors).toEqual([]);
  });
});
