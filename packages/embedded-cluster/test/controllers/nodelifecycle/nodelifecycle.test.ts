import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeObject, PodObject } from '../../../src/controllers/common/workloads.ts';
import { startNodeLifecycleController } from '../../../src/controllers/nodelifecycle/node-lifecycle-controller.ts';
import { startTaintEvictionController } from '../../../src/controllers/nodelifecycle/taint-eviction-controller.ts';
import { microTimestamp, timestamp } from '../../../src/time/clock.ts';
import { TestPlane } from '../test-plane.ts';

const leases = 'coordination.k8s.io/leases';
let bed: TestPlane;

beforeEach(async () => {
  bed = new TestPlane();
  for (const name of ['default', 'kube-node-lease']) await bed.namespace(name);
  bed.start((context) => startNodeLifecycleController(context)).start(startTaintEvictionController);
});

afterEach(() => {
  bed.stop();
  expect(bed.errors).toEqual([]);
});

async function node(name = 'a'): Promise<void> {
  await bed.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const metadata = { name, namespace: 'kube-node-lease' };
  await bed.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: {} });
  await report('True', name);
}

/** What a kubelet says of its node. */
async function report(status: string, name = 'a'): Promise<void> {
  const lastHeartbeatTime = timestamp(bed.clock.now());
  const conditions = [
    { type: 'Ready', status, reason: 'R', message: '', lastHeartbeatTime, lastTransitionTime: lastHeartbeatTime },
  ];
  const change = (draft: NodeObject): NodeObject => ({ ...draft, status: { ...draft.status, conditions } });
  await bed.client.modify<NodeObject>('nodes', '', name, change, { subresource: 'status' });
  await bed.quiet();
}

async function renewFor(seconds: number, name = 'a'): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await bed.client.modify(leases, 'kube-node-lease', name, (draft) => ({
      ...draft,
      spec: { holderIdentity: name, renewTime: microTimestamp(bed.clock.now()) },
    }));
    await bed.clock.advance(10_000);
  }
}

async function pod(name: string, spec: Partial<PodObject['spec']> = {}): Promise<void> {
  await bed.pod('default', name, {}, { nodeName: 'a', ...spec });
  await bed.setPodStatus('default', name, {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', reason: 'Fine' }],
  });
  await bed.quiet();
}

