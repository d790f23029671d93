import type { NodeCondition } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import type { NodeObject } from '../../../src/controllers/common/workloads.ts';
import { stayOf } from '../../../src/controllers/nodelifecycle/eviction-time.ts';
import { judgeNode, type NodeSighting } from '../../../src/controllers/nodelifecycle/node-health.ts';
import { taintsFor } from '../../../src/controllers/nodelifecycle/taints.ts';
import { timestamp } from '../../../src/time/clock.ts';

const now = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number) => timestamp(now + seconds * 1000);
const grace = { runningMs: 50_000, startupMs: 60_000 };

function condition(type: string, status: string, seconds = -10): NodeCondition {
  return { type, status, reason: 'R', message: 'm', lastHeartbeatTime: at(seconds), lastTransitionTime: at(seconds) };
}

function aNode(
  conditions: readonly NodeCondition[],
  spec: NodeObject['spec'] = {},
  createdSeconds = -1000,
): NodeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', creationTimestamp: at(createdSeconds) },
    spec,
    status: { conditions: [...conditions] },
  };
}

function seen(seconds: number, fields: Partial<NodeSighting> = {}): NodeSighting {
  return { hadReady: true, heartbeat: at(-10), renewTime: undefined, aliveAtMs: now + seconds * 1000, ...fields };
}

describe('a node that may have gone silent', () => {
  const ready = aNode([condition('Ready', 'True')]);
  const table: [string, NodeObject, string | undefined, NodeSighting | undefined, boolean][] = [
    [
      'is given time when it is seen first, however old its word',
      aNode([condition('Ready', 'True', -9999)]),
      undefined,
      undefined,
      false,
    ],
    ['is given its grace period', ready, undefined, seen(-50), false],
    ['is silent after it', ready, undefined, seen(-51), true],
    ['is alive with a new heartbeat', ready, undefined, seen(-99, { heartbeat: at(-60) }), false],
    ['is alive with a renewed lease', ready, at(-1), seen(-99, { renewTime: at(-60) }), false],
    ['is silent with a lease that is not renewed', ready, at(-60), seen(-99, { renewTime: at(-60) }), true],
    ['gets longer to start', aNode([], {}, -60), undefined, undefined, false],
    ['is silent when it never started', aNode([], {}, -61), undefined, undefined, true],
    ['is alive when only its lease says so', aNode([], {}, -999), at(-1), undefined, false],
    ['is alive with its first word', ready, undefined, seen(-99, { hadReady: false, heartbeat: undefined }), false],
    ['is left alone when that is known already', aNode([condition('Ready', 'Unknown')]), undefined, seen(-99), false],
  ];
  it.each(table)('%s', (_name, node, renewTime, last, silent) => {
    expect(judgeNode(node, renewTime, last, grace, now).conditions !== undefined).toBe(silent);
  });

  it('keeps the conditions of others, and says since when nothing is known', () => {
    const node = aNode([
      condition('Ready', 'True'),
      condition('NetworkUnavailable', 'False'),
      condition('DiskPressure', 'False'),
    ]);
    const { conditions, lost } = judgeNode(node, undefined, seen(-99), grace, now);
    expect(lost).toBe(true);
    expect(conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      'Ready=Unknown NodeStatusUnknown',
      'NetworkUnavailable=False R',
      'DiskPressure=Unknown NodeStatusUnknown',
      'MemoryPressure=Unknown NodeStatusNeverUpdated',
      'PIDPressure=Unknown NodeStatusNeverUpdated',
    ]);
    expect(conditions?.[0]).toMatchObject({
      message: 'Kubelet stopped posting node status.',
      lastHeartbeatTime: at(-10),
      lastTransitionTime: at(0),
    });
    expect(conditions?.[3]).toMatchObject({
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: at(-1000),
    });
  });

  it('was not lost when it was not ready before', () => {
    expect(judgeNode(aNode([condition('Ready', 'False')]), undefined, seen(-99), grace, now).lost).toBe(false);
  });
});

