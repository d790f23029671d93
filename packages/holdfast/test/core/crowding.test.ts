import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pdbNumbers, pubNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPub, ns } from '../../../../test/support/builders.ts';
import type { World } from '../../src/core/world/world.ts';

const limit = 100;
const relief = 50;
const selector = { matchLabels: { app: 'web' } };
const web = (name: string) => aPod(name).labels({ app: 'web' });

function addPubs(world: World, from: number, to: number, more: object = {}): void {
  for (let i = from; i < to; i += 1) world.upsertPub(aPub(`b${i}`, { selector, minAvailable: 0, ...more }));
}

function removePubs(world: World, from: number, to: number): void {
  for (let i = from; i < to; i += 1) world.deletePub(ns, `b${i}`);
}

describe('[N7] a pod under many budgets', () => {
  it('is judged by as many as are counted, and refused beyond, with the numbers', () => {
    const world = aWorld({ pods: [web('p')] });
    addPubs(world, 0, limit);
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow WithinBudget');
    addPubs(world, limit, limit + 1);
    for (const operation of ['EVICT', 'DELETE', 'UPDATE'] as const) {
      expect(blockersOf(ask(world, operation, 'p'))).toMatchObject([
        {
          code: 'TooManyBudgets',
          message: `pod p cannot be evaluated: ${limit + 1} budgets cover it, and at most ${limit} are counted for one pod`,
        },
      ]);
    }
    expect(inShort(ask(world, 'RESIZE', 'p'))).toBe('allow NotProtected');
  });

  it('is refused in whichever order they came, and also where they are PDBs', () => {
    const world = aWorld();
    for (let i = 0; i < 40; i += 1) world.upsertPdb(aPdb(`d${i}`, {}, { minAvailable: 0 }));
    addPubs(world, 0, 61);
    world.upsertPod(web('p').build());
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny TooManyBudgets');
    const pdbs = aWorld({ pods: [web('p')] });
    for (let i = 0; i <= limit; i += 1) pdbs.upsertPdb(aGroupPdb(`d${i}`, {}, { minAvailable: 0 }, 'app'));
    expect(inShort(ask(pdbs, 'EVICT', 'p'))).toBe('deny TooManyBudgets');
    expect(inShort(ask(pdbs, 'DELETE', 'p'))).toBe('allow NotProtected');
  });

  it('leaves alone what no budget would have judged', () => {
    const world = aWorld({ pods: [web('p'), web('q').phase('Pending'), web('r').terminating()] });
    addPubs(world, 0, limit + 1, { protectOperations: ['EVICT', 'UPDATE'] });
    expect(inShort(ask(world, 'DELETE', 'p'))).toBe('allow NotProtected');
    const note = { takesAway: false, after: web('p').labels({ note: 'x' }).build() };
    expect(inShort(ask(world, 'UPDATE', 'p', note))).toBe('allow NotProtected');
    const out = { takesAway: false, after: web('p').labels({ app: 'x' }).build() };
    expect(inShort(ask(world, 'UPDATE', 'p', out))).toBe('deny TooManyBudgets');
    expect(ask(world, 'EVICT', 'q')).toMatchObject({ reason: 'Pending', effects: { onlyIf: { pod: 'q' } } });
    expect(inShort(ask(world, 'EVICT', 'r'))).toBe('allow Terminating');
  });

  it('counts again when half of them are gone', () => {
    const world = aWorld({ pods: [web('p'), web('q')] });
    addPubs(world, 0, limit + 1);
    removePubs(world, 0, limit - relief);
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny TooManyBudgets');
    removePubs(world, limit - relief, limit - relief + 1);
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow WithinBudget');
    expect(pubNumbers(world, `b${limit}`)).toMatchObject({ available: 2, expected: 2 });
  });

  it('makes the budgets over it refuse their other pods, which they cannot count without it', () => {
    const set = anOwner('StatefulSet', 'web', 3);
    const crowded = web('p').labels({ crowd: 'yes' }).ownedBy(set).notReady();
    const others = ['q', 'r'].map((name) => web(name).ownedBy(set));
    const pub = aPub('all', { selector, maxUnavailable: 1 });
    const free = aPod('s').labels({ app: 'free' });
    const freePub = aPub('free', { selector: { matchLabels: { app: 'free' } }, minAvailable: 0 });
    const world = aWorld({ pods: [crowded, ...others, free], owners: [set], pubs: [pub, freePub] });
    addPubs(world, 0, limit, { selector: { matchLabels: { crowd: 'yes' } } });
    const refused = ask(world, 'EVICT', 'q');
    expect(blockersOf(refused)).toMatchObject([{ code: 'TooManyBudgets', budget: { name: 'all' } }]);
    expect(inShort(ask(world, 'EVICT', 's'))).toBe('allow WithinBudget');
    world.deletePod(ns, 'p');
    world.upsertPod(web('p').ownedBy(set).build());
    expect(inShort(ask(world, 'EVICT', 'q'))).toBe('allow WithinBudget');
  });

  it('leaves every number right, whatever comes and goes in whichever order', () => {
    const step = fc.record({
      add: fc.boolean(),
      from: fc.integer({ min: 0, max: 2 }),
      pod: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const world = aWorld({ pods: [web('p0')] });
        for (const { add, from, pod } of steps) {
          const [first, last] = [from * 40, from * 40 + 40];
          if (add) addPubs(world, first, last);
          else removePubs(world, first, last);
          if (pod === 0) continue;
          if (add) world.upsertPod(web(`p${pod}`).build());
          else world.deletePod(ns, `p${pod}`);
        }
        removePubs(world, 40, 120);
        addPubs(world, 0, 1);
        const { pods } = world.namespace(ns) ?? { pods: new Map() };
        const count = pods.size;
        expect(pubNumbers(world, 'b0')).toMatchObject({ available: count, expected: count });
        expect(inShort(ask(world, 'EVICT', 'p0'))).toBe('allow WithinBudget');
      }),
      { numRuns: 60 },
    );
  });

  it('says nothing of budgets that are not crowded', () => {
    const world = aWorld({ pods: [web('p')], pdbs: [aPdb('d', { app: 'web' }, { minAvailable: 1 })] });
    expect(pdbNumbers(world, 'd')).toMatchObject({ available: 1 });
  });
});
