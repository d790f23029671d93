import fc from 'fast-check';
import type { Affinity, PodAffinityTerm, PodSpec } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import type { NodeObject, PodObject } from '../../../src/controllers/common/workloads.ts';
import { chooseNode } from '../../../src/controllers/scheduler/choose.ts';
import type { ClusterState } from '../../../src/controllers/scheduler/cluster-state.ts';
import { readPod } from '../../../src/controllers/scheduler/pod-needs.ts';
import { podRequests } from '../../../src/controllers/scheduler/requests.ts';
import { aNode, aPod, aState } from './a-state.ts';

/** The node for a pod, or why there is none. */
function choose(pod: PodObject, state: ClusterState): string {
  const choice = chooseNode(readPod(pod), state, 0);
  return choice.kind === 'node' ? choice.name : choice.message;
}

const none = (reasons: string, total = 1) => `0/${total} nodes are available: ${reasons}.`;
const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';
const cordoned = { unschedulable: true };
const taint = (effect: string, value?: string) => ({ taints: [{ key: 'k', effect, ...(value ? { value } : {}) }] });
const nodeAffinity = (key: string, operator: string, ...values: string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }],
      },
    },
  },
});
const hostPort = (port: number, hostIP?: string, protocol = 'TCP'): Partial<PodSpec> => ({
  containers: [
    { name: 'main', ports: [{ containerPort: port, hostPort: port, protocol, ...(hostIP ? { hostIP } : {}) }] },
  ],
});

