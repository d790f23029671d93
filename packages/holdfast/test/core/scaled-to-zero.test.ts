import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import { anOwner, aPdb, aPub, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodUnavailableBudgetSpec } from '../../src/api/pub/pub.ts';
import type { Operation } from '../../src/core/request.ts';
import { pubStatus } from '../../src/core/status/pub-status.ts';
import type { World } from '../../src/core/world/world.ts';

const idle = anOwner('StatefulSet', 'web', 0);

function webAtZero(spec: Omit<PodUnavailableBudgetSpec, 'selector'>, unready = 0): World {
  const pods = podsOf('web', 3, idle).map((pod, i) => (i < unready ? pod.notReady() : pod));
  return aWorld({ pods, owners: [idle], pubs: [pubFor('web', spec)] });
}

const statusOf = (world: World, name = 'web') => pubStatus(world, ns, name, { kind: 'on' }, 0);

describe('a workload that wants 0 replicas', () => {
  it('[X4] [S1] shows the pods that are ready, needs none and refuses nothing', () => {
    const world = webAtZero({ maxUnavailable: 1 }, 1);
    expect(statusOf(world)).toMatchObject({
      totalReplicas: 0,
      desiredAvailable: 0,
      currentAvailable: 2,
      unavailableAllowed: 2,
      unavailableReplicas: 0,
    });
    expect(inShort(ask(world, 'DELETE', 'web-2'))).toBe('allow WorkloadGone');
  });

  it('[X4] [S1] shows groups that are ready', () => {
    const lws = anOwner('LeaderWorkerSet', 'llm', 0);
    const pods = lwsPods('llm', 3, 2).map((pod, i) => (i === 0 ? pod.notReady() : pod));
    const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
    const world = aWorld({ pods, owners: [lws], pubs: [pubFor('llm', { maxUnavailable: 1, podGroupPolicy })] });
    expect(statusOf(world, 'llm')).toMatchObject({ totalReplicas: 0, desiredAvailable: 0, currentAvailable: 2 });
  });

  it('[X4] [I1] is no supply for another workload of the same budget', () => {
    const other = anOwner('StatefulSet', 'other', 3);
    const pods = [...podsOf('web', 3, idle), ...podsOf('other', 3, other).map((pod) => pod.labels({ app: 'web' }))];
    const world = aWorld({ pods, owners: [idle, other], pubs: [pubFor('web', { maxUnavailable: 1 })] });
    expect(statusOf(world)).toMatchObject({ totalReplicas: 3, desiredAvailable: 2, unavailableAllowed: 1 });
    reserveIn(world, 'other-0');
    expect(inShort(ask(world, 'EVICT', 'other-1'))).toBe('deny BudgetExhausted');
  });

  table<{ name: string; operation: Operation }>(
    (['EVICT', 'DELETE', 'UPDATE'] as const).map((operation) => ({
      name: `[X4] [U3] protectTotalReplicas overrides the scale: ${operation} is judged`,
      operation,
    })),
    ({ operation }) => {
      const world = webAtZero({ maxUnavailable: 1, protectTotalReplicas: 3 });
      expect(pubNumbers(world, 'web')).toMatchObject({ available: 3, desired: 2, expected: 3 });
      expect(inShort(ask(world, operation, 'web-0'))).toBe('allow WithinBudget');
      reserveIn(world, 'web-0');
      expect(inShort(ask(world, operation, 'web-1'))).toBe('deny BudgetExhausted');
      expect(statusOf(world)).toMatchObject({ totalReplicas: 3, currentAvailable: 2, unavailableAllowed: 0 });
    },
  );

  it('[X4] [U3] protectTotalReplicas protects groups, too', () => {
    const lws = anOwner('LeaderWorkerSet', 'llm', 0);
    const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
    const pub = pubFor('llm', { maxUnavailable: 1, protectTotalReplicas: 3, podGroupPolicy });
    const world = aWorld({ pods: lwsPods('llm', 3, 2), owners: [lws], pubs: [pub] });
    reserveIn(world, 'llm-0-0');
    expect(ask(world, 'DELETE', 'llm-0-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(inShort(ask(world, 'DELETE', 'llm-1-0'))).toBe('deny BudgetExhausted');
  });

  it('[X4] only the budgets with a total of their own are asked', () => {
    const world = webAtZero({ maxUnavailable: 1, protectTotalReplicas: 3 });
    world.upsertPub(aPub('plain', { selector: { matchLabels: { app: 'web' } }, minAvailable: 9 }));
    world.upsertPdb(aPdb('web', { app: 'web' }, { minAvailable: 9 }, { 'holdfast.dev/budget-scope': 'PodGroup' }));
    expect(ask(world, 'EVICT', 'web-0')).toMatchObject({
      result: 'allow',
      charges: [{ budget: { kind: 'PodUnavailableBudget', name: 'web' } }],
    });
  });

  it('[X4] an operation that the budget does not list, and a pod that it leaves alone, pass', () => {
    const evictions = webAtZero({ maxUnavailable: 0, protectTotalReplicas: 3, protectOperations: ['EVICT'] });
    expect(inShort(ask(evictions, 'DELETE', 'web-0'))).toBe('allow WorkloadGone');
    expect(inShort(ask(evictions, 'EVICT', 'web-0'))).toBe('deny BudgetExhausted');
    const ignored = webAtZero({
      maxUnavailable: 0,
      protectTotalReplicas: 3,
      ignoredPodSelector: { matchLabels: { app: 'web' } },
    });
    expect(inShort(ask(ignored, 'EVICT', 'web-0'))).toBe('allow WorkloadGone');
  });

  it('[X4] a workload that is being deleted takes its pods along, whatever the total says', () => {
    const world = webAtZero({ maxUnavailable: 0, protectTotalReplicas: 3 });
    world.setOwner({ ...idle, deleting: true });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WorkloadGone');
    world.setOwner({ ...idle, replicas: 3 });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny BudgetExhausted');
  });
});
