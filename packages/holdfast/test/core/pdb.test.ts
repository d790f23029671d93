import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPodGroup, aPub, ns } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';

const app = { app: 'train' };

/** `count` gangs of two, named gang-I-leader and gang-I-worker. */
function gangs(count: number) {
  const indexes = Array.from({ length: count }, (_, i) => i);
  return {
    pods: indexes.flatMap((i) => [
      aPod(`gang-${i}-leader`)
        .labels({ ...app, role: 'leader' })
        .inPodGroup(`g${i}`),
      aPod(`gang-${i}-worker`)
        .labels({ ...app, role: 'worker' })
        .inPodGroup(`g${i}`),
    ]),
    podGroups: indexes.map((i) => aPodGroup(`g${i}`, 2)),
  };
}

describe('a PDB over gangs', () => {
  it('[P1] [P4] counts groups, not pods', () => {
    const world = aWorld({ ...gangs(3), pdbs: [aPdb('b', app, { minAvailable: 2 })] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ mode: 'group', available: 3, desired: 2 });
    expect(ask(world, 'EVICT', 'gang-0-worker')).toMatchObject({
      charges: [{ unit: 'g0', unitKind: 'group', effect: 'breaks', available: 3, desired: 2 }],
    });
  });
});

describe('groups that a selector reaches', () => {
  const leaders = { role: 'leader' };

  it('[P4] are counted with all their pods, selected or not', () => {
    const world = aWorld({ ...gangs(2), pdbs: [aPdb('b', leaders, { minAvailable: 2 })] });
    expect(pdbNumbers(world, 'b')?.available).toBe(2);
    world.upsertPod(aPod('gang-0-worker').labels(app).inPodGroup('g0').notReady().build());
    expect(pdbNumbers(world, 'b')?.available).toBe(1);
  });

  it('[P4] are protected in every one of their pods', () => {
    const world = aWorld({ ...gangs(2), pdbs: [aPdb('b', leaders, { minAvailable: 2 })] });
    expect(blockersOf(ask(world, 'EVICT', 'gang-1-worker'))).toMatchObject([
      { code: 'BudgetExhausted', budget: { name: 'b' }, unit: 'g1', unitKind: 'group' },
    ]);
    expect(inShort(ask(world, 'EVICT', 'gang-1-leader'))).toBe('deny BudgetExhausted');
  });

  it('[P4] are no longer reached when their last selected pod is gone or labelled out', () => {
    const world = aWorld({ ...gangs(2), pdbs: [aPdb('b', leaders, { minAvailable: 2 })] });
    world.deletePod(ns, 'gang-0-leader');
    expect(inShort(ask(world, 'EVICT', 'gang-0-worker'))).toBe('allow NotProtected');
    world.upsertPod(aPod('gang-1-leader').labels({ role: 'retired' }).inPodGroup('g1').build());
    expect(inShort(ask(world, 'EVICT', 'gang-1-worker'))).toBe('allow NotProtected');
  });

  it('[P4] are reached from the moment that one pod is selected', () => {
    const { pods, podGroups } = gangs(1);
    const world = aWorld({ pods: pods.slice(1), podGroups, pdbs: [aPdb('b', leaders, { minAvailable: 1 })] });
    expect(inShort(ask(world, 'EVICT', 'gang-0-worker'))).toBe('allow NotProtected');
    world.upsertPod(aPod('gang-0-leader').labels(leaders).inPodGroup('g0').build());
    expect(inShort(ask(world, 'EVICT', 'gang-0-worker'))).toBe('deny BudgetExhausted');
  });

  it('[P4] are those of one namespace', () => {
    const world = aWorld({ ...gangs(1), pdbs: [aPdb('b', leaders, { minAvailable: 1 })] });
    world.upsertPod(aPod('far').in('other').labels(leaders).inPodGroup('g0').build());
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 1, expected: 1 });
    expect(ask(world, 'EVICT', 'far', { namespace: 'other' })).toMatchObject({ reason: 'NotProtected' });
  });

  it('[P4] by a label key are protected in pods that the selector does not reach', () => {
    const world = aWorld({
      pods: [
        aPod('a').labels({ shard: '0', ...leaders }),
        aPod('b').labels({ shard: '0' }),
        aPod('c').labels({ shard: '1' }),
      ],
      pdbs: [aGroupPdb('b', leaders, { minAvailable: 1 }, 'shard')],
    });
    expect(blockersOf(ask(world, 'EVICT', 'b'))).toMatchObject([{ unit: '0', available: 1, desired: 1 }]);
    expect(inShort(ask(world, 'EVICT', 'c'))).toBe('allow NotProtected');
  });
});

