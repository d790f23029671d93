import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client.ts';
import type { NodeObject, PodObject } from '../../../src/controllers/common/workloads.ts';
import { startScheduler } from '../../../src/controllers/scheduler/scheduler.ts';
import { internalError } from '../../../src/errors.ts';
import type { KubeObject, Metadata } from '../../../src/objects.ts';
import { TestPlane } from '../test-plane.ts';
import { aNode, type NodeFields } from './a-state.ts';

let bed: TestPlane;

beforeEach(async () => {
  bed = new TestPlane();
  await bed.namespace('default');
});

afterEach(() => bed.stop());

/** A node that takes pods: without the taint that new nodes have. */
async function node(name: string, fields: NodeFields = {}): Promise<void> {
  await bed.create('nodes', aNode(name, fields));
  await editNode(name, (draft) => ({ ...draft, spec: fields.spec ?? {} }));
}

async function editNode(name: string, change: (draft: NodeObject) => NodeObject): Promise<void> {
  await bed.client.modify<NodeObject>('nodes', '', name, change);
}

async function pod(name: string, spec: object = {}, metadata: Partial<Metadata> = {}): Promise<void> {
  await bed.pod('default', name, metadata, spec as Partial<PodObject['spec']>);
}

function asking(cpu: string): object {
  return { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }] };
}

const podOf = (name: string) => bed.get<PodObject>('pods', 'default', name);
const placeOf = (name: string) => podOf(name).spec.nodeName;
const scheduled = (name: string) => podOf(name).status?.conditions?.find(({ type }) => type === 'PodScheduled');

function eventsAbout(name: string): readonly string[] {
  return bed.plane.view
    .list('events', 'default')
    .filter((event) => (event['involvedObject'] as { name: string }).name === name)
    .map((event) => `${event['type']} ${event['reason']}: ${event['message']} (${event['count']})`);
}

/** A client whose binding goes wrong where `wrong` says so. */
function withBinding(wrong: (name: string) => Promise<void>): void {
  bed.start((context) =>
    startScheduler({
      ...context,
      clientFor(controller): Client {
        const client = context.clientFor(controller);
        return {
          ...client,
          async bind(namespace, name, uid, target) {
            await wrong(name);
            await client.bind(namespace, name, uid, target);
          },
        };
      },
    }),
  );
}

