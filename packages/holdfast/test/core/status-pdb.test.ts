import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import {
  aGroupPdb,
  aLedger,
  anOwner,
  aPdb,
  aPod,
  aPodGroup,
  aReservation,
  ns,
} from '../../../../test/support/builders.ts';
import { lwsPods, podsOf } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { Condition } from '../../../base/src/meta.ts';
import { annotation } from '../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import { type Guard, statusTime } from '../../src/core/status/condition.ts';
import { type PdbReport, pdbReport } from '../../src/core/status/pdb-condition.ts';
import type { World } from '../../src/core/world/world.ts';

const on = { kind: 'on' } as const;
const off = { kind: 'off', message: 'the webhook does not answer' } as const;
const now = 600_000;

const reportOf = (world: World, guard: Guard = on, previous?: readonly Condition[]) =>
  pdbReport(world, ns, 'llm', guard, now, previous);
const codesOf = (report: PdbReport | undefined) => report?.warnings.map((one) => one.code);

const app = { app: 'llm' };
const gang = (index: number, count: number): PodBuilder[] =>
  Array.from({ length: count }, (_, i) =>
    aPod(`g${index}-${i}`)
      .labels(app)
      .spec({ schedulingGroup: { podGroupName: `g${index}` } }),
  );

interface Row {
  readonly name: string;
  readonly pods: readonly PodBuilder[];
  readonly pdb: PodDisruptionBudget;
  readonly guard?: Guard;
  readonly want: { readonly status: Condition['status']; readonly reason: string };
  readonly says: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: 'one more group than needed: Sufficient',
    pods: lwsPods('llm', 3, 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 2 }),
    want: { status: 'True', reason: 'Sufficient' },
    says: ['3 groups available', '2 needed'],
  },
  {
    name: 'as many groups as needed: Insufficient',
    pods: lwsPods('llm', 3, 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 3 }),
    want: { status: 'False', reason: 'Insufficient' },
    says: ['3 groups available', '3 needed'],
  },
  {
    name: 'fewer groups than needed: Insufficient',
    pods: lwsPods('llm', 3, 2).map((pod) => pod.notReady()),
    pdb: aGroupPdb('llm', app, { minAvailable: 1 }),
    want: { status: 'False', reason: 'Insufficient' },
    says: ['0 groups available', '1 needed'],
  },
  {
    name: 'nothing needed: Sufficient',
    pods: lwsPods('llm', 2, 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 0 }),
    want: { status: 'True', reason: 'Sufficient' },
    says: ['2 groups available', '0 needed'],
  },
  {
    name: 'no group resolved: GroupNotResolved',
    pods: podsOf('llm', 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 1 }),
    want: { status: 'False', reason: 'GroupNotResolved' },
    says: ['llm-0', '2'],
  },
  {
    name: 'an annotation that cannot be read: BudgetInvalid',
    pods: lwsPods('llm', 2, 2),
    pdb: aPdb('llm', app, { minAvailable: 1 }, { [annotation.budgetScope]: 'Everything' }),
    want: { status: 'False', reason: 'BudgetInvalid' },
    says: [annotation.budgetScope, 'Everything'],
  },
  {
    name: 'an amount that cannot be read: BudgetInvalid',
    pods: lwsPods('llm', 2, 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 'most' }),
    want: { status: 'False', reason: 'BudgetInvalid' },
    says: ['spec.minAvailable'],
  },
  {
    name: 'not enforced yet: NotGuarded',
    pods: lwsPods('llm', 3, 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 1 }),
    guard: off,
    want: { status: 'Unknown', reason: 'NotGuarded' },
    says: [off.message],
  },
  {
    name: '[E1] observed: Unknown, with the numbers that it would have',
    pods: lwsPods('llm', 3, 2),
    pdb: aGroupPdb('llm', app, { minAvailable: 1 }),
    guard: { kind: 'observed', message: 'a label says so' },
    want: { status: 'Unknown', reason: 'Observed' },
    says: ['observed, not enforced: a label says so', '3 groups available, 1 needed'],
  },
  {
    name: 'pod by pod, where pods have probes: pods are counted',
    pods: podsOf('llm', 3).map((pod) => pod.probed('True')),
    pdb: aPdb('llm', app, { minAvailable: 2 }),
    want: { status: 'True', reason: 'Sufficient' },
    says: ['3 pods available', '2 needed'],
  },
  {
    name: 'pod by pod, where a probe says no: it is not available',
    pods: podsOf('llm', 3).map((pod, i) => pod.probed(i === 0 ? 'False' : 'True')),
    pdb: aPdb('llm', app, { minAvailable: 2 }),
    want: { status: 'False', reason: 'Insufficient' },
    says: ['2 pods available', '2 needed'],
  },
];