describe('mixed selections', () => {
  const strict = { minAvailable: 1 };
  const strays = [
    { name: 'has no group', pod: aPod('stray').labels(app) },
    { name: 'names a PodGroup that does not exist', pod: aPod('stray').labels(app).inPodGroup('nowhere') },
    { name: 'names a PodGroup that is not a gang', pod: aPod('stray').labels(app).inPodGroup('basic') },
    {
      name: 'names a Workload that does not exist',
      pod: aPod('stray')
        .labels(app)
        .spec({ workloadRef: { name: 'nowhere', podGroup: 'worker' } }),
    },
  ];
  const world = (pod: (typeof strays)[number]['pod'], pdb: ReturnType<typeof aPdb>) => {
    const { pods, podGroups } = gangs(1);
    return aWorld({ pods: [...pods, pod], podGroups: [...podGroups, aPodGroup('basic', undefined)], pdbs: [pdb] });
  };

  table(
    strays.map((row) => ({
      ...row,
      name: `[P5] [P3] in automatic scope a pod that ${row.name} is not counted, and is judged by the built-in rule`,
    })),
    ({ pod }) => {
      const mixed = world(pod, aPdb('b', app, strict));
      expect(pdbNumbers(mixed, 'b')).toMatchObject({ mode: 'group', available: 1, expected: 1 });
      expect(ask(mixed, 'EVICT', 'stray')).toMatchObject({
        reason: 'WithinBudget',
        charges: [{ unitKind: 'pod', available: 3, desired: 1 }],
        effects: { complete: 'takeover' },
      });
      // The number of a budget over groups is not the built-in check's: nothing is taken from it.
      expect(ask(mixed, 'EVICT', 'stray')).not.toHaveProperty('effects.count');
      expect(inShort(ask(mixed, 'EVICT', 'gang-0-leader'))).toBe('deny BudgetExhausted');
    },
  );

  table(
    strays.map((row) => ({
      ...row,
      name: `[P5] [I4] in PodGroup scope a pod that ${row.name} is refused, and not counted`,
    })),
    ({ pod }) => {
      const mixed = world(pod, aGroupPdb('b', app, strict));
      expect(pdbNumbers(mixed, 'b')).toMatchObject({ mode: 'group', available: 1, expected: 1 });
      expect(blockersOf(ask(mixed, 'EVICT', 'stray'))).toMatchObject([
        { code: 'GroupNotResolved', budget: { name: 'b' } },
      ]);
    },
  );

  it('[P5] in PodGroup scope a pod without the budget’s label is refused, although it has another group', () => {
    const pod = aPod('stray').labels(app).lws('llm', 0, 0, 1);
    expect(inShort(ask(world(pod, aGroupPdb('b', app, strict, 'shard')), 'EVICT', 'stray'))).toBe(
      'deny GroupNotResolved',
    );
  });

  it('[P5] in PodGroup scope even a budget that desires nothing refuses a pod without a group', () => {
    const mixed = world(aPod('stray').labels(app), aGroupPdb('b', app, { minAvailable: 0 }));
    expect(inShort(ask(mixed, 'EVICT', 'stray'))).toBe('deny GroupNotResolved');
    expect(inShort(ask(mixed, 'EVICT', 'gang-0-leader'))).toBe('allow WithinBudget');
  });

  it('[P2] [P5] a budget that leaves the pod out is asked by the built-in rule when another one judges the pod', () => {
    // Three pods are ready, and `mixed` needs three: the built-in check would refuse, and a takeover must not pass it by.
    const mixed = world(aPod('stray').labels({ ...app, tier: 'front' }), aPdb('mixed', app, { minAvailable: 3 }));
    mixed.upsertPdb(aGroupPdb('front', { tier: 'front' }, { minAvailable: 0 }, 'tier'));
    expect(blockersOf(ask(mixed, 'EVICT', 'stray'))).toMatchObject([
      { code: 'BudgetExhausted', budget: { name: 'mixed' }, unitKind: 'pod', available: 3, desired: 3 },
    ]);
    mixed.upsertPdb(aPdb('mixed', app, { minAvailable: 2 }));
    expect(ask(mixed, 'EVICT', 'stray')).toMatchObject({ result: 'allow', effects: { complete: 'takeover' } });
  });

  it('[P2] [P5] a pod under a PUB is not taken over past a PDB that leaves it out: that is asked, too', () => {
    const mixed = world(aPod('stray').labels(app), aPdb('mixed', app, { minAvailable: 3 }));
    mixed.upsertPub(aPub('pub', { selector: { matchLabels: app }, minAvailable: 0 }));
    expect(blockersOf(ask(mixed, 'EVICT', 'stray'))).toMatchObject([
      { code: 'BudgetExhausted', budget: { name: 'mixed' }, unitKind: 'pod', available: 3, desired: 3 },
    ]);
    mixed.upsertPdb(aPdb('mixed', app, { minAvailable: 2 }));
    expect(ask(mixed, 'EVICT', 'stray')).toMatchObject({ result: 'allow', effects: { complete: 'takeover' } });
  });

  it('[P5] a pod is judged as soon as its PodGroup is there', () => {
    const mixed = world(aPod('stray').labels(app).inPodGroup('late'), aGroupPdb('b', app, { minAvailable: 2 }));
    mixed.upsertPodGroup(aPodGroup('late', 1));
    expect(blockersOf(ask(mixed, 'EVICT', 'stray'))).toMatchObject([
      { code: 'BudgetExhausted', unit: 'late', available: 2 },
    ]);
  });
});

