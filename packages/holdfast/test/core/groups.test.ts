import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, pdbNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPodGroup, type PodBuilder } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { StringMap } from '../../../base/src/meta.ts';
import type { Pod } from '../../src/api/pod.ts';
import type { GroupClaim } from '../../src/core/groups/claim.ts';
import { claimsOf } from '../../src/core/groups/claims.ts';

/** The claim that is tried first. */
function firstClaim(pod: Pod) {
  return claimsOf(pod)[0];
}

/** A pod as its controller makes it. */
function real(labels: StringMap, annotations: StringMap = {}): PodBuilder {
  return aPod('p')
    .labels({ app: 'x', ...labels })
    .annotate(annotations);
}

const lws = (name: string, group: string, worker: string): PodBuilder =>
  real(
    {
      'leaderworkerset.sigs.k8s.io/name': name,
      'leaderworkerset.sigs.k8s.io/group-index': group,
      'leaderworkerset.sigs.k8s.io/worker-index': worker,
      'leaderworkerset.sigs.k8s.io/group-key': `sha1-of-${name}-${group}`,
      'leaderworkerset.sigs.k8s.io/template-revision-hash': 'b7d9c6f5d',
    },
    {
      'leaderworkerset.sigs.k8s.io/size': '4',
      ...(worker === '0' ? {} : { 'leaderworkerset.sigs.k8s.io/leader-name': `${name}-${group}` }),
    },
  );

const jobset = (name: string, role: string, index: string): PodBuilder => {
  const keys = {
    'jobset.sigs.k8s.io/jobset-name': name,
    'jobset.sigs.k8s.io/jobset-uid': `uid-${name}`,
    'jobset.sigs.k8s.io/replicatedjob-name': role,
    'jobset.sigs.k8s.io/replicatedjob-replicas': '3',
    'jobset.sigs.k8s.io/global-replicas': '5',
    'jobset.sigs.k8s.io/job-index': index,
    'jobset.sigs.k8s.io/job-global-index': '1',
    'jobset.sigs.k8s.io/job-key': `sha256-of-${name}-${role}-${index}`,
  };
  return real({ ...keys, 'batch.kubernetes.io/job-completion-index': '0' }, keys);
};

const ray = (cluster: string, group: string, replica: string, index: string): PodBuilder =>
  real({
    'ray.io/cluster': cluster,
    'ray.io/group': group,
    'ray.io/node-type': 'worker',
    'ray.io/worker-group-replica-name': replica,
    'ray.io/worker-group-replica-index': index,
    'ray.io/replica-host-index': '0',
  });

const grove = (gang: string, index: string): PodBuilder =>
  real({
    'grove.io/podgang': gang,
    'grove.io/podclique': `${gang}-decode`,
    'grove.io/podcliqueset-replica-index': index,
    'grove.io/podclique-pod-index': '0',
  });

const rbg = (group: string, role: string, index: string, size: StringMap): PodBuilder =>
  real({
    'rbg.workloads.x-k8s.io/group-name': group,
    'rbg.workloads.x-k8s.io/role-name': role,
    'rbg.workloads.x-k8s.io/role-instance-name': `${group}-${role}-${index}`,
    'rbg.workloads.x-k8s.io/role-instance-index': index,
    'rbg.workloads.x-k8s.io/component-name': 'leader',
    ...size,
  });

const storm = (podset: string, index: string): PodBuilder =>
  real({
    'storm-service-name': 'chat',
    'roleset-name': 'chat-roleset-x7',
    'role-name': 'decode',
    'stormservice.orchestration.aibrix.ai/podset-name': podset,
    'stormservice.orchestration.aibrix.ai/pod-group-index': '0',
    'stormservice.orchestration.aibrix.ai/role-replica-index': index,
  });

const kueue = (name: string): PodBuilder =>
  real(
    { 'kueue.x-k8s.io/pod-group-name': name, 'kueue.x-k8s.io/pod-group-pod-index': '1' },
    { 'kueue.x-k8s.io/pod-group-name': name, 'kueue.x-k8s.io/pod-group-total-count': '2' },
  );

const volcano = (name: string, more: StringMap = {}): PodBuilder =>
  real(
    { 'volcano.sh/job-name': 'mpi', 'volcano.sh/task-spec': 'worker' },
    { 'scheduling.k8s.io/group-name': name, 'volcano.sh/task-index': '3', ...more },
  );

const coscheduling = (name: string): PodBuilder => real({ 'scheduling.x-k8s.io/pod-group': name });

