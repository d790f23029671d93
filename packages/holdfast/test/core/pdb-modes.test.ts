import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPodGroup, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { PodGroup } from '../../src/api/workload.ts';

const app = { app: 'train' };
const one = { minAvailable: 1 };

const single = aPod('single').labels(app);
const gang = aPod('gang').labels(app).inPodGroup('g');
const probed = aPod('probed').labels(app).probed('True');
const groupsOfOne = [aPodGroup('g', 1)];
const lws = aPod('lws').labels(app).lws('llm', 0, 0, 1);

interface Row {
  readonly name: string;
  readonly pods: readonly PodBuilder[];
  readonly pdb?: PodDisruptionBudget;
  readonly podGroups?: readonly PodGroup[];
  readonly want: 'group' | 'perPod' | 'plain' | 'invalid';
}

describe('the mode of a PDB', () => {
  const scoped = (scope: string): PodDisruptionBudget => aPdb('b', app, one, { [annotation.budgetScope]: scope });
  const rows: readonly Row[] = [
    { name: '[P1] is plain over pods without groups and probes', pods: [single], want: 'plain' },
    { name: '[P1] is plain without any pods', pods: [], want: 'plain' },
    { name: '[P1] is group when a selected pod has a native gang', pods: [single, gang], want: 'group' },
    { name: '[P1] is per pod when a selected pod has a probe', pods: [single, probed], want: 'perPod' },
    { name: '[P1] is group when there are gangs and probes', pods: [single, gang, probed], want: 'group' },
    { name: '[P1] is plain over groups that are known by labels only', pods: [lws], want: 'plain' },
    {
      name: '[P1] is group over label groups when its scope says so',
      pods: [lws],
      pdb: scoped('PodGroup'),
      want: 'group',
    },
    {
      name: '[P1] is group by scope, whatever its pods are',
      pods: [single, probed],
      pdb: scoped('PodGroup'),
      want: 'group',
    },
    { name: '[P1] is group by scope without any pods', pods: [], pdb: scoped('PodGroup'), want: 'group' },
    { name: '[P1] is plain over gangs with the scope Pod', pods: [gang], pdb: scoped('Pod'), want: 'plain' },
    {
      name: '[P1] is per pod over gangs and probes with the scope Pod',
      pods: [gang, probed],
      pdb: scoped('Pod'),
      want: 'perPod',
    },
    {
      name: '[P1] is group by spec.budgetScope',
      pods: [single],
      pdb: aPdb('b', app, { ...one, budgetScope: 'PodGroup' }),
      want: 'group',
    },
    {
      name: '[P1] is plain over gangs with spec.budgetScope Pod',
      pods: [gang],
      pdb: aPdb('b', app, { ...one, budgetScope: 'Pod' }),
      want: 'plain',
    },
    {
      name: '[P1] [G2] is plain when the PodGroup is not a gang',
      pods: [gang],
      podGroups: [aPodGroup('g', undefined)],
      want: 'plain',
    },
    { name: '[P1] [G2] is plain when the PodGroup does not exist', pods: [gang], podGroups: [], want: 'plain' },
    {
      name: '[P1] is per pod when a probe cannot be read',
      pods: [single.annotate({ [annotation.disruptionProbe]: '{' })],
      want: 'perPod',
    },
    { name: '[P1] looks at terminating pods, too', pods: [single, gang.terminating()], want: 'group' },
    {
      name: '[P1] looks at no pod that it does not select',
      pods: [single, gang.labels({ app: 'other' }), probed.labels({ app: 'other' })],
      want: 'plain',
    },
    {
      name: '[P1] looks at every pod with an empty selector',
      pods: [single, gang],
      pdb: { metadata: { name: 'b', namespace: ns }, spec: { selector: {}, ...one } },
      want: 'group',
    },
    {
      name: '[P1] looks at no pod without a selector',
      pods: [single, gang],
      pdb: { metadata: { name: 'b', namespace: ns }, spec: one },
      want: 'plain',
    },
  ];
  table(rows, ({ pods, pdb = aPdb('b', app, one), podGroups = groupsOfOne, want }) => {
    const world = aWorld({ pods, podGroups, pdbs: [pdb] });
    expect(pdbNumbers(world, 'b')?.mode).toBe(want);
  });
});