describe('the condition on a PodDisruptionBudget', () => {
  table(
    rows.map((row) => ({ ...row, name: `[S2] ${row.name}` })),
    ({ pods, pdb, guard, want, says }) => {
      const condition = reportOf(aWorld({ pods, pdbs: [pdb], freshNodes: ['node-1'] }), guard)?.condition;
      expect(condition).toMatchObject({ type: 'holdfast.dev/GroupBudget', ...want });
      for (const words of says) expect(condition?.message).toContain(words);
    },
  );

  table(
    rows
      .filter((row) => row.guard === undefined && row.want.reason !== 'GroupNotResolved')
      .map((row) => ({ ...row, name: `[S2] is what an eviction would meet: ${row.name}` })),
    ({ pods, pdb, want }) => {
      const world = aWorld({ pods, pdbs: [pdb], freshNodes: ['node-1'] });
      const breaking = pods.filter((pod) => pod.build().status?.conditions?.every((one) => one.status === 'True'));
      for (const pod of breaking) {
        const verdict = inShort(ask(world, 'EVICT', pod.build().metadata.name));
        expect(verdict.startsWith('allow')).toBe(want.status === 'True');
      }
    },
  );

  it('[S2] is absent for a plain budget, and for one that does not exist', () => {
    expect(reportOf(aWorld({ pods: podsOf('llm', 3), pdbs: [aPdb('llm', app, { minAvailable: 1 })] }))).toBeUndefined();
    const scoped = aPdb('llm', app, { minAvailable: 1 }, { [annotation.budgetScope]: 'Pod' });
    expect(reportOf(aWorld({ pods: lwsPods('llm', 2, 2), pdbs: [scoped] }))).toBeUndefined();
    expect(reportOf(aWorld())).toBeUndefined();
  });

  it('[S2] says how many groups are expected, and by what', () => {
    const world = aWorld({
      pods: lwsPods('llm', 2, 2),
      owners: [anOwner('LeaderWorkerSet', 'llm', 3)],
      pdbs: [aGroupPdb('llm', app, { maxUnavailable: 1 })],
    });
    const condition = reportOf(world)?.condition;
    expect(condition).toMatchObject({ status: 'False', reason: 'Insufficient' });
    expect(condition?.message).toContain('3 expected');
  });

  it('[S2] is False while the expected number is needed and unknown', () => {
    const world = aWorld({
      pods: lwsPods('llm', 2, 2),
      pdbs: [aGroupPdb('llm', app, { maxUnavailable: 1 })],
    });
    expect(reportOf(world)?.condition).toMatchObject({ status: 'False' });
    expect(reportOf(world)?.condition?.message).toContain('LeaderWorkerSet llm');
  });

  it('[S2] keeps its transition time until its status changes', () => {
    const world = aWorld({ pods: lwsPods('llm', 2, 1), pdbs: [aGroupPdb('llm', app, { minAvailable: 1 })] });
    const before = [
      { type: 'holdfast.dev/GroupBudget', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ] as const;
    expect(reportOf(world, on, before)?.condition?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
    world.setLedger(ns, aLedger([aReservation('llm-0-0')]));
    expect(reportOf(world, on, before)?.condition?.lastTransitionTime).toBe(statusTime(now));
  });
});

describe('warnings about a PodDisruptionBudget', () => {
  const automatic = aPdb('llm', app, { minAvailable: 1 });

  it('[S2] MixedSelection: selected pods that have no gang are left out', () => {
    const world = aWorld({
      pods: [...gang(0, 2), ...gang(1, 2), ...podsOf('single', 3).map((pod) => pod.labels(app))],
      podGroups: [aPodGroup('g0', 2, 'w'), aPodGroup('g1', 2, 'w')],
      pdbs: [automatic],
    });
    const report = reportOf(world);
    expect(codesOf(report)).toEqual(['MixedSelection']);
    expect(report?.warnings[0]?.message).toContain('3');
    expect(report?.condition?.message).toContain(report?.warnings[0]?.message);
    expect(report?.condition).toMatchObject({ status: 'True', reason: 'Sufficient' });
  });

  it('[S2] GroupFallback: the group that pods name cannot be found, and pods are counted', () => {
    const world = aWorld({ pods: gang(0, 2), pdbs: [automatic] });
    const report = reportOf(world);
    expect(codesOf(report)).toEqual(['GroupFallback']);
    expect(report?.condition).toMatchObject({ status: 'Unknown', reason: 'GroupFallback' });
    expect(report?.condition?.message).toBe(
      '2 pods name a group that does not exist, so the budget counts pods, not groups',
    );
    world.upsertPodGroup(aPodGroup('g0', 2, 'w'));
    expect(codesOf(reportOf(world))).toEqual([]);
    expect(reportOf(world)?.condition).toMatchObject({ reason: 'NeverSufficient' });
  });

  it('[S2] GroupsForgettable: nothing says how many groups there should be', () => {
    const shards = ['a', 'b'].map((shard) => aPod(`shard-${shard}`).labels({ ...app, shard }));
    const world = aWorld({ pods: shards, pdbs: [aGroupPdb('llm', app, { minAvailable: 1 }, 'shard')] });
    expect(codesOf(reportOf(world))).toEqual(['GroupsForgettable']);
    expect(reportOf(world)?.condition).toMatchObject({ status: 'True' });
    const lws = aWorld({
      pods: lwsPods('llm', 2, 2),
      owners: [anOwner('LeaderWorkerSet', 'llm', 2)],
      pdbs: [aGroupPdb('llm', app, { minAvailable: 1 })],
    });
    expect(codesOf(reportOf(lws))).toEqual([]);
  });

  it('[S2] there is none where groups are turned off or nothing is selected', () => {
    const scoped = aPdb('llm', app, { minAvailable: 1 }, { [annotation.budgetScope]: 'Pod' });
    expect(reportOf(aWorld({ pods: gang(0, 2), pdbs: [scoped] }))).toBeUndefined();
    expect(reportOf(aWorld({ pdbs: [automatic] }))).toBeUndefined();
    expect(codesOf(reportOf(aWorld({ pdbs: [aGroupPdb('llm', app, { minAvailable: 1 })] })))).toEqual([]);
  });
});
