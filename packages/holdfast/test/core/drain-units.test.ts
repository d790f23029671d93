import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { groupUnitsOf } from '../../src/core/drain/units.ts';

const key = (name: string, uid = `uid-${name}`) => ({ namespace: ns, name, uid });

function llm(unready: readonly string[] = []) {
  const pods = lwsPods('llm', 2, 2).map((pod) => (unready.includes(pod.build().metadata.name) ? pod.notReady() : pod));
  return { pods, owners: [anOwner('LeaderWorkerSet', 'llm', 2)] };
}

describe('the groups in which budgets count a pod', () => {
  it('[D1] are told apart by budget, and those that do not serve are broken', () => {
    const pdbs = [aGroupPdb('groups', { app: 'llm' }, { minAvailable: 1 })];
    const pubs = [
      pubFor('llm', { minAvailable: 1, podGroupPolicy: { groupLabelKey: groupIndex, minReadyReplicas: 1 } }),
    ];
    const world = aWorld({ ...llm(['llm-1-0']), pdbs, pubs });
    expect(groupUnitsOf(world, key('llm-1-1'))).toMatchObject([
      { budget: `${ns}/PodDisruptionBudget/groups`, name: 'group llm/1', budgetName: 'pdb/groups', broken: true },
      // One of two is enough for this one.
      { budget: `${ns}/PodUnavailableBudget/llm`, name: 'group 1', budgetName: 'pub/llm', broken: false },
    ]);
    expect(groupUnitsOf(world, key('llm-0-0')).map(({ broken }) => broken)).toEqual([false, false]);
    const ids = (name: string) => groupUnitsOf(world, key(name)).map(({ id }) => id);
    expect(ids('llm-0-0')).toEqual(ids('llm-0-1'));
    expect(new Set([...ids('llm-0-0'), ...ids('llm-1-0')]).size).toBe(4);
  });

  it('are none for a pod of its own, whatever protects it', () => {
    const pdbs = [aPdb('plain', { app: 'web' }, { minAvailable: 1 })];
    const world = aWorld({ pods: podsOf('web', 2), pdbs, pubs: [pubFor('web', { minAvailable: 1 })] });
    expect(groupUnitsOf(world, key('web-0'))).toEqual([]);
  });

  it('are none for a pod that is unprotected, that is not there, or that is another one by now', () => {
    const pdbs = [aGroupPdb('groups', { app: 'llm' }, { minAvailable: 1 })];
    const world = aWorld({ pods: [...llm().pods, aPod('free')], pdbs });
    expect(groupUnitsOf(world, key('free'))).toEqual([]);
    expect(groupUnitsOf(world, key('gone'))).toEqual([]);
    expect(groupUnitsOf(world, key('llm-0-0', 'another'))).toEqual([]);
    expect(groupUnitsOf(world, { ...key('llm-0-0'), namespace: 'elsewhere' })).toEqual([]);
  });
});