describe('together or not at all', () => {
  const groupLabels = { ...app, shard: '0' };
  const lax = aGroupPdb('group', app, { minAvailable: 0 }, 'shard');
  const strictPlain = aPdb('plain', { tier: 'back' }, { minAvailable: 1 });
  const names = (verdict: ReturnType<typeof ask>) =>
    blockersOf(verdict).map((one) => `${one.budget?.kind}/${one.budget?.name}`);

  it('[P2] [P3] a plain PDB beside a group PDB is judged by the built-in rule', () => {
    const world = aWorld({ pods: [aPod('p').labels({ ...groupLabels, tier: 'back' })], pdbs: [lax, strictPlain] });
    expect(names(ask(world, 'EVICT', 'p'))).toEqual(['PodDisruptionBudget/plain']);
    world.upsertPod(aPod('q').labels({ tier: 'back' }).build());
    expect(ask(world, 'EVICT', 'p')).toMatchObject({
      result: 'allow',
      charges: [
        { budget: { name: 'group' } },
        { budget: { name: 'plain' }, unitKind: 'pod', available: 2, desired: 1 },
      ],
    });
  });

  it('[P2] a plain PDB beside a per-pod PDB is judged, too', () => {
    const world = aWorld({
      pods: [aPod('p').labels({ ...app, tier: 'back' }), aPod('q').labels(app).probed('True')],
      pdbs: [aPdb('per-pod', app, { minAvailable: 1 }), strictPlain],
      freshNodes: ['node-1'],
    });
    expect(names(ask(world, 'EVICT', 'p'))).toEqual(['PodDisruptionBudget/plain']);
  });

  it('[P2] [P4] a plain PDB is judged when a group PDB judges the pod without selecting it', () => {
    const world = aWorld({
      pods: [aPod('leader').labels(groupLabels), aPod('worker').labels({ shard: '0', tier: 'back' })],
      pdbs: [lax, strictPlain],
    });
    expect(names(ask(world, 'EVICT', 'worker'))).toEqual(['PodDisruptionBudget/plain']);
  });

  it('[P2] every group and per-pod PDB on a pod is asked, and all that refuse are listed', () => {
    const world = aWorld({
      pods: [
        aPod('p')
          .labels({ ...groupLabels, tier: 'back', web: 'yes' })
          .probed('True'),
      ],
      pdbs: [
        aGroupPdb('group', app, { minAvailable: 1 }, 'shard'),
        strictPlain,
        aPdb('web', { web: 'yes' }, { minAvailable: 1 }),
      ],
      freshNodes: ['node-1'],
    });
    expect(names(ask(world, 'EVICT', 'p'))).toEqual([
      'PodDisruptionBudget/group',
      'PodDisruptionBudget/plain',
      'PodDisruptionBudget/web',
    ]);
  });

  it('[P2] [I3] a plain PDB beside a PUB is judged, too, and refuses before anything is reserved', () => {
    const world = aWorld({
      pods: [aPod('p').labels({ tier: 'back' })],
      pdbs: [strictPlain],
      pubs: [aPub('pub', { selector: { matchLabels: { tier: 'back' } }, minAvailable: 0 })],
    });
    expect(names(ask(world, 'EVICT', 'p'))).toEqual(['PodDisruptionBudget/plain']);
    world.upsertPod(aPod('q').labels({ tier: 'back' }).build());
    expect(ask(world, 'EVICT', 'p')).toMatchObject({
      result: 'allow',
      charges: [{ budget: { kind: 'PodDisruptionBudget' } }, { budget: { kind: 'PodUnavailableBudget' } }],
      effects: { complete: 'takeover', count: ['plain'] },
    });
  });

  it('[P2] a PUB and a plain PDB beside a group PDB are all judged', () => {
    const world = aWorld({
      pods: [aPod('p').labels({ ...groupLabels, tier: 'back' })],
      pdbs: [lax, strictPlain],
      pubs: [aPub('pub', { selector: { matchLabels: app }, minAvailable: 1 })],
    });
    expect(names(ask(world, 'EVICT', 'p'))).toEqual(['PodDisruptionBudget/plain', 'PodUnavailableBudget/pub']);
  });

  it('[P2] [P5] several plain PDBs beside one that leaves the pod out are all judged', () => {
    const { pods, podGroups } = gangs(1);
    const world = aWorld({
      pods: [...pods, aPod('p').labels({ ...app, tier: 'back' })],
      podGroups,
      pdbs: [
        aPdb('mixed', app, { minAvailable: 1 }),
        strictPlain,
        aPdb('plain-2', { tier: 'back' }, { minAvailable: 1 }),
      ],
    });
    expect(names(ask(world, 'EVICT', 'p'))).toEqual(['PodDisruptionBudget/plain', 'PodDisruptionBudget/plain-2']);
  });

  it('[P2] several plain PDBs alone stay the built-in check’s business', () => {
    const world = aWorld({
      pods: [aPod('p').labels({ tier: 'back' })],
      pdbs: [strictPlain, aPdb('plain-2', { tier: 'back' }, { minAvailable: 1 })],
    });
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow NotProtected');
  });
});

describe('takeover', () => {
  it('[P9] completes an eviction that a PDB judged, unless that PDB turned it off', () => {
    const outcome = (annotations: Readonly<Record<string, string>>) => {
      const pdbs = [aPdb('b', app, { minAvailable: 1 }, annotations)];
      return ask(aWorld({ ...gangs(2), pdbs }), 'EVICT', 'gang-0-leader');
    };
    expect(outcome({})).toMatchObject({ result: 'allow', effects: { complete: 'takeover' } });
    expect(outcome({ [annotation.takeover]: 'disabled' })).toMatchObject({
      result: 'allow',
      effects: { complete: 'pass' },
    });
  });
});