describe('the mode of a PDB changes', () => {
  const mode = (world: ReturnType<typeof aWorld>) => pdbNumbers(world, 'b')?.mode;

  it('[P1] from group to plain when the last gang pod goes, and back when one comes', () => {
    const second = aPod('gang-2').labels(app).inPodGroup('g');
    const world = aWorld({ pods: [single, gang, second], podGroups: groupsOfOne, pdbs: [aPdb('b', app, one)] });
    world.deletePod(ns, 'gang');
    expect(mode(world)).toBe('group');
    world.deletePod(ns, 'gang-2');
    expect(pdbNumbers(world, 'b')).toMatchObject({ mode: 'plain', available: 1, expected: 1 });
    world.upsertPod(gang.build());
    expect(pdbNumbers(world, 'b')).toMatchObject({ mode: 'group', available: 1, expected: 1, source: 'seen' });
  });

  it('[P1] from group to per pod when the last gang pod goes and probed ones stay', () => {
    const world = aWorld({
      pods: [gang, probed, single],
      podGroups: groupsOfOne,
      pdbs: [aPdb('b', app, one)],
      freshNodes: ['node-1'],
    });
    world.deletePod(ns, 'gang');
    expect(pdbNumbers(world, 'b')).toMatchObject({ mode: 'perPod', available: 2 });
  });

  it('[P1] from per pod to plain when the last probe goes', () => {
    const world = aWorld({ pods: [probed, single], pdbs: [aPdb('b', app, one)] });
    expect(mode(world)).toBe('perPod');
    world.upsertPod(aPod('probed').labels(app).build());
    expect(mode(world)).toBe('plain');
  });

  it('[P1] when a pod is labelled out of the selection and into it', () => {
    const world = aWorld({ pods: [single, gang], podGroups: groupsOfOne, pdbs: [aPdb('b', app, one)] });
    world.upsertPod(gang.labels({ app: 'other' }).build());
    expect(mode(world)).toBe('plain');
    world.upsertPod(gang.build());
    expect(mode(world)).toBe('group');
  });

  it('[P1] when the PodGroup comes, loses its gang, gets it back and goes', () => {
    const world = aWorld({ pods: [gang], pdbs: [aPdb('b', app, one)] });
    const seen = [mode(world)];
    const step = (change: () => void): void => {
      change();
      seen.push(mode(world));
    };
    step(() => world.upsertPodGroup(aPodGroup('g', 1)));
    step(() => world.upsertPodGroup(aPodGroup('g', undefined)));
    step(() => world.upsertPodGroup(aPodGroup('g', 1)));
    step(() => world.deletePodGroup('scheduling.k8s.io/v1beta1', ns, 'g'));
    expect(seen).toEqual(['plain', 'group', 'plain', 'group', 'plain']);
  });

  it('[P1] when its scope is edited', () => {
    const world = aWorld({ pods: [gang], podGroups: groupsOfOne, pdbs: [aPdb('b', app, one)] });
    world.upsertPdb(aPdb('b', app, one, { [annotation.budgetScope]: 'Pod' }));
    expect(mode(world)).toBe('plain');
    world.upsertPdb(aGroupPdb('b', app, one));
    expect(mode(world)).toBe('group');
  });

  it('[P1] and a budget that is deleted judges nothing', () => {
    const world = aWorld({ pods: [gang], podGroups: groupsOfOne, pdbs: [aPdb('b', app, one)] });
    expect(inShort(ask(world, 'EVICT', 'gang'))).toBe('deny BudgetExhausted');
    world.deletePdb(ns, 'b');
    expect(inShort(ask(world, 'EVICT', 'gang'))).toBe('allow NotProtected');
  });
});

describe('what a PDB judges', () => {
  it('[P1] a plain one nothing: the request goes on to the built-in check, and nothing is reserved', () => {
    const world = aWorld({ pods: [single], pdbs: [aPdb('b', app, one)] });
    expect(ask(world, 'EVICT', 'single')).toEqual({
      result: 'allow',
      reason: 'NotProtected',
      charges: [],
      effects: { complete: 'pass' },
    });
  });

  table(
    (['DELETE', 'UPDATE', 'RESIZE'] as const).map((operation) => ({
      name: `[P1] no ${operation}, in whichever mode`,
      operation,
    })),
    ({ operation }) => {
      const world = aWorld({
        pods: [gang, probed.labels({ app: 'web' })],
        podGroups: groupsOfOne,
        pdbs: [aPdb('b', app, one), aPdb('per-pod', { app: 'web' }, one)],
        freshNodes: ['node-1'],
      });
      expect(inShort(ask(world, operation, 'gang'))).toBe('allow NotProtected');
      expect(inShort(ask(world, operation, 'probed'))).toBe('allow NotProtected');
      expect(inShort(ask(world, 'EVICT', 'probed'))).toBe('deny BudgetExhausted');
    },
  );
});
