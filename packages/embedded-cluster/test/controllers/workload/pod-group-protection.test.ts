import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemUser } from '../../../src/auth/user.ts';
import { bootstrap } from '../../../src/bootstrap.ts';
import type { Client } from '../../../src/client.ts';
import { type ControlPlane, createControlPlane } from '../../../src/control-plane.ts';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import type { Controller } from '../../../src/controllers/controller.ts';
import { startPodGroupProtectionController } from '../../../src/controllers/workload/pod-group-protection-controller.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { createMemoryStore } from '../../../src/store/memory-store.ts';
import { seededRandom } from '../../../src/time/random.ts';
import { VirtualClock } from '../../../src/time/virtual-clock.ts';

const groups = 'scheduling.k8s.io/podgroups';
const finalizer = 'scheduling.k8s.io/podgroup-protection';

let clock: VirtualClock;
let plane: ControlPlane;
let client: Client;
let controller: Controller;
const errors: unknown[] = [];

beforeEach(async () => {
  errors.length = 0;
  clock = new VirtualClock();
  const random = seededRandom(5);
  plane = createControlPlane({ store: createMemoryStore({ freeze: true }), clock, random });
  client = plane.clientFor(systemUser, 'test');
  await bootstrap(client);
  await client.create('serviceaccounts', object('v1', 'ServiceAccount', 'default', {}));
  controller = start();
});

afterEach(() => {
  controller.stop();
  plane.close();
  expect(errors).toEqual([]);
});

function start(): Controller {
  return startPodGroupProtectionController({
    view: plane.view,
    clock,
    random: seededRandom(6),
    clientFor: (name) => plane.controllerClient(name),
    report: (_controller, _key, error) => errors.push(error),
  });
}

function object(apiVersion: string, kind: string, name: string, more: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: 'default' }, ...more };
}

async function createGroup(finalizers?: string[]): Promise<KubeObject> {
  const group = object('scheduling.k8s.io/v1beta1', 'PodGroup', 'gang', {
    spec: { schedulingPolicy: { gang: { minCount: 2 } } },
  });
  return client.create(groups, finalizers ? { ...group, metadata: { ...group.metadata, finalizers } } : group);
}

const member = (name: string) =>
  client.create(
    'pods',
    object('v1', 'Pod', name, {
      spec: { containers: [{ name: 'main', image: 'app' }], schedulingGroup: { podGroupName: 'gang' } },
    }),
  );

async function deleteGroup(): Promise<void> {
  await client.delete(groups, 'default', 'gang');
  await clock.advance(1_000);
}

const group = () => plane.view.get(groups, 'default', 'gang');

async function setPhase(name: string, phase: 'Running' | 'Succeeded' | 'Failed'): Promise<void> {
  const change = (pod: PodObject): PodObject => ({ ...pod, status: { ...pod.status, phase } });
  await client.modify<PodObject>('pods', 'default', name, change, { subresource: 'status' });
  await clock.advance(1_000);
}

describe('a pod group', () => {
  test('is protected from the start, once', async () => {
    expect((await createGroup(['example.com/mine', finalizer])).metadata.finalizers).toEqual([
      'example.com/mine',
      finalizer,
    ]);
  });

  test('goes at once when it has no pods', async () => {
    expect((await createGroup()).metadata.finalizers).toEqual([finalizer]);
    await deleteGroup();
    expect(group()).toBeUndefined();
  });

  test('waits for the last of its pods', async () => {
    await createGroup();
    await member('one');
    await member('two');
    await deleteGroup();
    expect(group()?.metadata.deletionTimestamp).toBeDefined();
    await client.delete('pods', 'default', 'one', { gracePeriodSeconds: 0 });
    await clock.advance(1_000);
    expect(group()).toBeDefined();
    await client.delete('pods', 'default', 'two', { gracePeriodSeconds: 0 });
    await clock.advance(1_000);
    expect(group()).toBeUndefined();
  });

  test.each(['Succeeded', 'Failed'] as const)('does not wait for a pod that has %s', async (phase) => {
    await createGroup();
    await member('one');
    await setPhase('one', 'Running');
    await deleteGroup();
    expect(group()).toBeDefined();
    await setPhase('one', phase);
    expect(group()).toBeUndefined();
  });

  test('does not wait for pods of others, and leaves the finalizers of others', async () => {
    await createGroup(['example.com/mine']);
    await client.create(
      'pods',
      object('v1', 'Pod', 'other', {
        spec: { containers: [{ name: 'main', image: 'app' }], schedulingGroup: { podGroupName: 'else' } },
      }),
    );
    await deleteGroup();
    expect(group()?.metadata.finalizers).toEqual(['example.com/mine']);
  });

  test('is let go by a controller that starts later', async () => {
    controller.stop();
    await createGroup();
    await member('one');
    await deleteGroup();
    controller = start();
    await clock.advance(1_000);
    expect(group()).toBeDefined();
    await client.delete('pods', 'default', 'one', { gracePeriodSeconds: 0 });
    await clock.advance(1_000);
    expect(group()).toBeUndefined();
  });
});