describe('a convention says the group of a pod', () => {
  interface Row {
    readonly name: string;
    readonly pod: PodBuilder;
    readonly want: Partial<GroupClaim>;
    /** Other members of the same group, and members of other groups of the same parent and of other parents. */
    readonly same?: readonly PodBuilder[];
    readonly siblings?: readonly PodBuilder[];
    readonly strangers?: readonly PodBuilder[];
  }
  const componentSize = { 'rbg.workloads.x-k8s.io/component-size': '2' };
  const rows: readonly Row[] = [
    {
      name: '[G1] LeaderWorkerSet',
      pod: lws('llm', '1', '0'),
      want: { display: 'llm/1', index: 1, size: 4 },
      same: [lws('llm', '1', '3')],
      siblings: [lws('llm', '2', '0'), lws('llm', '11', '0')],
      strangers: [lws('vlm', '1', '0')],
    },
    {
      name: '[G1] JobSet',
      pod: jobset('train', 'workers', '2'),
      want: { display: 'train/workers/2', index: 2, expected: 3 },
      siblings: [jobset('train', 'workers', '0')],
      strangers: [jobset('train', 'driver', '2'), jobset('other', 'workers', '2')],
    },
    {
      name: '[G1] KubeRay',
      pod: ray('serve', 'gpu', 'gpu-2ab', '4'),
      want: { display: 'gpu-2ab', index: 4 },
      same: [ray('serve', 'gpu', 'gpu-2ab', '4').labels({ 'ray.io/replica-host-index': '1' })],
      siblings: [ray('serve', 'gpu', 'gpu-9zz', '5')],
      strangers: [ray('serve', 'cpu', 'cpu-2ab', '4'), ray('batch', 'gpu', 'gpu-2ab', '4')],
    },
    {
      name: '[G1] Grove',
      pod: grove('inference-1', '1'),
      want: { display: 'inference-1', index: 1 },
      same: [grove('inference-1', '1').labels({ 'grove.io/podclique': 'inference-1-prefill' })],
      strangers: [grove('inference-0', '0')],
    },
    {
      name: '[G1] RoleBasedGroup',
      pod: rbg('chat', 'decode', '2', componentSize),
      want: { display: 'chat-decode-2', index: 2 },
      same: [rbg('chat', 'decode', '2', componentSize).labels({ 'rbg.workloads.x-k8s.io/component-name': 'worker' })],
      siblings: [rbg('chat', 'decode', '0', componentSize)],
      strangers: [rbg('chat', 'prefill', '2', componentSize), rbg('code', 'decode', '2', componentSize)],
    },
    {
      name: '[G1] AIBrix',
      pod: storm('chat-roleset-x7-decode-0', '3'),
      want: { display: 'chat-roleset-x7-decode-0', index: 3 },
      strangers: [storm('chat-roleset-x7-decode-1', '4')],
    },
    {
      name: '[G1] Kueue',
      pod: kueue('sample'),
      want: { display: 'sample', size: 2 },
      same: [kueue('sample')],
      strangers: [kueue('other')],
    },
    {
      name: '[G1] Volcano',
      pod: volcano('mpi-pg'),
      want: { display: 'mpi-pg', object: { apiGroup: 'scheduling.volcano.sh', name: 'mpi-pg' } },
      same: [volcano('mpi-pg').labels({ 'volcano.sh/task-spec': 'master' })],
      strangers: [volcano('other')],
    },
    {
      name: '[G1] Volcano by its own annotation, with a minimum',
      pod: real({}, { 'scheduling.volcano.sh/group-name': 'mpi-pg', 'scheduling.volcano.sh/group-min-member': '3' }),
      want: { display: 'mpi-pg', minimum: 3 },
    },
    {
      name: '[G1] coscheduling',
      pod: coscheduling('nginx'),
      want: { display: 'nginx', object: { apiGroup: 'scheduling.x-k8s.io', name: 'nginx' } },
      strangers: [coscheduling('other')],
    },
    {
      name: '[G1] coscheduling by the labels of its first days',
      pod: real({ 'pod-group.scheduling.x-k8s.io/name': 'nginx', 'pod-group.scheduling.x-k8s.io/min-available': '3' }),
      want: { display: 'nginx', minimum: 3 },
    },
  ];
  const claim = (pod: PodBuilder): GroupClaim => firstClaim(pod.build()) ?? { convention: 'none', id: '', display: '' };
  table(rows, ({ pod, want, same = [], siblings = [], strangers = [] }) => {
    const own = claim(pod);
    expect(own).toMatchObject(want);
    for (const field of ['index', 'size', 'minimum', 'expected'] as const) {
      if (!(field in want)) expect(own, `states no ${field}`).not.toHaveProperty(field, expect.anything());
    }
    for (const other of same) expect(claim(other)).toMatchObject({ id: own.id, display: own.display });
    for (const other of siblings) {
      expect(own.parent).toBeDefined();
      expect(claim(other).parent).toBe(own.parent);
    }
    for (const other of strangers) if (own.parent !== undefined) expect(claim(other).parent).not.toBe(own.parent);
    const ids = [own, ...[...siblings, ...strangers].map(claim)].map(({ id }) => id);
    expect(new Set(ids).size, 'every group has an id of its own').toBe(ids.length);
  });

  it('[G1] RoleBasedGroup’s role-size counts the instances of a role; it is not the size of one', () => {
    const pod = rbg('chat', 'decode', '2', {}).annotate({ 'rbg.workloads.x-k8s.io/role-size': '8' });
    expect(claim(pod)).toMatchObject({ expected: 8 });
    expect(claim(pod).size).toBeUndefined();
  });

  it('[G1] groups of two conventions never share an id, whatever their names', () => {
    const pods = [
      lws('x', '0', '0'),
      kueue('x'),
      volcano('x'),
      coscheduling('x'),
      grove('x', '0'),
      storm('x', '0'),
      ray('', '', 'x', '0'),
    ];
    const ids = [...pods, aPod('p').inPodGroup('x')].map((pod) => claim(pod).id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  table(
    [
      { name: '[G1] a pod without any of them has none', pod: real({}) },
      {
        name: '[G1] half of a LeaderWorkerSet’s labels is none',
        pod: real({ 'leaderworkerset.sigs.k8s.io/name': 'llm' }),
      },
      { name: '[G1] a Ray pod of a single host has none', pod: real({ 'ray.io/cluster': 'c', 'ray.io/group': 'g' }) },
    ],
    ({ pod }) => expect(firstClaim(pod.build())).toBeUndefined(),
  );

  table(
    ['', '0', '-1', '1.5', 'four', ' 4', '04', '99999999999'].map((size) => ({
      name: `[G1] a size of "${size}" is no statement`,
      size,
    })),
    ({ size }) => {
      const pod = lws('llm', '0', '0').annotate({ 'leaderworkerset.sigs.k8s.io/size': size });
      expect(claim(pod).size).toBeUndefined();
    },
  );

  it('[G1] the more exact claim wins: the native group, then the LeaderWorkerSet, before those who wrap it', () => {
    const wrapped = lws('llm', '0', '0')
      .labels({ 'kueue.x-k8s.io/pod-group-name': 'k', 'scheduling.x-k8s.io/pod-group': 'c' })
      .annotate({ 'scheduling.k8s.io/group-name': 'v' });
    expect(claim(wrapped).display).toBe('llm/0');
    expect(claim(wrapped.inPodGroup('g')).display).toBe('g');
  });
});

describe('groups in the specification', () => {
  it('[G3] groups of one parent are replicas of one another, those of two parents are not', () => {
    const pods = ['gpu', 'cpu'].flatMap((group) =>
      ['0', '2'].map((index) => ray('serve', group, `${group}-${index}`, index).named(`${group}-${index}`)),
    );
    const world = aWorld({ pods, pdbs: [aGroupPdb('b', { app: 'x' }, { minAvailable: 1 })] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 4, expected: 6, source: 'highestIndex' });
  });

  it('[G4] a label of the budget makes groups where no convention does', () => {
    const pods = ['0', '0', '1'].map((shard, i) => aPod(`p${i}`).labels({ app: 'x', shard }));
    const world = aWorld({ pods, pdbs: [aGroupPdb('b', { app: 'x' }, { minAvailable: 2 }, 'shard')] });
    expect(blockersOf(ask(world, 'EVICT', 'p2'))).toMatchObject([{ unit: '1', available: 2, expected: 2 }]);
  });

  it('[G2] a native gang groups by itself; [G5] its minimum is its minCount', () => {
    const pods = [0, 1, 2].map((i) => aPod(`p${i}`).labels({ app: 'x' }).inPodGroup('g'));
    const world = aWorld({
      pods,
      podGroups: [aPodGroup('g', 2)],
      pdbs: [aPdb('b', { app: 'x' }, { minAvailable: 1 })],
    });
    expect(ask(world, 'EVICT', 'p0')).toMatchObject({ charges: [{ unit: 'g', effect: 'surplus' }] });
  });
});
