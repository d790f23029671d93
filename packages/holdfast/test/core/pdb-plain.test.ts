import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import {
  aDeployment,
  aGroupPdb,
  aLedger,
  anOwner,
  aPdb,
  aPod,
  aPodGroup,
  aReservation,
  ns,
  type PodBuilder,
} from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { OwnerState } from '../../src/core/owner.ts';

const [web, webSet] = aDeployment('web', 3) as [OwnerState, OwnerState];
const labels = { app: 'web', shard: '0' };
const pod = (name: string): PodBuilder => aPod(name).labels(labels);
const owned = (name: string): PodBuilder => pod(name).ownedBy(webSet);

/** A group budget that refuses nothing makes the plain one beside it ours to judge (P2). */
function judged(pods: readonly PodBuilder[], spec: Parameters<typeof aPdb>[2], owners: readonly OwnerState[] = []) {
  const lax = aGroupPdb('lax', { app: 'web' }, { minAvailable: 0 }, 'shard');
  return aWorld({ pods, owners, pdbs: [lax, aPdb('plain', { app: 'web' }, spec)] });
}

describe('the built-in rule', () => {
  interface Row {
    readonly name: string;
    readonly pods: readonly PodBuilder[];
    readonly spec: Parameters<typeof aPdb>[2];
    readonly owners?: readonly OwnerState[];
    readonly reserved?: readonly string[];
    readonly target?: string;
    readonly want: string;
  }
  const known = [web, webSet];
  const rows: readonly Row[] = [
    {
      name: '[P3] lets a ready pod go while one more than desired is ready',
      pods: [pod('a'), pod('b')],
      spec: { minAvailable: 1 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] keeps a ready pod when no more than desired are ready',
      pods: [pod('a'), pod('b')],
      spec: { minAvailable: 2 },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] does not count pods that are not ready',
      pods: [pod('a'), pod('b').notReady()],
      spec: { minAvailable: 1 },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] does not count terminating pods',
      pods: [pod('a'), pod('b').terminating()],
      spec: { minAvailable: 1 },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] does not count reserved pods',
      pods: [pod('a'), pod('b')],
      spec: { minAvailable: 1 },
      reserved: ['b'],
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] counts ready pods of a workload that is going away, as the built-in check does',
      pods: [pod('a'), pod('b').ownedBy(anOwner('Job', 'leaving'))],
      owners: [anOwner('Job', 'leaving', undefined, { deleting: true })],
      spec: { minAvailable: 1 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] does not mind the phase',
      pods: [pod('a'), pod('b').phase('Unknown')],
      spec: { minAvailable: 1 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] expects the scale with maxUnavailable',
      pods: ['a', 'b', 'c'].map(owned),
      owners: known,
      spec: { maxUnavailable: 1 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] [I11] counts a missing pod as unavailable',
      pods: ['a', 'b'].map(owned),
      owners: known,
      spec: { maxUnavailable: 1 },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] takes percentages of the scale',
      pods: ['a', 'b', 'c'].map(owned),
      owners: known,
      spec: { minAvailable: '67%' },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] needs no scale for an integer minAvailable',
      pods: ['a', 'b'].map(owned),
      spec: { minAvailable: 1 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] [I4] refuses when the scale was not looked up',
      pods: ['a', 'b', 'c'].map(owned),
      spec: { maxUnavailable: 1 },
      want: 'deny ExpectedUnknown',
    },
    {
      name: '[P3] refuses bare pods with maxUnavailable: nothing is expected of them',
      pods: [pod('a'), pod('b')],
      spec: { maxUnavailable: 1 },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] refuses bare pods with a percentage, even of 0',
      pods: [pod('a'), pod('b')],
      spec: { minAvailable: '0%' },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] lets a ready pod go under minAvailable 0',
      pods: [pod('a')],
      spec: { minAvailable: 0 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] refuses under minAvailable 0 when nothing is healthy',
      pods: [pod('a').notReady()],
      spec: { minAvailable: 0 },
      want: 'deny UnhealthyRefused',
    },
    {
      name: '[P3] lets a pod that is not ready go under minAvailable 0 when another one is healthy',
      pods: [pod('a').notReady(), pod('b')],
      spec: { minAvailable: 0 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] lets a pod that is not ready go when the budget is met',
      pods: [pod('a').notReady(), pod('b')],
      spec: { minAvailable: 1 },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] keeps a pod that is not ready when the budget is not met',
      pods: [pod('a').notReady(), pod('b')],
      spec: { minAvailable: 2 },
      want: 'deny UnhealthyRefused',
    },
    {
      name: '[P3] lets it go with AlwaysAllow',
      pods: [pod('a').notReady(), pod('b')],
      spec: { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] lets it go with AlwaysAllow, whatever is expected',
      pods: [owned('a').notReady()],
      spec: { maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      want: 'allow WithinBudget',
    },
    {
      name: '[P3] AlwaysAllow is not for ready pods',
      pods: [pod('a'), pod('b')],
      spec: { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      want: 'deny BudgetExhausted',
    },
    {
      name: '[P3] [I4] a policy it does not know sets nothing free',
      pods: [pod('a').notReady(), pod('b')],
      spec: { minAvailable: 1, unhealthyPodEvictionPolicy: 'Perhaps' },
      want: 'deny UnhealthyRefused',
    },
  ];
  table(rows, ({ pods, spec, owners, reserved = [], target = 'a', want }) => {
    const world = judged(pods, spec, owners);
    world.setLedger(ns, aLedger(reserved.map((name) => aReservation(name))));
    expect(inShort(ask(world, 'EVICT', target))).toBe(want);
  });

  it('[P3] looks at readiness where the group budget beside it looks at probes', () => {
    const lax = aGroupPdb('lax', { tier: 'x' }, { minAvailable: 0 }, 'shard');
    const pods = [
      pod('a').labels({ tier: 'x' }),
      aPod('probed').labels({ shard: '0', tier: 'x' }).probed('False').notReady(),
      pod('b'),
    ];
    const world = aWorld({ pods, pdbs: [lax, aPdb('plain', { app: 'web' }, { minAvailable: 1 })] });
    expect(ask(world, 'EVICT', 'a')).toMatchObject({
      charges: [{ budget: { name: 'lax' } }, { budget: { name: 'plain' }, available: 2, expected: 2 }],
    });
  });
});

