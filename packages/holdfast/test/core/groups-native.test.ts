import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPodGroup, aWorkload, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { Pod, PodSpec } from '../../src/api/pod.ts';
import type { PodGroup, Workload } from '../../src/api/workload.ts';
import { claimsOf } from '../../src/core/groups/claims.ts';

/** The claim that is tried first. */
function firstClaim(pod: Pod) {
  return claimsOf(pod)[0];
}

const app = { app: 'x' };
const pdb = aPdb('b', app, { minAvailable: 1 });

describe('a pod names its native group', () => {
  interface Row {
    readonly name: string;
    readonly spec: Partial<PodSpec>;
    readonly other: Partial<PodSpec>;
    readonly want: { readonly display: string; readonly index?: number };
  }
  const rows: readonly Row[] = [
    {
      name: '[G2] by schedulingGroup (1.36 and later)',
      spec: { schedulingGroup: { podGroupName: 'train-worker-x1' } },
      other: { schedulingGroup: { podGroupName: 'train-worker-x2' } },
      want: { display: 'train-worker-x1' },
    },
    {
      name: '[G2] by workloadRef (1.35)',
      spec: { workloadRef: { name: 'train', podGroup: 'worker', podGroupReplicaKey: 'a' } },
      other: { workloadRef: { name: 'train', podGroup: 'worker', podGroupReplicaKey: 'b' } },
      want: { display: 'worker/a' },
    },
    {
      name: '[G2] by workloadRef without a replica key (1.35)',
      spec: { workloadRef: { name: 'train', podGroup: 'worker' } },
      other: { workloadRef: { name: 'train', podGroup: 'driver' } },
      want: { display: 'worker' },
    },
    {
      name: '[G2] by workloadReference (the KEP)',
      spec: { workloadReference: { name: 'train', podGroup: 'worker', podGroupReplicaIndex: 1 } },
      other: { workloadReference: { name: 'train', podGroup: 'worker', podGroupReplicaIndex: 11 } },
      want: { display: 'worker/1', index: 1 },
    },
    {
      name: '[G2] by workload (the KEP)',
      spec: { workload: { name: 'train', podGroup: 'worker', podGroupReplicaIndex: 0 } },
      other: { workload: { name: 'tune', podGroup: 'worker', podGroupReplicaIndex: 0 } },
      want: { display: 'worker/0', index: 0 },
    },
  ];
  table(rows, ({ spec, other, want }) => {
    const claim = firstClaim(aPod('p').spec(spec).build());
    expect(claim).toMatchObject({ convention: 'native', ...want });
    expect(firstClaim(aPod('q').spec(spec).build())?.id).toBe(claim?.id);
    expect(firstClaim(aPod('q').spec(other).build())?.id).not.toBe(claim?.id);
  });

  table(
    [
      { name: '[G2] not by an empty schedulingGroup', spec: { schedulingGroup: {} } },
      { name: '[G2] not by an empty name', spec: { schedulingGroup: { podGroupName: '' } } },
      { name: '[G2] not by a Workload without a pod group', spec: { workloadRef: { name: 'train' } } },
      {
        name: '[G2] not by a pod group without a Workload',
        spec: { workload: { podGroup: 'worker', podGroupReplicaIndex: 0 } },
      },
    ],
    ({ spec }) => expect(firstClaim(aPod('p').spec(spec).build())).toBeUndefined(),
  );
});