describe('a pod on one node', () => {
  const affinityReason = none("1 node(s) didn't match Pod's node affinity/selector");
  const taintReason = none('1 node(s) had untolerated taint(s)');
  const table: [string, NodeObject, PodObject, string][] = [
    ['fits on an empty node', aNode('a'), aPod('p'), 'a'],
    ['stays off a cordoned node', aNode('a', { spec: cordoned }), aPod('p'), none('1 node(s) were unschedulable')],
    [
      'goes to a cordoned node when it tolerates that',
      aNode('a', { spec: cordoned }),
      aPod('p', { spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] } }),
      'a',
    ],
    ['stays off a taint', aNode('a', { spec: taint('NoSchedule') }), aPod('p'), taintReason],
    ['stays off a taint that drives pods away', aNode('a', { spec: taint('NoExecute') }), aPod('p'), taintReason],
    ['goes where it would only rather not', aNode('a', { spec: taint('PreferNoSchedule') }), aPod('p'), 'a'],
    [
      'tolerates a taint by its key',
      aNode('a', { spec: taint('NoSchedule', 'v') }),
      aPod('p', { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } }),
      'a',
    ],
    [
      'does not tolerate another value',
      aNode('a', { spec: taint('NoSchedule', 'v') }),
      aPod('p', { spec: { tolerations: [{ key: 'k', value: 'w' }] } }),
      taintReason,
    ],
    [
      'does not tolerate another effect',
      aNode('a', { spec: taint('NoSchedule', 'v') }),
      aPod('p', { spec: { tolerations: [{ key: 'k', value: 'v', effect: 'NoExecute' }] } }),
      taintReason,
    ],
    [
      'tolerates everything',
      aNode('a', { spec: taint('NoExecute', 'v') }),
      aPod('p', { spec: { tolerations: [{ operator: 'Exists' }] } }),
      'a',
    ],
    [
      'wants a label that is there',
      aNode('a', { labels: { disk: 'ssd' } }),
      aPod('p', { spec: { nodeSelector: { disk: 'ssd' } } }),
      'a',
    ],
    ['wants a label that is not', aNode('a'), aPod('p', { spec: { nodeSelector: { disk: 'ssd' } } }), affinityReason],
    [
      'wants one of several values',
      aNode('a', { labels: { n: '5' } }),
      aPod('p', { spec: nodeAffinity('n', 'In', '4', '5') }),
      'a',
    ],
    [
      'wants none of these values',
      aNode('a', { labels: { n: '5' } }),
      aPod('p', { spec: nodeAffinity('n', 'NotIn', '5') }),
      affinityReason,
    ],
    [
      'wants a larger number',
      aNode('a', { labels: { n: '5' } }),
      aPod('p', { spec: nodeAffinity('n', 'Gt', '4') }),
      'a',
    ],
    [
      'wants a smaller number',
      aNode('a', { labels: { n: '5' } }),
      aPod('p', { spec: nodeAffinity('n', 'Lt', '5') }),
      affinityReason,
    ],
    ['needs more CPU than there is', aNode('a'), aPod('p', { requests: { cpu: '4001m' } }), none('1 Insufficient cpu')],
    ['needs all the CPU there is', aNode('a'), aPod('p', { requests: { cpu: '4' } }), 'a'],
    [
      'needs more of several things',
      aNode('a', { allocatable: { pods: '0' } }),
      aPod('p', { requests: { cpu: '5', memory: '9Gi' } }),
      none('1 Insufficient cpu, 1 Insufficient memory, 1 Too many pods'),
    ],
    [
      'needs a device',
      aNode('a', { allocatable: { 'nvidia.com/gpu': '1' } }),
      aPod('p', { requests: { 'nvidia.com/gpu': '1' } }),
      'a',
    ],
    [
      'needs a device that no node has',
      aNode('a'),
      aPod('p', { requests: { 'nvidia.com/gpu': '1' } }),
      none('1 Insufficient nvidia.com/gpu'),
    ],
    ['asks for none of a device', aNode('a'), aPod('p', { requests: { 'nvidia.com/gpu': '0' } }), 'a'],
  ];
  it.each(table)('%s', (_name, node, pod, expected) => {
    expect(choose(pod, aState([node]))).toBe(expected);
  });

  it('can name the node itself', () => {
    const fields = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] };
    const affinity: Affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [fields] } },
    };
    expect(choose(aPod('p', { spec: { affinity } }), aState([aNode('a'), aNode('b')]))).toBe('b');
  });

  it('counts what others took, and gets it when they are gone', () => {
    const state = aState([aNode('a')], [[aPod('other', { requests: { cpu: '3' } }), 'a']]);
    const pod = aPod('p', { requests: { cpu: '2' } });
    expect(choose(pod, state)).toBe(none('1 Insufficient cpu'));
    expect(state.remove('uid-of-other')).toBe(true);
    expect(choose(pod, state)).toBe('a');
  });

  const ports: [string, Partial<PodSpec>, Partial<PodSpec>, boolean][] = [
    ['the same port', hostPort(80), hostPort(80), false],
    ['another port', hostPort(80), hostPort(81), true],
    ['another protocol', hostPort(80), hostPort(80, undefined, 'UDP'), true],
    ['another address', hostPort(80, '10.0.0.1'), hostPort(80, '10.0.0.2'), true],
    ['all addresses', hostPort(80, '10.0.0.1'), hostPort(80), false],
    ['an address of all', hostPort(80), hostPort(80, '10.0.0.1'), false],
  ];
  it.each(ports)('with a port of the host: %s', (_name, taken, wanted, fits) => {
    const state = aState([aNode('a')], [[aPod('other', { spec: taken }), 'a']]);
    const expected = fits ? 'a' : none("1 node(s) didn't have free ports for the requested pod ports");
    expect(choose(aPod('p', { spec: wanted }), state)).toBe(expected);
  });

  it('gets a message with the reasons of all nodes', () => {
    const nodes = [
      ...['a', 'b', 'c'].map((name) => aNode(name, { spec: cordoned })),
      ...['d', 'e', 'f'].map((name) => aNode(name, { allocatable: { cpu: '1' } })),
    ];
    expect(choose(aPod('p', { requests: { cpu: '2' } }), aState(nodes))).toBe(
      '0/6 nodes are available: 3 Insufficient cpu, 3 node(s) were unschedulable.',
    );
    expect(choose(aPod('p'), aState([]))).toBe('no nodes available to schedule pods');
  });
});

describe('what a pod takes', () => {
  const container = (cpu: string, restartPolicy?: string) => ({
    name: 'c',
    resources: { requests: { cpu } },
    ...(restartPolicy ? { restartPolicy } : {}),
  });
  const table: [string, PodSpec, number][] = [
    ['all containers together', { containers: [container('1'), container('500m')] }, 1500],
    [
      'the largest init container, if it is larger',
      { containers: [container('1')], initContainers: [container('3'), container('2')] },
      3000,
    ],
    [
      'sidecars next to the containers',
      { containers: [container('1')], initContainers: [container('1', 'Always')] },
      2000,
    ],
    [
      'an init container next to the sidecars before it',
      {
        containers: [container('1')],
        initContainers: [container('1', 'Always'), container('3'), container('9m', 'Always')],
      },
      4000,
    ],
    ['the overhead on top', { containers: [container('1')], overhead: { cpu: '250m' } }, 1250],
    [
      'what the pod says as a whole',
      { containers: [container('1')], resources: { requests: { cpu: '7' } } } as PodSpec,
      7000,
    ],
  ];
  it.each(table)('%s', (_name, spec, expected) => {
    expect(podRequests(spec).get('cpu')).toBe(expected);
  });
});

