import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import {
  aGroupPdb,
  anOwner,
  aPdb,
  aPod,
  aPodGroup,
  aWorkload,
  ns,
  type PodBuilder,
  refTo,
} from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { PodGroup, Workload } from '../../src/api/workload.ts';
import type { OwnerState } from '../../src/core/owner.ts';

const app = { app: 'x' };
const pod = (name: string): PodBuilder => aPod(name).labels(app);
const lws = (set: string, group: number): PodBuilder => pod(`${set}-${group}`).lws(set, group, 0, 1);
const scaled = (name: string, replicas?: number): OwnerState => anOwner('LeaderWorkerSet', name, replicas);
const job = (set: string, index: number, replicas?: number): PodBuilder =>
  pod(`${set}-${index}`).labels({
    'jobset.sigs.k8s.io/job-key': `key-${set}-${index}`,
    'jobset.sigs.k8s.io/jobset-name': set,
    'jobset.sigs.k8s.io/replicatedjob-name': 'workers',
    'jobset.sigs.k8s.io/job-index': String(index),
    ...(replicas === undefined ? {} : { 'jobset.sigs.k8s.io/replicatedjob-replicas': String(replicas) }),
  });
const kueue = (group: string): PodBuilder => pod(group).labels({ 'kueue.x-k8s.io/pod-group-name': group });
const kep = (index: number): PodBuilder =>
  pod(`kep-${index}`).spec({ workload: { name: 'w', podGroup: 'worker', podGroupReplicaIndex: index } });
const native = (group: string): PodBuilder => pod(group).inPodGroup(group);
const before137 = (name: string, workload: string): PodGroup => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  metadata: { name, namespace: ns },
  spec: {
    podGroupTemplateRef: { workload: { workloadName: workload, podGroupTemplateName: 'worker' } },
    schedulingPolicy: { gang: { minCount: 1 } },
  },
});

interface Row {
  readonly name: string;
  readonly pods: readonly PodBuilder[];
  readonly owners?: readonly OwnerState[];
  readonly podGroups?: readonly PodGroup[];
  readonly workloads?: readonly Workload[];
  readonly pdb?: PodDisruptionBudget;
  readonly want: { readonly expected: number; readonly source: string };
}

const grouped = aGroupPdb('b', app, { maxUnavailable: 1 });
const byShard = aGroupPdb('b', app, { maxUnavailable: 1 }, 'shard');