describe('a native group is a gang', () => {
  const podGroup = (apiVersion: string, spec: PodGroup['spec']): PodGroup => ({
    apiVersion: `scheduling.k8s.io/${apiVersion}`,
    metadata: { name: 'g', namespace: ns },
    ...(spec === undefined ? {} : { spec }),
  });
  const basic = { basic: {} };
  const gang = { gang: { minCount: 1 } };
  const rows: readonly { readonly name: string; readonly podGroup?: PodGroup; readonly want: boolean }[] = [
    { name: '[G2] not without a PodGroup', want: false },
    { name: '[G2] not by a PodGroup without a spec', podGroup: podGroup('v1beta1', undefined), want: false },
    {
      name: '[G2] by gang.minCount in 1.36',
      podGroup: podGroup('v1alpha2', { schedulingPolicy: gang, disruptionMode: 'Pod' }),
      want: true,
    },
    {
      name: '[G2] by gang.minCount in 1.37',
      podGroup: podGroup('v1beta1', { schedulingPolicy: gang, disruptionMode: { single: {} } }),
      want: true,
    },
    {
      name: '[G2] by gang.minCount in v1alpha3',
      podGroup: podGroup('v1alpha3', { schedulingPolicy: gang }),
      want: true,
    },
    {
      name: '[G2] not as basic in 1.36',
      podGroup: podGroup('v1alpha2', { schedulingPolicy: basic, disruptionMode: 'Pod' }),
      want: false,
    },
    {
      name: '[G2] not as basic in 1.37',
      podGroup: podGroup('v1beta1', { schedulingPolicy: basic, disruptionMode: { single: {} } }),
      want: false,
    },
    {
      name: '[G2] not as basic without a mode',
      podGroup: podGroup('v1beta1', { schedulingPolicy: basic }),
      want: false,
    },
    {
      name: '[G2] by disruptionMode PodGroup in 1.36',
      podGroup: podGroup('v1alpha2', { schedulingPolicy: basic, disruptionMode: 'PodGroup' }),
      want: true,
    },
    {
      name: '[G2] by disruptionMode all in 1.37',
      podGroup: podGroup('v1beta1', { schedulingPolicy: basic, disruptionMode: { all: {} } }),
      want: true,
    },
    {
      name: '[G2] not by Volcano’s PodGroup of the same name',
      podGroup: {
        apiVersion: 'scheduling.volcano.sh/v1beta1',
        metadata: { name: 'g', namespace: ns },
        spec: { minMember: 1 },
      },
      want: false,
    },
    {
      name: '[G2] not by a PodGroup of another namespace',
      podGroup: { ...podGroup('v1beta1', { schedulingPolicy: gang }), metadata: { name: 'g', namespace: 'far' } },
      want: false,
    },
    { name: '[G2] not by a PodGroup of another name', podGroup: aPodGroup('h', 1), want: false },
  ];
  table(rows, ({ podGroup: object, want }) => {
    const pod = aPod('p').labels(app).inPodGroup('g');
    const podGroups = object === undefined ? [] : [object];
    const automatic = aWorld({ pods: [pod], podGroups, pdbs: [pdb] });
    expect(pdbNumbers(automatic, 'b')?.mode).toBe(want ? 'group' : 'plain');
    const explicit = aWorld({ pods: [pod], podGroups, pdbs: [aGroupPdb('b', app, { minAvailable: 1 })] });
    expect(inShort(ask(explicit, 'EVICT', 'p'))).toBe(want ? 'deny BudgetExhausted' : 'deny GroupNotResolved');
  });

  const workload = (spec: Workload['spec']): Workload => ({
    metadata: { name: 'w', namespace: ns },
    ...(spec === undefined ? {} : { spec }),
  });
  const shapes: readonly { readonly shape: string; readonly pod: PodBuilder }[] = [
    {
      shape: 'workloadRef',
      pod: aPod('p').spec({ workloadRef: { name: 'w', podGroup: 'worker', podGroupReplicaKey: 'k' } }),
    },
    {
      shape: 'workloadReference',
      pod: aPod('p').spec({ workloadReference: { name: 'w', podGroup: 'worker', podGroupReplicaIndex: 0 } }),
    },
    {
      shape: 'workload',
      pod: aPod('p').spec({ workload: { name: 'w', podGroup: 'worker', podGroupReplicaIndex: 0 } }),
    },
  ];
  const descriptions: readonly {
    readonly what: string;
    readonly workloads: readonly Workload[];
    readonly want: string;
  }[] = [
    { what: 'a gang of the Workload', workloads: [aWorkload('w', 'worker', 1)], want: 'group' },
    {
      what: 'a basic pod group',
      workloads: [workload({ podGroups: [{ name: 'worker', policy: { basic: {} } }] })],
      want: 'plain',
    },
    { what: 'a pod group that the Workload does not have', workloads: [aWorkload('w', 'driver', 1)], want: 'plain' },
    { what: 'a Workload without pod groups', workloads: [workload(undefined)], want: 'plain' },
    { what: 'a Workload that does not exist', workloads: [aWorkload('v', 'worker', 1)], want: 'plain' },
  ];
  table(
    shapes.flatMap(({ shape, pod }) =>
      descriptions.map((row) => ({
        ...row,
        pod,
        name: `[G2] ${row.want === 'group' ? 'by' : 'not by'} ${row.what} (${shape})`,
      })),
    ),
    ({ pod, workloads, want }) => {
      const world = aWorld({ pods: [pod.labels(app)], workloads, pdbs: [pdb] });
      expect(pdbNumbers(world, 'b')?.mode).toBe(want);
    },
  );
});