describe('a pod and its neighbours', () => {
  const nodes = [aNode('a1', { zone: 'a' }), aNode('a2', { zone: 'a' }), aNode('b1', { zone: 'b' })];
  const near = (
    kind: 'podAffinity' | 'podAntiAffinity',
    topologyKey: string,
    fields: Partial<PodAffinityTerm> = {},
  ): Partial<PodSpec> => ({
    affinity: {
      [kind]: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey, labelSelector: { matchLabels: { app: 'db' } }, ...fields },
        ],
      },
    },
  });
  const db = aPod('db', { labels: { app: 'db' } });
  const refused = (reason: string) => none(`3 node(s) didn't ${reason}`, 3);
  const noneNear = refused('match pod affinity rules');

  const table: [string, readonly (readonly [PodObject, string])[], PodObject, string][] = [
    ['joins the zone of another', [[db, 'b1']], aPod('p', { spec: near('podAffinity', zone) }), 'b1'],
    ['finds no pod to join', [], aPod('p', { spec: near('podAffinity', zone) }), noneNear],
    ['is the first of its kind', [], aPod('p', { labels: { app: 'db' }, spec: near('podAffinity', zone) }), 'a1'],
    [
      'does not join pods of other namespaces',
      [[aPod('db', { labels: { app: 'db' }, namespace: 'far' }), 'b1']],
      aPod('p', { spec: near('podAffinity', zone) }),
      noneNear,
    ],
    [
      'joins pods of a namespace that it names',
      [[aPod('db', { labels: { app: 'db' }, namespace: 'far' }), 'b1']],
      aPod('p', { spec: near('podAffinity', zone, { namespaces: ['far'] }) }),
      'b1',
    ],
    [
      'joins pods of a namespace that it selects',
      [[aPod('db', { labels: { app: 'db' }, namespace: 'far' }), 'b1']],
      aPod('p', { spec: near('podAffinity', zone, { namespaceSelector: { matchLabels: { team: 'x' } } }) }),
      'b1',
    ],
    ['needs a domain to join', [[db, 'b1']], aPod('p', { spec: near('podAffinity', 'rack') }), noneNear],
    ['keeps out of the zone of another', [[db, 'a1']], aPod('p', { spec: near('podAntiAffinity', zone) }), 'b1'],
    ['keeps off the host of another', [[db, 'a1']], aPod('p', { spec: near('podAntiAffinity', hostname) }), 'a2'],
    [
      'finds no place away from others',
      [
        [db, 'a1'],
        [aPod('db2', { labels: { app: 'db' } }), 'b1'],
      ],
      aPod('p', { spec: near('podAntiAffinity', zone) }),
      refused('match pod anti-affinity rules'),
    ],
    [
      'is kept away by others',
      [[aPod('shy', { spec: near('podAntiAffinity', zone) }), 'a1']],
      aPod('p', { labels: { app: 'db' } }),
      'b1',
    ],
    [
      'is kept away by others from everywhere',
      ['a1', 'b1'].map((node) => [aPod(`shy-${node}`, { spec: near('podAntiAffinity', zone) }), node] as const),
      aPod('p', { labels: { app: 'db' } }),
      refused('satisfy existing pods anti-affinity rules'),
    ],
  ];
  it.each(table)('%s', (_name, placed, pod, expected) => {
    expect(choose(pod, aState(nodes, placed, { far: { team: 'x' } }))).toBe(expected);
  });

  it('counts again when nodes change their labels', () => {
    const state = aState(nodes, [[db, 'b1']]);
    const pod = aPod('p', { spec: near('podAntiAffinity', zone) });
    expect(choose(pod, state)).toBe('a1');
    state.setNode(aNode('b1', { zone: 'a' }));
    state.setNode(aNode('a2', { zone: 'b' }));
    expect(choose(pod, state)).toBe('a2');
  });

  const spread = (maxSkew: number, fields: object = {}): Partial<PodSpec> => ({
    topologySpreadConstraints: [
      {
        maxSkew,
        topologyKey: zone,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'db' } },
        ...fields,
      },
    ],
  });
  const uneven = "node(s) didn't match pod topology spread constraints";
  const self = { labels: { app: 'db' } };

  it.each([
    ['goes to the emptier zone', [[db, 'a1']], aPod('p', { ...self, spec: spread(1) }), 'b1'],
    [
      'may be ahead as far as allowed',
      [[db, 'a1']],
      aPod('p', { ...self, spec: { ...spread(2), nodeSelector: { [zone]: 'a' } } }),
      'a2',
    ],
    [
      'does not count zones it cannot use',
      [[db, 'a1']],
      aPod('p', { ...self, spec: { ...spread(1), nodeSelector: { [zone]: 'a' } } }),
      'a2',
    ],
    [
      'counts them where it is told to',
      [[db, 'a1']],
      aPod('p', { ...self, spec: { ...spread(1, { nodeAffinityPolicy: 'Ignore' }), nodeSelector: { [zone]: 'a' } } }),
      none(`1 node(s) didn't match Pod's node affinity/selector, 2 ${uneven}`, 3),
    ],
    ['does not count itself where it is not one of them', [], aPod('p', { spec: spread(1) }), 'a1'],
    [
      'needs a domain',
      [],
      aPod('p', { ...self, spec: spread(1, { topologyKey: 'rack' }) }),
      none(`3 ${uneven} (missing required label)`, 3),
    ],
    [
      'wants more zones than there are',
      [
        [db, 'a1'],
        [aPod('db2', self), 'b1'],
      ],
      aPod('p', { ...self, spec: spread(1, { minDomains: 3 }) }),
      none(`3 ${uneven}`, 3),
    ],
    [
      'may not care',
      [
        [db, 'b1'],
        [aPod('x', self), 'b1'],
      ],
      aPod('p', { ...self, spec: spread(1, { whenUnsatisfiable: 'ScheduleAnyway' }) }),
      'a1',
    ],
  ] as [string, (readonly [PodObject, string])[], PodObject, string][])(
    'spread evenly: %s',
    (_name, placed, pod, expected) => {
      expect(choose(pod, aState(nodes, placed))).toBe(expected);
    },
  );
});

