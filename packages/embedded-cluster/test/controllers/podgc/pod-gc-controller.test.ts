import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { startPodGcController } from '../../../src/controllers/podgc/pod-gc-controller.ts';
import { TestPlane } from '../test-plane.ts';

let plane: TestPlane;

beforeEach(async () => {
  plane = new TestPlane();
  await plane.namespace('default');
  plane.start((context) => startPodGcController(context, { finishedLimit: 2 }));
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

function node(name: string, spec: object = {}) {
  return plane.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
}

const names = () => plane.plane.view.list('pods').map(({ metadata }) => metadata.name);

describe('a pod on a node that is gone', () => {
  beforeEach(async () => {
    await node('a');
    await node('b');
    await plane.pod('default', 'lost', { finalizers: ['example.com/watch'] }, { nodeName: 'a' });
    await plane.pod('default', 'fine', {}, { nodeName: 'b' });
    await plane.client.delete('nodes', '', 'a');
  });

  it('is deleted when the node has been gone for long, and says why', async () => {
    await plane.clock.advance(59_000);
    expect(plane.get('pods', 'default', 'lost').metadata.deletionTimestamp).toBeUndefined();
    await plane.clock.advance(21_000);
    const { metadata, status } = plane.get<PodObject>('pods', 'default', 'lost');
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status?.phase).toBe('Failed');
    expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
    await plane.release('pods', 'default', 'lost');
    expect(names()).toEqual(['fine']);
  });

  it('stays when the node comes back in time', async () => {
    await plane.clock.advance(45_000);
    await node('a');
    await plane.clock.advance(120_000);
    expect(names()).toEqual(['fine', 'lost']);
  });
});

it('a pod that was never scheduled goes when it is being deleted', async () => {
  await plane.pod('default', 'waiting', { finalizers: ['example.com/watch'] });
  await plane.pod('default', 'healthy');
  await plane.client.delete('pods', 'default', 'waiting');
  await plane.clock.advance(20_000);
  expect(plane.get<PodObject>('pods', 'default', 'waiting').status?.phase).toBe('Failed');
  await plane.release('pods', 'default', 'waiting');
  expect(names()).toEqual(['healthy']);
});

it('of finished pods the newest are kept', async () => {
  for (const name of ['first', 'second', 'third', 'fourth']) {
    await plane.pod('default', name, {}, { restartPolicy: 'Never' });
    await plane.setPodStatus('default', name, { phase: name === 'third' ? 'Failed' : 'Succeeded' });
    await plane.clock.advance(1_000);
  }
  await plane.pod('default', 'running');
  await plane.clock.advance(20_000);
  expect(names()).toEqual(['fourth', 'running', 'third']);
});

it('a terminating pod on a node that is out of service is not waited for', async () => {
  await node('down', { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'x', effect: 'NoExecute' }] });
  await node('up');
  await plane.pod('default', 'stuck', {}, { nodeName: 'down' });
  await plane.pod('default', 'ending', {}, { nodeName: 'up' });
  await plane.client.delete('pods', 'default', 'stuck');
  await plane.client.delete('pods', 'default', 'ending');
  await plane.clock.advance(20_000);
  expect(names()).toEqual(['ending']);
});