const nodeOf = () => bed.get<NodeObject>('nodes', '', 'a');
const readyOf = () => nodeOf().status?.conditions?.find(({ type }) => type === 'Ready');
const taints = () => (nodeOf().spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`);
const podOf = (name: string) => bed.get<PodObject>('pods', 'default', name);
const isGoing = (name: string) => podOf(name).metadata.deletionTimestamp !== undefined;
const podCondition = (name: string, type: string) => podOf(name).status?.conditions?.find((one) => one.type === type);

function eventsAbout(name: string): readonly string[] {
  return bed.plane.view
    .list('events', 'default')
    .filter((event) => (event['involvedObject'] as { name: string }).name === name)
    .map((event) => `${event['type']} ${event['reason']}: ${event['message']}`);
}

describe('a node', () => {
  it('takes pods once it is ready', async () => {
    await node();
    expect(nodeOf().spec).not.toHaveProperty('taints');
    expect(eventsAbout('a')).toEqual(['Normal RegisteredNode: Registered Node a in Controller']);
  });

  it('stays ready as long as its lease is renewed', async () => {
    await node();
    await renewFor(300);
    expect(readyOf()?.status).toBe('True');
  });

  it('is given up when it is silent, with its pods, and comes back', async () => {
    await node();
    await pod('p');
    await renewFor(60);
    await bed.clock.advance(45_000);
    expect(readyOf()?.status).toBe('True');
    await bed.clock.advance(15_000);
    expect(readyOf()).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    expect(taints()).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    expect(podCondition('p', 'Ready')).toMatchObject({ status: 'False', reason: 'Fine' });
    expect(eventsAbout('a')).toContain('Normal NodeNotReady: Node a status is now: NodeNotReady');
    expect(eventsAbout('p')).toContain('Warning NodeNotReady: Node is not ready');
    await report('True');
    expect(taints()).toEqual([]);
    await bed.clock.advance(300_000);
    expect(isGoing('p')).toBe(false);
    expect(eventsAbout('p')).toContain('Normal TaintManagerEviction: Cancelling deletion of Pod default/p');
  });

  it('that stays away loses its pods after the time that they tolerate', async () => {
    await node();
    await pod('p');
    await pod('brief', {
      tolerations: [
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 },
      ],
    });
    expect(await bed.clock.advanceUntil(() => taints().length > 0, 120_000, 1000)).toBe(true);
    const since = Date.parse(nodeOf().spec?.taints?.find(({ effect }) => effect === 'NoExecute')?.timeAdded ?? '');
    await bed.clock.advance(since + 9000 - bed.clock.now());
    expect(isGoing('brief')).toBe(false);
    await bed.clock.advance(3000);
    expect([isGoing('brief'), isGoing('p')]).toEqual([true, false]);
    await bed.clock.advance(since + 298_000 - bed.clock.now());
    expect(isGoing('p')).toBe(false);
    await bed.clock.advance(4000);
    expect(isGoing('p')).toBe(true);
    expect(podCondition('p', 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    expect(eventsAbout('p')).toContain('Normal TaintManagerEviction: Marking for deletion Pod default/p');
  });

  it('that was not ready before it went silent is not reported as lost', async () => {
    await node();
    await pod('p', { tolerations: [{ operator: 'Exists' }] });
    await report('False');
    await bed.clock.advance(120_000);
    expect(readyOf()?.status).toBe('Unknown');
    expect(taints()).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    expect(eventsAbout('a')).toEqual(['Normal RegisteredNode: Registered Node a in Controller']);
    expect(podCondition('p', 'Ready')?.status).toBe('True');
  });

  it('that is not ready makes pods that arrive on it not ready either', async () => {
    await node();
    await report('False');
    await bed.pod('default', 'p', {}, { nodeName: 'a', tolerations: [{ operator: 'Exists' }] });
    await bed.setPodStatus('default', 'p', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    await bed.quiet();
    expect(podCondition('p', 'Ready')?.status).toBe('False');
    expect(eventsAbout('p')).toEqual(['Warning NodeNotReady: Node is not ready']);
  });

  it('that says itself that it is not ready keeps the readiness of its pods', async () => {
    await node();
    await pod('p');
    await report('False');
    expect(taints()).toEqual(['not-ready:NoSchedule', 'not-ready:NoExecute']);
    expect(podCondition('p', 'Ready')?.status).toBe('True');
  });

  it('is tainted while it is cordoned', async () => {
    await node();
    const cordon = (unschedulable: boolean) =>
      bed.client.modify<NodeObject>('nodes', '', 'a', (draft) => ({
        ...draft,
        spec: { ...draft.spec, unschedulable },
      }));
    await cordon(true);
    await bed.quiet();
    expect(taints()).toEqual(['unschedulable:NoSchedule']);
    await cordon(false);
    await bed.quiet();
    expect(taints()).toEqual([]);
  });

  it('that goes away is told of', async () => {
    await node();
    await bed.client.delete('nodes', '', 'a');
    await bed.quiet();
    expect(eventsAbout('a')).toContain('Normal RemovingNode: Removing Node a from Controller');
  });
});

describe('pods on a tainted node', () => {
  async function taint(key: string): Promise<void> {
    await bed.client.modify<NodeObject>('nodes', '', 'a', (draft) => ({
      ...draft,
      spec: { ...draft.spec, taints: [...(draft.spec?.taints ?? []), { key, effect: 'NoExecute' }] },
    }));
    await bed.quiet();
  }

  it('go at once unless they tolerate it', async () => {
    await node();
    await pod('p');
    await pod('stays', { tolerations: [{ key: 'bad', operator: 'Exists' }] });
    await taint('bad');
    expect([isGoing('p'), isGoing('stays')]).toEqual([true, false]);
  });

  it('go when they arrive on it', async () => {
    await node();
    await taint('bad');
    await pod('late');
    expect(isGoing('late')).toBe(true);
  });

  it('do not get more time with every further taint', async () => {
    await node();
    const tolerations = ['bad', 'worse'].map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 60,
    }));
    await pod('p', { tolerations });
    await taint('bad');
    await bed.clock.advance(40_000);
    await taint('worse');
    await bed.clock.advance(25_000);
    expect(isGoing('p')).toBe(true);
  });

  it('still go when the node goes before them', async () => {
    await node();
    await pod('p', { tolerations: [{ key: 'bad', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }] });
    await taint('bad');
    await bed.client.delete('nodes', '', 'a');
    await bed.clock.advance(31_000);
    expect(isGoing('p')).toBe(true);
  });
});