describe('the best of the nodes that fit', () => {
  it('is in the zone with the fewest pods of the owner, then the node', () => {
    const nodes = ['a1', 'a2', 'b1', 'b2'].map((name) => aNode(name, { zone: name.slice(0, 1) }));
    const state = aState(nodes);
    const order = Array.from({ length: 8 }, (_, index) => {
      const pod = aPod(`p-${index}`, { owner: 'web' });
      const node = choose(pod, state);
      state.place(readPod(pod), node);
      return node;
    });
    expect(order.slice(0, 4).toSorted()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(order.slice(4).toSorted()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(order[0]?.slice(0, 1)).not.toBe(order[1]?.slice(0, 1));
  });

  it('is the emptiest', () => {
    const placed = [
      [aPod('x', { requests: { cpu: '2' } }), 'a'],
      [aPod('y', { requests: { memory: '1Gi' } }), 'b'],
    ] as const;
    expect(choose(aPod('p'), aState([aNode('a'), aNode('b')], placed))).toBe('b');
  });

  it('is found without looking at all nodes, and the next look goes on behind it', () => {
    const state = aState(Array.from({ length: 500 }, (_, index) => aNode(`n-${index}`)));
    const first = chooseNode(readPod(aPod('p')), state, 0);
    expect(first).toMatchObject({ kind: 'node', nextStart: 100 });
    expect(chooseNode(readPod(aPod('q')), state, 450)).toMatchObject({ kind: 'node', nextStart: 50 });
  });
});

describe('the counts of a state', () => {
  it('are those of the pods that are placed, whatever came and went before', () => {
    const step = fc.record({ pod: fc.nat(9), node: fc.nat(3), go: fc.boolean(), cpu: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const names = ['a', 'b', 'c', 'd'];
        const state = aState(names.map((name) => aNode(name)));
        const placed = new Map<string, { node: string; cpu: number }>();
        for (const { pod, node, go, cpu } of steps) {
          const name = names[node] as string;
          if (go) state.remove(`uid-of-${pod}`);
          else state.place(readPod(aPod(`${pod}`, { requests: { cpu: `${cpu}m` } })), name);
          if (go) placed.delete(`${pod}`);
          else placed.set(`${pod}`, { node: name, cpu });
        }
        for (const node of state.nodes) {
          const here = [...placed.values()].filter((one) => one.node === node.name);
          expect(node.podCount).toBe(here.length);
          expect(node.free('cpu')).toBe(4000 - here.reduce((sum, { cpu }) => sum + cpu, 0));
        }
      }),
    );
  });
});
