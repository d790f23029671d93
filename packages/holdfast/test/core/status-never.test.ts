import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, ns } from '../../../../test/support/builders.ts';
import { lwsPods, podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { pdbReport } from '../../src/core/status/pdb-condition.ts';
import { pubStatus } from '../../src/core/status/pub-status.ts';
import type { World } from '../../src/core/world/world.ts';

const on = { kind: 'on' } as const;
const pdbSays = (world: World): string => {
  const { status, reason, message } = pdbReport(world, ns, 'llm', on, 0)?.condition ?? {};
  return `${status} ${reason}: ${message}`;
};
const pubSays = (world: World): string | undefined =>
  pubStatus(world, ns, 'web', on, 0)?.conditions?.find(({ type }) => type === 'NeverSufficient')?.message;

function groups(count: number, replicas: number, minAvailable: number): World {
  const owners = [anOwner('LeaderWorkerSet', 'llm', replicas)];
  return aWorld({ pods: lwsPods('llm', count, 2), owners, pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable })] });
}

describe('the condition of a PodDisruptionBudget that needs every group', () => {
  it('[I15] [S2] is NeverSufficient, and says what to change', () => {
    expect(pdbSays(groups(2, 2, 2))).toBe(
      'False NeverSufficient: 2 groups available, 2 needed, 2 expected (by the scale of the workload); ' +
        'the budget requires all 2 groups to be available, so it never allows a disruption that takes a group down; ' +
        'scale LeaderWorkerSet llm to 3, or lower minAvailable',
    );
  });

  it('[I15] [S2] is Insufficient while a group is missing, and says how many are reserved', () => {
    expect(pdbSays(groups(2, 3, 2))).toMatch(
      /^False Insufficient: .*; none may be disrupted until 1 more is available$/,
    );
    const world = groups(3, 3, 2);
    reserveIn(world, 'llm-2-0');
    expect(pdbSays(world)).toMatch(
      /^False Insufficient: .*until 1 more is available \(1 more is reserved for a disruption under way\)$/,
    );
  });

  it('[I15] [S2] is not said of a budget without pods', () => {
    const world = aWorld({ pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] });
    expect(pdbSays(world)).toMatch(/^False Insufficient:/);
  });

  it('[I15] [S2] counts pods where it counts pods', () => {
    const owner = anOwner('StatefulSet', 'db', 1);
    const pods = podsOf('llm', 1, owner).map((pod) => pod.probed('True'));
    const pdbs = [aPdb('llm', { app: 'llm' }, { maxUnavailable: 0 })];
    expect(pdbSays(aWorld({ pods, owners: [owner], pdbs, freshNodes: ['node-1'] }))).toContain(
      'the budget requires the only pod to be available, so it never allows a disruption that takes one down; raise maxUnavailable',
    );
  });
});

describe('the condition NeverSufficient of a PodUnavailableBudget', () => {
  const owner = anOwner('StatefulSet', 'web', 3);
  const world = (spec: object): World =>
    aWorld({ pods: podsOf('web', 3, owner), owners: [owner], pubs: [pubFor('web', spec)] });

  it('[I15] [S1] is there while the budget needs every pod, and not otherwise', () => {
    expect(pubSays(world({ minAvailable: 3 }))).toContain('scale StatefulSet web to 4, or lower minAvailable');
    expect(pubSays(world({ minAvailable: 5 }))).toContain('requires 5 pods and can have at most 3');
    expect(pubSays(world({ minAvailable: 2 }))).toBeUndefined();
    expect(pubSays(world({ maxUnavailable: '100%' }))).toBeUndefined();
    expect(pubSays(aWorld({ pubs: [pubFor('web', { minAvailable: 1 })] }))).toBeUndefined();
  });
});
