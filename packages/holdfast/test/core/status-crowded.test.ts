import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPub, ns } from '../../../../test/support/builders.ts';
import { podsOf } from '../../../../test/support/fleet.ts';
import { budgetViews } from '../../src/cli/status/budget-view.ts';
import { pdbReport } from '../../src/core/status/pdb-condition.ts';
import { pubStatus } from '../../src/core/status/pub-status.ts';
import { maxBudgetsPerPod } from '../../src/core/world/crowding.ts';
import type { World } from '../../src/core/world/world.ts';

const on = { kind: 'on' } as const;
const selector = { matchLabels: { app: 'web' } };
const owner = anOwner('StatefulSet', 'web', 3);

/** Three pods, of which the first has more budgets than are counted for one pod. */
function crowded(): World {
  const pods = podsOf('web', 3, owner).map((pod, i) => (i === 0 ? pod.labels({ app: 'web', crowd: 'yes' }) : pod));
  const crowd = Array.from({ length: maxBudgetsPerPod }, (_, i) =>
    aPub(`b${i}`, { selector: { matchLabels: { crowd: 'yes' } }, minAvailable: 0 }),
  );
  return aWorld({
    pods,
    owners: [owner],
    pubs: [aPub('web', { selector, maxUnavailable: 1 }), ...crowd],
    pdbs: [
      aGroupPdb('web', { app: 'web' }, { minAvailable: 0 }, 'app'),
      aPdb('plain', { app: 'web' }, { minAvailable: 0 }),
    ],
  });
}

const free = (): World =>
  aWorld({ pods: podsOf('web', 3, owner), owners: [owner], pubs: [aPub('web', { selector, maxUnavailable: 1 })] });

const why = `1 of its pods is under more than ${maxBudgetsPerPod} budgets and cannot be counted, so the budget refuses all of its pods`;

describe('[N7] a budget over a pod that is under too many', () => {
  it('[S1] says so in the conditions of a PodUnavailableBudget, and allows nothing', () => {
    const status = pubStatus(crowded(), ns, 'web', on, 0);
    expect(status?.unavailableAllowed).toBe(0);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'TooManyBudgets', status: 'True', message: expect.stringContaining(why) }),
    );
    expect(pubStatus(free(), ns, 'web', on, 0)?.unavailableAllowed).toBe(1);
    expect(pubStatus(free(), ns, 'web', on, 0)?.conditions).toHaveLength(1);
  });

  it('[S2] says so in the condition of a PodDisruptionBudget', () => {
    expect(pdbReport(crowded(), ns, 'web', on, 0)?.condition).toMatchObject({
      status: 'False',
      reason: 'TooManyBudgets',
      message: expect.stringContaining(why),
    });
  });

  it('[S2] of a plain one, too: evictions of that pod are refused by us', () => {
    expect(pdbReport(crowded(), ns, 'plain', on, 0)?.condition).toMatchObject({
      status: 'Unknown',
      reason: 'TooManyBudgets',
    });
  });

  it('[S2] is shown by holdfast status and explain as what blocks', () => {
    const views = budgetViews(crowded()).filter(({ budget }) => ['web', 'plain'].includes(budget.name));
    expect(views.map(({ blocked }) => blocked?.code)).toEqual(['TooManyBudgets', 'TooManyBudgets', 'TooManyBudgets']);
    expect(views.map(({ allowed }) => allowed)).toEqual([undefined, undefined, undefined]);
  });
});