describe('the scheduler', () => {
  it('binds a pod, and says so', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    await pod('p');
    await bed.quiet();
    expect(placeOf('p')).toBe('a');
    expect(scheduled('p')?.status).toBe('True');
    expect(eventsAbout('p')).toEqual(['Normal Scheduled: Successfully assigned default/p to a (1)']);
  });

  it('finds pods and nodes that were there before it', async () => {
    await node('a');
    await pod('p');
    bed.start((context) => startScheduler(context));
    await bed.quiet();
    expect(placeOf('p')).toBe('a');
  });

  it('keeps quiet about success when it is told to', async () => {
    bed.start((context) => startScheduler(context, { successEvents: false }));
    await node('a');
    await pod('p');
    await bed.quiet();
    expect(placeOf('p')).toBe('a');
    expect(eventsAbout('p')).toEqual([]);
  });

  it('leaves pods of other schedulers, and pods that are held back, alone', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    await pod('other', { schedulerName: 'mine' });
    await pod('gated', { schedulingGates: [{ name: 'x.io/wait' }] });
    await bed.quiet();
    expect(placeOf('other')).toBeUndefined();
    expect(placeOf('gated')).toBeUndefined();
    expect(scheduled('gated')?.reason).toBe('SchedulingGated');
    await bed.client.modify<PodObject>('pods', 'default', 'gated', (draft) => {
      delete draft.spec.schedulingGates;
      return draft;
    });
    await bed.quiet();
    expect(placeOf('gated')).toBe('a');
  });

  it('writes down why a pod has no node, once', async () => {
    bed.start((context) => startScheduler(context));
    await node('a', { spec: { unschedulable: true } });
    await pod('p');
    await bed.quiet();
    const message = '0/1 nodes are available: 1 node(s) were unschedulable.';
    expect(scheduled('p')).toMatchObject({ status: 'False', reason: 'Unschedulable', message });
    expect(eventsAbout('p')).toEqual([`Warning FailedScheduling: ${message} (1)`]);
    const before = podOf('p').metadata.resourceVersion;
    await bed.clock.advance(600_000);
    expect(podOf('p').metadata.resourceVersion).toBe(before);
    expect(eventsAbout('p')).toHaveLength(1);
  });

  it.each([
    ['a node is uncordoned', () => editNode('a', (draft) => ({ ...draft, spec: {} }))],
    ['a node joins', () => node('b')],
  ])('tries again when %s', async (_name, change) => {
    bed.start((context) => startScheduler(context));
    await node('a', { spec: { unschedulable: true } });
    await pod('p');
    await bed.quiet();
    expect(placeOf('p')).toBeUndefined();
    await change();
    await bed.clock.advance(1500);
    expect(placeOf('p')).toBeDefined();
    expect(scheduled('p')?.status).toBe('True');
  });

  it('tries again when another pod goes', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    await pod('big', asking('3'));
    await bed.quiet();
    await pod('p', asking('2'));
    await bed.quiet();
    expect(scheduled('p')?.message).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    await bed.client.delete('pods', 'default', 'big', { gracePeriodSeconds: 0 });
    await bed.clock.advance(1500);
    expect(placeOf('p')).toBe('a');
  });

  it('tries again when another pod has finished', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    await pod('big', asking('3'));
    await bed.quiet();
    await pod('p', asking('2'));
    await bed.quiet();
    await bed.setPodStatus('default', 'big', { phase: 'Succeeded' });
    await bed.clock.advance(1500);
    expect(placeOf('p')).toBe('a');
  });

  it('waits longer after each failure', async () => {
    bed.start((context) => startScheduler(context));
    await node('a', { spec: { unschedulable: true } });
    await pod('p');
    await bed.quiet();
    const tries = () => Number(/\((\d+)\)/.exec(eventsAbout('p')[0] ?? '')?.[1]);
    for (let change = 0; change < 40; change += 1) {
      await editNode('a', (draft) => ({ ...draft, metadata: { ...draft.metadata, labels: { turn: `${change}` } } }));
      await bed.clock.advance(1000);
    }
    // After 1, 2, 4, 8, 10 and 10 seconds: not once for each change.
    expect(tries()).toBe(7);
  });

  it('does not overbook a node when many pods come at once', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    await node('b');
    for (let index = 0; index < 12; index += 1) await pod(`p-${index}`, asking('1'));
    await bed.quiet();
    const places = bed.plane.view.list<PodObject>('pods', 'default').map(({ spec }) => spec.nodeName ?? '-');
    expect(places.toSorted()).toEqual([...Array(4).fill('-'), ...Array(4).fill('a'), ...Array(4).fill('b')]);
  });

  it('takes the more important pod first', async () => {
    await node('a');
    const important = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 10,
    };
    await bed.create('scheduling.k8s.io/priorityclasses', important);
    await pod('low', asking('3'));
    await pod('high', { ...asking('3'), priorityClassName: 'high' });
    bed.start((context) => startScheduler(context));
    await bed.quiet();
    expect([placeOf('low'), placeOf('high')]).toEqual([undefined, 'a']);
  });

  it('tries again after a binding that failed, and gives the place back meanwhile', async () => {
    let failures = 0;
    withBinding(async (name) => {
      if (name !== 'unlucky' || failures > 0) return;
      failures += 1;
      throw internalError('no luck');
    });
    await node('a');
    await pod('unlucky', asking('3'));
    await bed.quiet();
    expect(placeOf('unlucky')).toBeUndefined();
    expect(bed.errors).toHaveLength(1);
    await bed.clock.advance(1500);
    expect(placeOf('unlucky')).toBe('a');
  });

  it('gives the place of a pod back that goes while it is bound', async () => {
    withBinding(async (name) => {
      if (name === 'leaving') await bed.client.delete('pods', 'default', 'leaving', { gracePeriodSeconds: 0 });
    });
    await node('a');
    await pod('leaving', asking('3'));
    await bed.quiet();
    await pod('p', asking('3'));
    await bed.clock.advance(1500);
    expect(placeOf('p')).toBe('a');
    expect(bed.errors).toEqual([]);
  });

  it('does not try a pod again whose binding is under way, whatever is written about it', async () => {
    const bound: string[] = [];
    withBinding(async (name) => {
      bound.push(name);
      await bed.setPodStatus('default', name, { conditions: [{ type: 'x.io/Seen', status: 'True' }] });
      await new Promise((resolve) => bed.clock.after(500, () => resolve(undefined)));
    });
    await node('a');
    await pod('p');
    await bed.clock.advance(5000);
    expect(bound).toEqual(['p']);
    expect(placeOf('p')).toBe('a');
  });

  it('does not try a pod that is on its way out', async () => {
    const bound: string[] = [];
    withBinding(async (name) => {
      bound.push(name);
    });
    await pod('p', {}, { finalizers: ['x.io/hold'] });
    await bed.quiet();
    await bed.client.delete('pods', 'default', 'p');
    await node('a');
    await bed.clock.advance(30_000);
    expect(podOf('p').metadata.deletionTimestamp).toBeDefined();
    expect(bound).toEqual([]);
  });

  it('joins a pod that was waited for', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    const labelSelector = { matchLabels: { app: 'db' } };
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector };
    await pod('p', { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
    await bed.quiet();
    expect(scheduled('p')?.message).toBe("0/1 nodes are available: 1 node(s) didn't match pod affinity rules.");
    await pod('db', {}, { labels: { app: 'db' } });
    await bed.clock.advance(1500);
    expect(placeOf('p')).toBe('a');
  });

  it('stops', async () => {
    bed.start((context) => {
      const scheduler = startScheduler(context);
      scheduler.stop();
      return scheduler;
    });
    await node('a');
    await pod('p');
    await bed.quiet();
    expect(placeOf('p')).toBeUndefined();
  });
});

