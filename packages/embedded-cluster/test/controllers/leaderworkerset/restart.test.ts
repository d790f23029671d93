import { describe, expect, test } from 'vitest';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import type { LwsObject } from '../../../src/controllers/leaderworkerset/lws-object.ts';
import { decideRestart, type RestartInput } from '../../../src/controllers/leaderworkerset/restart.ts';
import { label } from './setup.ts';

interface Fields {
  readonly index?: string;
  readonly revision?: string;
  readonly phase?: string;
  readonly restarts?: number;
  readonly terminating?: boolean;
}

function pod({ index = '1', revision = 'r', phase = 'Running', restarts = 0, terminating = false }: Fields): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: index === '0' ? 'llm-0' : `llm-0-${index}`,
      labels: { [label('worker-index')]: index, [label('template-revision-hash')]: revision },
      ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [] },
    status: {
      phase,
      initContainerStatuses: [{ name: 'init', image: '', imageID: '', ready: true, restartCount: restarts }],
    },
  };
}

function lws(restartPolicy: string | undefined, annotations: Record<string, string> = {}): LwsObject {
  const leaderWorkerTemplate = { size: 2, workerTemplate: {}, ...(restartPolicy ? { restartPolicy } : {}) };
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'llm', annotations },
    spec: { leaderWorkerTemplate },
  };
}

const leader = pod({ index: '0' });
const afterStart = lws(undefined, { [label('experimental-recreate-group-after-start')]: '' });
const restarted = pod({ restarts: 1 });

describe('a group', () => {
  test.each<[string, Partial<RestartInput>, string]>([
    ['stays while all is well', {}, 'keep'],
    ['is recreated when a container restarted', { pod: restarted }, 'recreate'],
    [
      'is recreated when a container restarted before the pod ran',
      { pod: pod({ restarts: 1, phase: 'Pending' }) },
      'recreate',
    ],
    ['stays when the pod has finished for good', { pod: pod({ restarts: 1, phase: 'Failed' }) }, 'keep'],
    ['is recreated when a worker is deleted', { pod: pod({ terminating: true }) }, 'recreate'],
    ['stays where only pods come back', { lws: lws('None'), pod: restarted }, 'keep'],
    ['stays where the policy has its old name', { lws: lws('Default'), pod: restarted }, 'keep'],
    ['has gone when its leader has', { pod: restarted, leader: undefined }, 'keep'],
    ['is going when its leader is', { pod: restarted, leader: pod({ index: '0', terminating: true }) }, 'underway'],
    ['stays for a worker of the revision before', { pod: pod({ restarts: 1, revision: 'before' }) }, 'keep'],
    [
      'may have to start before it is recreated: a pod is missing',
      { lws: afterStart, pod: restarted, group: () => [leader] },
      'keep',
    ],
    [
      'may have to start before it is recreated: a pod is pending',
      { lws: afterStart, pod: restarted, group: () => [pod({ phase: 'Pending' }), restarted] },
      'keep',
    ],
    [
      'may have to start before it is recreated: all run',
      { lws: afterStart, pod: restarted, group: () => [leader, restarted] },
      'recreate',
    ],
  ])('%s', (_, fields, kind) => {
    const input = { lws: lws(undefined), pod: pod({}), leader, group: () => [], ...fields };
    expect(decideRestart(input).kind).toBe(kind);
  });
});
