import { afterEach, describe, expect, it } from 'vitest';
import { systemUser } from '../../src/auth/user.ts';
import { bootstrap } from '../../src/bootstrap.ts';
import { type ControlPlane, createControlPlane } from '../../src/control-plane.ts';
import type { PodObject } from '../../src/controllers/common/workloads.ts';
import type { Controller, ControllerContext } from '../../src/controllers/controller.ts';
import { startDaemonSetController } from '../../src/controllers/daemonset/daemonset-controller.ts';
import { startDeploymentController } from '../../src/controllers/deployment/deployment-controller.ts';
import { startJobController } from '../../src/controllers/job/job-controller.ts';
import {
  startReplicaSetController,
  startReplicationController,
} from '../../src/controllers/replicaset/replicaset-controller.ts';
import { startStatefulSetController } from '../../src/controllers/statefulset/statefulset-controller.ts';
import type { KubeObject } from '../../src/objects.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { timestamp } from '../../src/time/clock.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

const starters = [
  startReplicaSetController,
  startReplicationController,
  startDeploymentController,
  startStatefulSetController,
  startDaemonSetController,
  startJobController,
];

/** The workload controllers on the API itself, with its defaults and validation. */
class Setup {
  readonly clock = new VirtualClock();
  readonly plane: ControlPlane;
  readonly errors: unknown[] = [];
  readonly #controllers: readonly Controller[];

  constructor() {
    const random = seededRandom(7);
    this.plane = createControlPlane({ store: createMemoryStore({ freeze: true }), clock: this.clock, random });
    const context: ControllerContext = {
      view: this.plane.view,
      clock: this.clock,
      random,
      clientFor: (controller) => this.plane.controllerClient(controller),
      report: (_controller, _key, error) => this.errors.push(error),
    };
    this.#controllers = starters.map((start) => start(context));
  }

  get client() {
    return this.plane.clientFor(systemUser, 'test');
  }

  async create(resource: string, apiVersion: string, kind: string, name: string, spec: object): Promise<void> {
    await this.client.create(resource, {
      apiVersion,
      kind,
      metadata: { name, namespace: 'default' },
      spec,
    } as KubeObject);
  }

  /** Pods run as soon as they are seen, and those of jobs succeed. */
  async run(): Promise<void> {
    for (let round = 0; round < 60; round += 1) {
      await this.clock.advance(200);
      for (const pod of this.plane.view.list<PodObject>('pods')) {
        if (pod.metadata.deletionTimestamp !== undefined) await this.#end(pod);
        else await this.#settle(pod);
      }
    }
  }

  async #end({ metadata }: PodObject): Promise<void> {
    await this.client.delete('pods', metadata.namespace ?? '', metadata.name, { gracePeriodSeconds: 0 });
  }

  async #settle(pod: PodObject): Promise<void> {
    if (!pod.spec.nodeName) {
      await this.client.bind('default', pod.metadata.name, pod.metadata.uid ?? '', 'node-a');
      return;
    }
    const phase = pod.metadata.ownerReferences?.[0]?.kind === 'Job' ? 'Succeeded' : 'Running';
    if (pod.status?.phase === phase) return;
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(this.clock.now()) };
    await this.client.modify<PodObject>(
      'pods',
      'default',
      pod.metadata.name,
      (draft) => ({ ...draft, status: { ...draft.status, phase, conditions: [ready] } }),
      { subresource: 'status' },
    );
  }

  status(resource: string, name: string): unknown {
    return this.plane.view.get(resource, 'default', name)?.['status'];
  }

  stop(): void {
    for (const controller of this.#controllers) controller.stop();
    this.plane.close();
  }
}

const selector = { matchLabels: { app: 'web' } };
const pods = (image: string, extra = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }], ...extra },
});

describe('workload controllers on the API', () => {
  let setup: Setup;

  async function start(): Promise<void> {
    setup = new Setup();
    await bootstrap(setup.plane.clientFor(systemUser, 'test'));
    const metadata = { name: 'default', namespace: 'default' };
    await setup.client.create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await setup.client.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' }, spec: {} });
    // A new node is tainted until it has reported; this one has.
    await setup.client.modify('nodes', '', 'node-a', (draft) => ({ ...draft, spec: {} }));
  }

  const setImage = (resource: string, image: string) =>
    setup.client.modify<KubeObject & { spec: { template: object } }>(resource, 'default', 'web', (draft) => ({
      ...draft,
      spec: { ...draft.spec, template: pods(image) },
    }));

  afterEach(() => setup.stop());

  it.each([
    [
      'apps/replicasets',
      'apps/v1',
      'ReplicaSet',
      { replicas: 2, selector },
      { replicas: 2, readyReplicas: 2, availableReplicas: 2 },
    ],
    [
      'replicationcontrollers',
      'v1',
      'ReplicationController',
      { replicas: 2, selector: { app: 'web' } },
      { replicas: 2, readyReplicas: 2 },
    ],
    [
      'apps/deployments',
      'apps/v1',
      'Deployment',
      { replicas: 2, selector },
      { updatedReplicas: 2, availableReplicas: 2 },
    ],
    [
      'apps/statefulsets',
      'apps/v1',
      'StatefulSet',
      { replicas: 2, serviceName: 'web', selector },
      { updatedReplicas: 2, currentReplicas: 2 },
    ],
    [
      'apps/daemonsets',
      'apps/v1',
      'DaemonSet',
      { selector },
      { desiredNumberScheduled: 1, numberReady: 1, updatedNumberScheduled: 1 },
    ],
    ['batch/jobs', 'batch/v1', 'Job', { completions: 3, parallelism: 2 }, { succeeded: 3, ready: 0, terminating: 0 }],
  ])('%s come to rest', async (resource, apiVersion, kind, spec, expected) => {
    await start();
    const extra = kind === 'Job' ? { restartPolicy: 'Never' } : {};
    await setup.create(resource, apiVersion, kind, 'web', { ...spec, template: pods('app:1', extra) });
    await setup.run();
    expect(setup.errors).toEqual([]);
    expect(setup.status(resource, 'web')).toMatchObject(expected);
    const { store } = setup.plane.registry;
    const before = store.revision;
    await setup.clock.advance(120_000);
    expect(store.revision).toBe(before);
  });

  it.each([
    ['apps/deployments', 'Deployment', { replicas: 3, selector }],
    ['apps/statefulsets', 'StatefulSet', { replicas: 3, serviceName: 'web', selector }],
    ['apps/daemonsets', 'DaemonSet', { selector }],
  ])('%s roll to a new template and back', async (resource, kind, spec) => {
    await start();
    await setup.create(resource, 'apps/v1', kind, 'web', { ...spec, template: pods('app:1') });
    await setup.run();
    for (const image of ['app:2', 'app:1']) {
      await setImage(resource, image);
      await setup.run();
      const images = setup.plane.view.list<PodObject>('pods').map((pod) => pod.spec.containers[0]?.image);
      expect(new Set(images)).toEqual(new Set([image]));
    }
    expect(setup.errors).toEqual([]);
  });
});