describe('pods of a group', () => {
  const groups = 'scheduling.k8s.io/podgroups';
  const member = (group: string, cpu = '1') => ({ ...asking(cpu), schedulingGroup: { podGroupName: group } });

  async function podGroup(name: string, schedulingPolicy: object): Promise<void> {
    const { storageVersion = '' } = bed.plane.types.storage(groups) ?? {};
    const metadata = { name, namespace: 'default' };
    await bed.create(groups, {
      apiVersion: `scheduling.k8s.io/${storageVersion}`,
      kind: 'PodGroup',
      metadata,
      spec: { schedulingPolicy },
    });
  }

  type Group = KubeObject & {
    status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
  };
  const condition = (name: string) => bed.get<Group>(groups, 'default', name).status?.conditions?.[0];
  const places = () => bed.plane.view.list<PodObject>('pods', 'default').filter(({ spec }) => spec.nodeName).length;

  it('wait for their group, and for enough of them', async () => {
    bed.start((context) => startScheduler(context));
    await node('a');
    await pod('p-0', member('g'));
    await bed.quiet();
    expect(places()).toBe(0);
    expect(scheduled('p-0')).toBeUndefined();
    await podGroup('g', { gang: { minCount: 2 } });
    await bed.quiet();
    expect(places()).toBe(0);
    await pod('p-1', member('g'));
    await bed.quiet();
    expect(places()).toBe(2);
    expect(condition('g')).toMatchObject({ type: 'PodGroupInitiallyScheduled', status: 'True', reason: 'Scheduled' });
  });

  it('are bound all or none', async () => {
    bed.start((context) => startScheduler(context));
    await podGroup('g', { gang: { minCount: 3 } });
    await node('a', { allocatable: { cpu: '2' } });
    for (const index of [0, 1, 2]) await pod(`p-${index}`, member('g'));
    await bed.quiet();
    expect(places()).toBe(0);
    const message = 'minCount (3) cannot be satisfied: 2 scheduled, 0 remaining';
    expect(scheduled('p-0')).toMatchObject({ status: 'False', reason: 'Unschedulable', message });
    expect(condition('g')).toMatchObject({ status: 'False', reason: 'Unschedulable', message });
    // The places that were tried are free for others.
    await pod('single', asking('2'));
    await bed.quiet();
    expect(placeOf('single')).toBe('a');
    await node('b', { allocatable: { cpu: '3' } });
    await bed.clock.advance(3000);
    expect(places()).toBe(4);
    expect(condition('g')).toMatchObject({ status: 'True' });
  });

  it('come one by one once enough of them run', async () => {
    bed.start((context) => startScheduler(context));
    await podGroup('g', { gang: { minCount: 2 } });
    await node('a', { allocatable: { cpu: '3' } });
    for (const index of [0, 1, 2, 3]) await pod(`p-${index}`, member('g'));
    await bed.quiet();
    expect(places()).toBe(3);
    const [left] = bed.plane.view.list<PodObject>('pods', 'default').filter(({ spec }) => !spec.nodeName);
    expect(scheduled(left?.metadata.name ?? '')?.message).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    expect(condition('g')).toMatchObject({ status: 'True' });
    await node('b');
    await bed.clock.advance(1500);
    expect(places()).toBe(4);
  });

  it('are tried again when the group wants fewer', async () => {
    bed.start((context) => startScheduler(context));
    await podGroup('g', { gang: { minCount: 3 } });
    await node('a');
    for (const index of [0, 1]) await pod(`p-${index}`, member('g'));
    await bed.quiet();
    expect(places()).toBe(0);
    await bed.client.modify(groups, 'default', 'g', (draft) => ({
      ...draft,
      spec: { ...(draft['spec'] as object), schedulingPolicy: { gang: { minCount: 2 } } },
    }));
    await bed.quiet();
    expect(places()).toBe(2);
  });

  it('without a minimum come one by one', async () => {
    bed.start((context) => startScheduler(context));
    await podGroup('g', { basic: {} });
    await node('a', { allocatable: { cpu: '1' } });
    for (const index of [0, 1]) await pod(`p-${index}`, member('g'));
    await bed.quiet();
    expect(places()).toBe(1);
    expect(condition('g')).toMatchObject({ status: 'True', reason: 'Scheduled' });
  });

  it('members on their way out do not count', async () => {
    bed.start((context) => startScheduler(context));
    await podGroup('g', { gang: { minCount: 2 } });
    await node('a', { allocatable: { cpu: '2' } });
    for (const index of [0, 1]) await pod(`p-${index}`, member('g'));
    await bed.quiet();
    for (const index of [0, 1]) await bed.client.delete('pods', 'default', `p-${index}`);
    await pod('q-0', member('g'));
    await bed.quiet();
    expect(placeOf('q-0')).toBeUndefined();
    expect(scheduled('q-0')).toBeUndefined();
  });

  it.each([
    ['workloadRef', 'podGroupReplicaKey', ['a', 'b']],
    ['workloadReference', 'podGroupReplicaIndex', [0, 1]],
    ['workload', 'replicaIndex', [0, 1]],
  ])('named by %s: each replica on its own', async (field, replica, [first, second]) => {
    bed.start((context) => startScheduler(context));
    const key = 'scheduling.k8s.io/workloads';
    const { storageVersion = '' } = bed.plane.types.storage(key) ?? {};
    await bed.create(key, {
      apiVersion: `scheduling.k8s.io/${storageVersion}`,
      kind: 'Workload',
      metadata: { name: 'w', namespace: 'default' },
      spec: { podGroups: [{ name: 'workers', policy: { gang: { minCount: 2 } } }] },
    });
    await node('a');
    const of = (value: unknown) => ({ ...asking('1'), [field]: { name: 'w', podGroup: 'workers', [replica]: value } });
    await pod('p-0', of(first));
    await pod('p-1', of(second));
    await bed.quiet();
    expect(places()).toBe(0);
    await pod('p-2', of(first));
    await bed.quiet();
    expect([placeOf('p-0'), placeOf('p-1'), placeOf('p-2')]).toEqual(['a', undefined, 'a']);
  });
});