describe('what describes a group may come, change and go', () => {
  const pods = [0, 1, 2].map((i) => aPod(`p${i}`).labels(app));
  const without = (world: ReturnType<typeof aWorld>): string => {
    const verdict = ask(world, 'EVICT', 'p0');
    return verdict.result === 'allow' ? (verdict.charges[0]?.effect ?? verdict.reason) : 'denied';
  };

  it('[G2] [G5] a PodGroup, before and after its pods', () => {
    const world = aWorld({ podGroups: [aPodGroup('g', 3)], pdbs: [pdb] });
    for (const pod of pods) world.upsertPod(pod.inPodGroup('g').build());
    const seen = [without(world)];
    const step = (change: () => void): void => {
      change();
      seen.push(without(world));
    };
    step(() => world.upsertPodGroup(aPodGroup('g', 2)));
    step(() =>
      world.upsertPodGroup({
        ...aPodGroup('g', 2),
        spec: { schedulingPolicy: { gang: { minCount: 2 } }, disruptionMode: { all: {} } },
      }),
    );
    step(() => world.deletePodGroup('scheduling.k8s.io/v1beta1', ns, 'g'));
    step(() => world.upsertPodGroup(aPodGroup('g', 1)));
    expect(seen).toEqual(['denied', 'surplus', 'denied', 'NotProtected', 'surplus']);
  });

  it('[G2] a Workload, before and after its pods', () => {
    const world = aWorld({ pdbs: [pdb], workloads: [aWorkload('w', 'worker', 3)] });
    for (const pod of pods) world.upsertPod(pod.spec({ workloadRef: { name: 'w', podGroup: 'worker' } }).build());
    const seen = [without(world)];
    const step = (change: () => void): void => {
      change();
      seen.push(without(world));
    };
    step(() => world.upsertWorkload(aWorkload('w', 'worker', 2)));
    step(() => world.upsertWorkload(aWorkload('w', 'driver', 2)));
    step(() => world.upsertWorkload(aWorkload('w', 'worker', 2)));
    step(() => world.deleteWorkload(ns, 'w'));
    expect(seen).toEqual(['denied', 'surplus', 'NotProtected', 'surplus', 'NotProtected']);
  });

  const foreign = [
    {
      name: 'Volcano',
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      pod: (pod: PodBuilder) => pod.annotate({ 'scheduling.k8s.io/group-name': 'g' }),
    },
    {
      name: 'coscheduling',
      apiVersion: 'scheduling.x-k8s.io/v1alpha1',
      pod: (pod: PodBuilder) => pod.labels({ 'scheduling.x-k8s.io/pod-group': 'g' }),
    },
  ];
  table(
    foreign.map((row) => ({ ...row, name: `[G1] [G5] the PodGroup of ${row.name} adds its minMember` })),
    ({ apiVersion, pod }) => {
      const object = (minMember: number): PodGroup => ({
        apiVersion,
        metadata: { name: 'g', namespace: ns },
        spec: { minMember },
      });
      const world = aWorld({ pods: pods.map(pod), pdbs: [aGroupPdb('b', app, { minAvailable: 1 })] });
      const seen = [without(world)];
      const step = (change: () => void): void => {
        change();
        seen.push(without(world));
      };
      step(() => world.upsertPodGroup(object(2)));
      step(() => world.upsertPodGroup(object(3)));
      step(() => world.upsertPodGroup(aPodGroup('g', 1)));
      step(() => world.upsertPodGroup(object(1)));
      step(() => world.deletePodGroup(apiVersion, ns, 'g'));
      expect(seen).toEqual(['denied', 'surplus', 'denied', 'denied', 'surplus', 'denied']);
    },
  );

  it('[P1] [G1] the PodGroup of another system makes no native gang', () => {
    const object: PodGroup = {
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      metadata: { name: 'g', namespace: ns },
      spec: { minMember: 2 },
    };
    const world = aWorld({
      pods: pods.map((pod) => pod.annotate({ 'scheduling.k8s.io/group-name': 'g' })),
      podGroups: [object],
      pdbs: [pdb],
    });
    expect(pdbNumbers(world, 'b')?.mode).toBe('plain');
  });
});
