import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPub, ns } from '../../../../test/support/builders.ts';
import { consult } from '../../src/core/decide/consult.ts';

const set = anOwner('StatefulSet', 'db', 2);
const pods = ['db-0', 'db-1'].map((name, index) =>
  aPod(name)
    .labels({ app: 'db', shard: String(index) })
    .ownedBy(set),
);
const selector = { matchLabels: { app: 'db' } };
const plain = aPdb('plain', { app: 'db' }, { minAvailable: 2 });
const loose = aPdb('loose', { app: 'db' }, { minAvailable: 0 });
const groups = aGroupPdb('groups', { app: 'db' }, { minAvailable: 1 }, 'shard');
const pub = aPub('pub', { selector, maxUnavailable: 0 });

const asked = (world: ReturnType<typeof aWorld>, pod = 'db-0') =>
  consult(world, { operation: 'EVICT', namespace: ns, pod }, 0).map(({ judge, opinion, builtin }) => {
    const { name } = 'pdb' in judge ? judge.pdb.ref : judge.pub.ref;
    return `${name} ${builtin ? 'builtin ' : ''}${opinion.agrees ? opinion.charge.effect : opinion.blocker.code}`;
  });

describe('what every budget over a pod says', () => {
  it('[I3] is heard from all of them, agreeing or not, by kind and name', () => {
    const world = aWorld({ pods, owners: [set], pdbs: [plain, groups], pubs: [pub] });
    expect(asked(world)).toEqual(['groups breaks', 'plain BudgetExhausted', 'pub BudgetExhausted']);
  });

  it('[P1] tells those apart that the built-in check alone asks', () => {
    expect(asked(aWorld({ pods, owners: [set], pdbs: [plain] }))).toEqual(['plain builtin BudgetExhausted']);
    expect(asked(aWorld({ pods, owners: [set], pdbs: [plain, loose] }))).toEqual([
      'loose builtin breaks',
      'plain builtin BudgetExhausted',
    ]);
  });

  it('is nothing about a pod that is not there', () => {
    expect(asked(aWorld({ pdbs: [plain] }), 'absent')).toEqual([]);
  });
});