describe('expected groups', () => {
  const rows: readonly Row[] = [
    {
      name: '[P6] are the replicas of the Workload’s pod group',
      pods: [kep(0)],
      workloads: [aWorkload('w', 'worker', 1, 6)],
      want: { expected: 6, source: 'workload' },
    },
    {
      name: '[P6] are those rather than the scale of the root owner',
      pods: [kep(0).labels({ 'leaderworkerset.sigs.k8s.io/name': 'llm' })],
      workloads: [aWorkload('w', 'worker', 1, 6)],
      owners: [scaled('llm', 4)],
      want: { expected: 6, source: 'workload' },
    },
    {
      name: '[P6] are those although the root owner was not looked up',
      pods: [kep(0).ownedBy(anOwner('Job', 'j'))],
      workloads: [aWorkload('w', 'worker', 1, 6)],
      want: { expected: 6, source: 'workload' },
    },
    {
      name: '[P6] are the scale of a LeaderWorkerSet',
      pods: [lws('llm', 0), lws('llm', 1)],
      owners: [scaled('llm', 4)],
      want: { expected: 4, source: 'scale' },
    },
    {
      name: '[P6] are the scale of a LeaderWorkerSet for label groups under it',
      pods: [lws('llm', 0).labels({ shard: 'a' })],
      owners: [scaled('llm', 4)],
      pdb: byShard,
      want: { expected: 4, source: 'scale' },
    },
    {
      name: '[P6] are never the scale of a StatefulSet',
      pods: [0, 1].map((i) => kueue(`k${i}`).ownedBy(anOwner('StatefulSet', 's', 9))),
      owners: [anOwner('StatefulSet', 's', 9)],
      want: { expected: 2, source: 'seen' },
    },
    {
      name: '[P6] are never the scale of a Job',
      pods: [job('train', 0).ownedBy(anOwner('Job', 'train-0', 8))],
      owners: [anOwner('Job', 'train-0', 8)],
      want: { expected: 1, source: 'highestIndex' },
    },
    {
      name: '[P6] are a number that the pods state',
      pods: [job('train', 0, 5)],
      want: { expected: 5, source: 'pods' },
    },
    {
      name: '[P6] are the number of PodGroups of the same template',
      pods: [native('g0')],
      podGroups: [
        aPodGroup('g0', 1, 'w'),
        aPodGroup('g1', 1, 'w'),
        aPodGroup('g2', 1, 'w'),
        aPodGroup('h', 1, 'w', 'other'),
        aPodGroup('i', 1, 'v'),
      ],
      want: { expected: 3, source: 'podGroups' },
    },
    {
      name: '[P6] are the number of PodGroups of the same template, in the words of 1.36',
      pods: [native('g0')],
      podGroups: [before137('g0', 'w'), before137('g1', 'w'), before137('g2', 'v')],
      want: { expected: 2, source: 'podGroups' },
    },
    {
      name: '[P6] are the highest index + 1',
      pods: [kep(0), kep(4)],
      workloads: [aWorkload('w', 'worker', 1)],
      want: { expected: 5, source: 'highestIndex' },
    },
    {
      name: '[P6] are the highest index + 1 when the LeaderWorkerSet has no scale',
      pods: [lws('llm', 3)],
      owners: [scaled('llm')],
      want: { expected: 4, source: 'highestIndex' },
    },
    { name: '[P6] are the groups seen', pods: [kueue('a'), kueue('b')], want: { expected: 2, source: 'seen' } },
    { name: '[P6] are none without pods', pods: [], want: { expected: 0, source: 'seen' } },
    {
      name: '[P6] are summed over parents',
      pods: [lws('a', 0), lws('b', 0)],
      owners: [scaled('a', 2), scaled('b', 3)],
      want: { expected: 5, source: 'scale' },
    },
    {
      name: '[P6] are reported with the weakest source used',
      pods: [lws('a', 0), job('t', 0, 2), kueue('k')],
      owners: [scaled('a', 2)],
      want: { expected: 5, source: 'seen' },
    },
    {
      name: '[P6] are those of the groups reached, not of others in the namespace',
      pods: [lws('a', 0), lws('b', 7).labels({ app: 'y' })],
      owners: [scaled('a', 2), scaled('b', 8)],
      want: { expected: 2, source: 'scale' },
    },
    {
      name: '[P6] [G3] are the scale of the root owner for PodGroups without a Workload',
      pods: [native('g0').labels({ 'leaderworkerset.sigs.k8s.io/name': 'llm' })],
      podGroups: [aPodGroup('g0', 1)],
      owners: [scaled('llm', 4)],
      want: { expected: 4, source: 'scale' },
    },
    {
      name: '[P6] [O1] are the scale at the end of the chain',
      pods: [kueue('k').ownedBy(anOwner('StatefulSet', 'llm-0'))],
      owners: [anOwner('StatefulSet', 'llm-0', 2, { controller: refTo(scaled('llm')) }), scaled('llm', 3)],
      want: { expected: 3, source: 'scale' },
    },
  ];
  table(rows, ({ pdb = grouped, want, ...contents }) => {
    const world = aWorld({ owners: ['llm', 'a', 'b'].map((name) => scaled(name)), ...contents, pdbs: [pdb] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ mode: 'group', ...want });
  });

  it('[P6] follow the Workload and the PodGroups', () => {
    const world = aWorld({
      pods: [kep(0), native('g0')],
      workloads: [aWorkload('w', 'worker', 1, 1)],
      podGroups: [aPodGroup('g0', 1, 'v')],
      pdbs: [grouped],
    });
    const seen = [pdbNumbers(world, 'b')?.expected];
    const step = (change: () => void): void => {
      change();
      seen.push(pdbNumbers(world, 'b')?.expected);
    };
    step(() => world.upsertWorkload(aWorkload('w', 'worker', 1, 4)));
    step(() => world.upsertPodGroup(aPodGroup('g1', 1, 'v')));
    step(() => world.deletePodGroup('scheduling.k8s.io/v1beta1', ns, 'g1'));
    step(() => world.deleteWorkload(ns, 'w'));
    expect(seen).toEqual([2, 5, 6, 5, 1]);
  });

  it('[P6] [I11] follow the scale of the root owner: groups that are not created yet are missing', () => {
    const world = aWorld({ pods: [lws('llm', 0), lws('llm', 1)], owners: [scaled('llm', 2)], pdbs: [grouped] });
    expect(inShort(ask(world, 'EVICT', 'llm-0'))).toBe('allow WithinBudget');
    world.setOwner(scaled('llm', 3));
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 3, desired: 2, available: 2 });
    expect(inShort(ask(world, 'EVICT', 'llm-0'))).toBe('deny BudgetExhausted');
  });
});

