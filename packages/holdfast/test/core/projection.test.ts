import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { lwsPods, podsOf, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import { keepsBuiltinNumber, projectedDisruptions, shownProjection } from '../../src/core/status/projection.ts';
import type { World } from '../../src/core/world/world.ts';

const app = { app: 'llm' };
const on = { kind: 'on' } as const;
const off = { kind: 'off', message: 'the webhook does not answer' } as const;

function projectionOf(world: World, guard: typeof on | typeof off = on): number | undefined {
  const pdb = world.namespace(ns)?.pdbs.get('llm');
  if (pdb === undefined) throw new Error('there is no budget');
  return projectedDisruptions(pdb, guard);
}

interface Row {
  readonly name: string;
  readonly pods: readonly PodBuilder[];
  readonly pdb: PodDisruptionBudget;
  readonly guard?: typeof off;
  readonly want: number | undefined;
}

const fourGroups = lwsPods('llm', 4, 4);
const broken = (name: string) => fourGroups.map((pod) => (pod.build().metadata.name === name ? pod.notReady() : pod));
const withAnnotations = (pdb: PodDisruptionBudget, more: Readonly<Record<string, string>>): PodDisruptionBudget => ({
  ...pdb,
  metadata: { ...pdb.metadata, annotations: { ...pdb.metadata.annotations, ...more } },
});
const three = aGroupPdb('llm', app, { minAvailable: 3 });

const rows: readonly Row[] = [
  { name: 'groups that may break, where Kubernetes counts 13 pods', pods: fourGroups, pdb: three, want: 1 },
  { name: '0 when a group is down', pods: broken('llm-2-1'), pdb: three, want: 0 },
  {
    name: '0, and no less, below what is needed',
    pods: fourGroups.map((pod) => pod.notReady()),
    pdb: three,
    want: 0,
  },
  {
    name: 'all groups, when none is needed',
    pods: fourGroups,
    pdb: aGroupPdb('llm', app, { minAvailable: 0 }),
    want: 4,
  },
  {
    name: '0 where the number of groups that should exist is not known',
    pods: [aPod('x').labels(app).ownedBy(anOwner('Mystery', 'm'))],
    pdb: aGroupPdb('llm', app, { maxUnavailable: 1 }),
    want: 0,
  },
  {
    name: '0 for a budget that cannot be read: its pods are refused',
    pods: fourGroups,
    pdb: withAnnotations(three, { [annotation.budgetScope]: 'Pods' }),
    want: 0,
  },
  {
    name: "Kubernetes' own for a plain budget",
    pods: podsOf('llm', 3),
    pdb: aPdb('llm', app, { minAvailable: 2 }),
    want: undefined,
  },
  {
    name: "Kubernetes' own where no request reaches the webhooks",
    pods: fourGroups,
    pdb: three,
    guard: off,
    want: undefined,
  },
  {
    name: "Kubernetes' own where its check has the last word",
    pods: fourGroups,
    pdb: withAnnotations(three, { [annotation.takeover]: 'disabled' }),
    want: undefined,
  },
];

describe('the number that other tools decide by', () => {
  const named = rows.map((row) => ({ ...row, name: `[S3] is ${row.name}` }));
  table(named, ({ pods, pdb, guard, want }) => {
    expect(projectionOf(aWorld({ pods, pdbs: [pdb] }), guard)).toBe(want);
  });

  it('[S3] leaves out what is reserved', () => {
    const world = aWorld({ pods: fourGroups, pdbs: [three] });
    reserveIn(world, 'llm-0-0');
    expect(projectionOf(world)).toBe(0);
  });

  it('[S3] [I1] is exactly how many groups evictions can break one after the other, whatever is broken or needed', () => {
    const shapes = fc.record({
      groups: fc.integer({ min: 1, max: 5 }),
      size: fc.integer({ min: 1, max: 3 }),
      needed: fc.integer({ min: 1, max: 6 }),
      unready: fc.array(fc.nat(14), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(shapes, ({ groups, size, needed, unready }) => {
        const pods = lwsPods('llm', groups, size).map((pod, index) => (unready.includes(index) ? pod.notReady() : pod));
        const world = aWorld({ pods, pdbs: [aGroupPdb('llm', app, { minAvailable: needed })] });
        const promised = projectionOf(world);
        let brokenUnits = 0;
        for (let group = 0; group < groups; group += 1) {
          const isUp = Array.from({ length: size }, (_, i) => group * size + i).every((i) => !unready.includes(i));
          if (!isUp || ask(world, 'EVICT', `llm-${group}-0`).result !== 'allow') continue;
          brokenUnits += 1;
          reserveIn(world, `llm-${group}-0`);
        }
        expect(brokenUnits).toBe(promised);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what a budget says about it', () => {
  it.each([
    ['7', 7],
    ['0', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['banana', undefined],
    ['', undefined],
    ['12345678901', undefined],
  ])('[S3] an annotation %o is the number %o', (text, want) => {
    expect(shownProjection(withAnnotations(three, { [annotation.disruptionsAllowed]: text }))).toBe(want);
  });

  it('[S3] only "disabled" asks for the number that Kubernetes computes', () => {
    const asks = (value: string) => keepsBuiltinNumber(withAnnotations(three, { [annotation.projection]: value }));
    expect([asks('disabled'), asks('enabled'), asks('Disabled'), keepsBuiltinNumber(three)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