describe('the taints of a node', () => {
  const key = (name: string) => `node.kubernetes.io/${name}`;
  const taint = (name: string, effect: string) => ({ key: key(name), effect });
  const own = { key: 'mine', value: 'v', effect: 'NoExecute' };
  const text = (node: NodeObject) =>
    taintsFor(node, now)?.map((one) => `${one.key.replace('node.kubernetes.io/', '')}:${one.effect}`);
  const table: [string, NodeObject, string[] | undefined][] = [
    [
      'a new node that is ready loses its first taint',
      aNode([condition('Ready', 'True')], { taints: [taint('not-ready', 'NoSchedule')] }),
      [],
    ],
    [
      'a new node that has not said anything loses it, too',
      aNode([], { taints: [taint('not-ready', 'NoSchedule')] }),
      [],
    ],
    ['a node that is well needs nothing', aNode([condition('Ready', 'True')]), undefined],
    ['a node that is not ready', aNode([condition('Ready', 'False')]), ['not-ready:NoSchedule', 'not-ready:NoExecute']],
    [
      'a node that is silent',
      aNode([condition('Ready', 'Unknown')]),
      ['unreachable:NoSchedule', 'unreachable:NoExecute'],
    ],
    [
      'a node that was not ready and is silent now',
      aNode([condition('Ready', 'Unknown')], {
        taints: [own, taint('not-ready', 'NoSchedule'), taint('not-ready', 'NoExecute')],
      }),
      ['mine:NoExecute', 'unreachable:NoSchedule', 'unreachable:NoExecute'],
    ],
    [
      'a node that has what it should have',
      aNode([condition('Ready', 'False')], {
        taints: [taint('not-ready', 'NoSchedule'), taint('not-ready', 'NoExecute')],
      }),
      undefined,
    ],
    ['a cordoned node', aNode([condition('Ready', 'True')], { unschedulable: true }), ['unschedulable:NoSchedule']],
    [
      'a node that is no longer cordoned',
      aNode([condition('Ready', 'True')], { taints: [taint('unschedulable', 'NoSchedule')] }),
      [],
    ],
    [
      'a node under pressure',
      aNode([
        condition('Ready', 'True'),
        condition('DiskPressure', 'True'),
        condition('MemoryPressure', 'True'),
        condition('PIDPressure', 'True'),
        condition('NetworkUnavailable', 'True'),
      ]),
      [
        'disk-pressure:NoSchedule',
        'memory-pressure:NoSchedule',
        'pid-pressure:NoSchedule',
        'network-unavailable:NoSchedule',
      ],
    ],
    ['a taint that another client put there', aNode([condition('Ready', 'True')], { taints: [own] }), undefined],
  ];
  it.each(table)('%s', (_name, node, expected) => {
    expect(text(node)).toEqual(expected);
  });

  it('say since when', () => {
    expect(taintsFor(aNode([condition('Ready', 'False')]), now)?.[0]?.timeAdded).toBe(at(0));
  });
});

describe('how long a pod may stay', () => {
  const taint = (key: string, effect = 'NoExecute') => ({ key, effect });
  const tolerate = (key: string, tolerationSeconds?: number) => ({
    key,
    operator: 'Exists',
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  });
  it.each([
    ['with nothing against it', [], [], { kind: 'unlimited' }],
    ['with a taint that evicts no pod', [taint('a', 'NoSchedule')], [], { kind: 'unlimited' }],
    ['with a taint that it does not tolerate', [taint('a')], [], { kind: 'none' }],
    ['with a taint that it tolerates for good', [taint('a')], [tolerate('a')], { kind: 'unlimited' }],
    [
      'with a taint that it tolerates for a while',
      [taint('a')],
      [tolerate('a', 300)],
      { kind: 'limited', ms: 300_000 },
    ],
    ['with a taint that it tolerates for no time', [taint('a')], [tolerate('a', 0)], { kind: 'none' }],
    ['with one of two tolerated', [taint('a'), taint('b')], [tolerate('a')], { kind: 'none' }],
    [
      'with the shorter of two times',
      [taint('a'), taint('b')],
      [tolerate('a', 9), tolerate('b', 5)],
      { kind: 'limited', ms: 5000 },
    ],
    ['by the first word on a taint', [taint('a')], [tolerate('a', 9), tolerate('a', 5)], { kind: 'limited', ms: 9000 }],
  ])('%s', (_name, taints, tolerations, expected) => {
    expect(stayOf(taints, tolerations)).toEqual(expected);
  });
});