describe('pods of a unit that is down, by unhealthyPodEvictionPolicy', () => {
  interface Row {
    readonly name: string;
    readonly policy?: string;
    readonly minAvailable: number;
    readonly want: string;
  }
  const rows: readonly Row[] = [
    { name: 'go without a policy when the budget is met', minAvailable: 1, want: 'allow WithinBudget' },
    { name: 'stay without a policy when it is not', minAvailable: 2, want: 'deny UnhealthyRefused' },
    {
      name: 'go with IfHealthyBudget when the budget is met',
      policy: 'IfHealthyBudget',
      minAvailable: 1,
      want: 'allow WithinBudget',
    },
    {
      name: 'stay with IfHealthyBudget when it is not',
      policy: 'IfHealthyBudget',
      minAvailable: 2,
      want: 'deny UnhealthyRefused',
    },
    { name: 'go with AlwaysAllow when it is not', policy: 'AlwaysAllow', minAvailable: 9, want: 'allow WithinBudget' },
    { name: 'stay with an unknown value', policy: 'alwaysallow', minAvailable: 1, want: 'deny UnhealthyRefused' },
    {
      name: 'go when nothing is desired, whatever the word',
      policy: 'Perhaps',
      minAvailable: 0,
      want: 'allow WithinBudget',
    },
  ];
  const spec = ({ policy, minAvailable }: Row) => ({
    minAvailable,
    ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }),
  });

  table(
    rows.map((row) => ({ ...row, name: `[N4] ${row.name} (group)` })),
    (row) => {
      const world = aWorld({
        pods: [
          aPod('down-0').labels(labels).inPodGroup('down').notReady(),
          aPod('down-1').labels(labels).inPodGroup('down'),
          aPod('up').labels(labels).inPodGroup('up'),
        ],
        podGroups: [aPodGroup('down', 2), aPodGroup('up', 1)],
        pdbs: [aPdb('b', { app: 'web' }, spec(row))],
      });
      expect(inShort(ask(world, 'EVICT', 'down-0'))).toBe(row.want);
      expect(inShort(ask(world, 'EVICT', 'down-1'))).toBe(row.want);
    },
  );

  table(
    rows.map((row) => ({ ...row, name: `[N4] ${row.name} (pod)` })),
    (row) => {
      const world = aWorld({
        pods: [pod('down').notReady(), pod('up').probed('True')],
        pdbs: [aPdb('b', { app: 'web' }, spec(row))],
        freshNodes: ['node-1'],
      });
      expect(inShort(ask(world, 'EVICT', 'down'))).toBe(row.want);
    },
  );

  it('[N4] [I4] AlwaysAllow needs no expected number, the others do', () => {
    const down = (policy: string) => {
      const pods = [owned('down').notReady(), owned('up').probed('True')];
      const pdbs = [aPdb('b', { app: 'web' }, { maxUnavailable: 1, unhealthyPodEvictionPolicy: policy })];
      return inShort(ask(aWorld({ pods, pdbs, freshNodes: ['node-1'] }), 'EVICT', 'down'));
    };
    expect(down('AlwaysAllow')).toBe('allow WithinBudget');
    expect(down('IfHealthyBudget')).toBe('deny ExpectedUnknown');
  });
});