describe('expected groups under an owner that was not looked up', () => {
  const outcome = (pdb: PodDisruptionBudget, ...pods: readonly PodBuilder[]) =>
    inShort(ask(aWorld({ pods, pdbs: [pdb] }), 'EVICT', pods[0]?.build().metadata.name ?? ''));

  it('[P6] [I4] refuse where the number is needed', () => {
    expect(outcome(grouped, lws('llm', 0), lws('llm', 1))).toBe('deny ExpectedUnknown');
    expect(outcome(aGroupPdb('b', app, { minAvailable: '1%' }), lws('llm', 0), lws('llm', 1))).toBe(
      'deny ExpectedUnknown',
    );
  });

  it('[P6] [N3] do not refuse where it is not', () => {
    expect(outcome(aGroupPdb('b', app, { minAvailable: 1 }), lws('llm', 0), lws('llm', 1))).toBe('allow WithinBudget');
  });

  it('[P6] [I4] refuse when the chain may still lead to an owner that counts groups', () => {
    const set = anOwner('StatefulSet', 'llm-0');
    expect(outcome(grouped, kueue('k').ownedBy(set))).toBe('deny ExpectedUnknown');
  });

  it('[P6] [O1] [I4] a look-up from before the first pod does not make them none', () => {
    const world = aWorld({ pdbs: [grouped] });
    world.setOwnerGone(scaled('llm'));
    for (const group of [0, 1, 2]) world.upsertPod(lws('llm', group).build());
    expect(inShort(ask(world, 'EVICT', 'llm-0'))).toBe('deny ExpectedUnknown');
  });
});

describe('expected groups under an owner that is gone', () => {
  it('[P6] are those of the next source: pods that were left behind are not free', () => {
    const set = anOwner('StatefulSet', 'llm', 2);
    const pods = [0, 1].map((group) => lws('llm', group).ownedBy(set));
    const world = aWorld({ pods, owners: [set], pdbs: [grouped] });
    world.setOwnerGone(scaled('llm'));
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 2, desired: 1, source: 'highestIndex' });
  });
});

describe('expected groups in automatic scope', () => {
  it('[P6] [P5] leave out what is left out of the selection', () => {
    const world = aWorld({
      pods: [native('g0'), pod('single'), kueue('k')],
      podGroups: [aPodGroup('g0', 1, 'w'), aPodGroup('g1', 1, 'w')],
      pdbs: [aPdb('b', app, { maxUnavailable: 1 })],
    });
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 2, source: 'podGroups', available: 1, desired: 1 });
  });
});
