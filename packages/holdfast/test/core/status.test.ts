import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, anOwner, aPod, aPub, aReservation, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import type { PodUnavailableBudgetStatus } from '../../src/api/pub/pub.ts';
import { statusTime } from '../../src/core/status/condition.ts';
import { pdbReport } from '../../src/core/status/pdb-condition.ts';
import { pubStatus } from '../../src/core/status/pub-status.ts';
import type { World } from '../../src/core/world/world.ts';

const on = { kind: 'on' } as const;
const off = { kind: 'off', message: 'the namespace is not labelled yet' } as const;
const now = Date.parse('2026-03-01T12:00:00Z');
const later = now + 60_000;
const nowText = '2026-03-01T12:00:00Z';

function statusOf(
  world: World,
  previous?: Partial<PodUnavailableBudgetStatus>,
  time = now,
  guard: typeof on | typeof off = on,
): PodUnavailableBudgetStatus {
  const status = pubStatus(world, ns, 'web', guard, time, previous);
  if (status === undefined) throw new Error('no status');
  return status;
}

const conditionOf = (status: PodUnavailableBudgetStatus, type: string) =>
  status.conditions?.find((one) => one.type === type);

const stateful = anOwner('StatefulSet', 'web', 6);
/** A StatefulSet that wants six pods, of which five exist and one is not ready. */
function webWorld(): World {
  const pods = podsOf('web', 5, stateful).map((pod, i) => (i === 4 ? pod.notReady() : pod));
  return aWorld({ pods, owners: [stateful], pubs: [pubFor('web', { maxUnavailable: 3 })] });
}

describe('the numbers of a PodUnavailableBudget', () => {
  it('[S1] are those of the rule', () => {
    expect(statusOf(webWorld())).toMatchObject({
      observedGeneration: 1,
      currentAvailable: 4,
      desiredAvailable: 3,
      totalReplicas: 6,
      unavailableAllowed: 1,
      unavailableReplicas: 2,
    });
  });

  it('[S1] count what is reserved as gone, and list it', () => {
    const world = webWorld();
    const time = '2026-03-01T11:59:00Z';
    world.setLedger(
      ns,
      aLedger([
        aReservation('web-0', 'EVICT', { time }),
        aReservation('web-1', 'DELETE', { time }),
        aReservation('web-2', 'UPDATE', { time }),
        aReservation('web-3', 'EVICT', { time, uid: 'uid-of-one-before' }),
        aReservation('stranger', 'EVICT', { time }),
      ]),
    );
    const status = statusOf(world);
    expect(status).toMatchObject({ currentAvailable: 1, unavailableAllowed: 0, unavailableReplicas: 5 });
    expect(status.disruptedPods).toEqual({ 'web-0': time, 'web-1': time });
    expect(status.unavailablePods).toEqual({ 'web-2': time });
  });

  it('[S1] never fall below 0', () => {
    const world = webWorld();
    world.upsertPub(pubFor('web', { minAvailable: 50 }));
    expect(statusOf(world)).toMatchObject({ desiredAvailable: 50, unavailableAllowed: 0, unavailableReplicas: 2 });
    world.setOwner({ ...stateful, replicas: 2 });
    world.upsertPub(pubFor('web', { minAvailable: 1 }));
    expect(statusOf(world)).toMatchObject({ totalReplicas: 2, currentAvailable: 4, unavailableReplicas: 0 });
  });

  it('[S1] are there before anything is: no pods at all', () => {
    const world = aWorld({ pubs: [pubFor('web', { minAvailable: 2 })] });
    const status = statusOf(world);
    expect(status).toMatchObject({ currentAvailable: 0, desiredAvailable: 2, totalReplicas: 0, unavailableAllowed: 0 });
    expect(status).not.toHaveProperty('disruptedPods');
    expect(status).not.toHaveProperty('unavailablePodGroups');
  });

  it('[S1] carry the generation that they were made from', () => {
    const world = webWorld();
    const pub = pubFor('web', { maxUnavailable: 1 });
    world.upsertPub({ ...pub, metadata: { ...pub.metadata, generation: 9 }, status: { observedGeneration: 3 } });
    expect(statusOf(world)).toMatchObject({ observedGeneration: 9, desiredAvailable: 5 });
  });

  it('[S1] there is no status for a budget that does not exist', () => {
    expect(pubStatus(webWorld(), ns, 'other', on, now)).toBeUndefined();
    expect(pubStatus(webWorld(), 'elsewhere', 'web', on, now)).toBeUndefined();
  });
});

describe('with a group policy', () => {
  const policy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
  const spec = { selector: { matchLabels: { app: 'llm' } }, maxUnavailable: 1, podGroupPolicy: policy };
  function llmWorld(): World {
    const lws = anOwner('LeaderWorkerSet', 'llm', 4);
    const pods = lwsPods('llm', 3, 2).map((pod, i) => (i === 0 ? pod.notReady() : pod));
    return aWorld({ pods, owners: [lws], pubs: [aPub('web', spec)] });
  }

  it('[S1] the numbers are groups', () => {
    expect(statusOf(llmWorld())).toMatchObject({
      currentAvailable: 2,
      desiredAvailable: 3,
      totalReplicas: 4,
      unavailableAllowed: 0,
      unavailableReplicas: 2,
    });
  });

  it('[S1] groups that are down are listed since when, and not when they are up again', () => {
    const world = llmWorld();
    const first = statusOf(world);
    expect(first.unavailablePodGroups).toEqual({ '0': nowText });
    world.setLedger(ns, aLedger([aReservation('llm-2-1')]));
    const second = statusOf(world, first, later);
    expect(second.unavailablePodGroups).toEqual({ '0': nowText, '2': statusTime(later) });
    world.setLedger(ns, aLedger());
    for (const pod of lwsPods('llm', 1, 2)) world.upsertPod(pod.build());
    expect(statusOf(world, second, later)).not.toHaveProperty('unavailablePodGroups');
  });

  it('[S1] groups of two owners with the same label value are told apart', () => {
    const world = llmWorld();
    for (const pod of lwsPods('chat', 1, 2)) world.upsertPod(pod.labels({ app: 'llm' }).notReady().build());
    expect(Object.keys(statusOf(world).unavailablePodGroups ?? {})).toHaveLength(2);
  });

  it('[S1] MissingGroupLabel appears with the pods that lack the label, and disappears', () => {
    const world = llmWorld();
    expect(conditionOf(statusOf(world), 'MissingGroupLabel')).toBeUndefined();
    world.upsertPod(aPod('stray').labels({ app: 'llm' }).build());
    expect(conditionOf(statusOf(world), 'MissingGroupLabel')).toMatchObject({ status: 'True' });
    expect(conditionOf(statusOf(world), 'MissingGroupLabel')?.message).toContain('stray');
    world.deletePod(ns, 'stray');
    expect(conditionOf(statusOf(world), 'MissingGroupLabel')).toBeUndefined();
  });

  it('[S1] UnreachableMinReadyReplicas appears while no group is large enough', () => {
    const world = llmWorld();
    expect(conditionOf(statusOf(world), 'UnreachableMinReadyReplicas')).toBeUndefined();
    world.upsertPub(aPub('web', { ...spec, podGroupPolicy: { ...policy, minReadyReplicas: 3 } }));
    const condition = conditionOf(statusOf(world), 'UnreachableMinReadyReplicas');
    expect(condition).toMatchObject({ status: 'True' });
    expect(condition?.message).toMatch(/3.*2/);
    world.upsertPod(aPod('llm-1-2').labels({ app: 'llm' }).lws('llm', 1, 2, 3).build());
    expect(conditionOf(statusOf(world), 'UnreachableMinReadyReplicas')).toBeUndefined();
  });
});

describe('its conditions', () => {
  it('[S1] Enforced is True where requests reach us, and says why not where they do not', () => {
    const world = webWorld();
    expect(conditionOf(statusOf(world), 'Enforced')).toMatchObject({ status: 'True' });
    expect(conditionOf(statusOf(world, undefined, now, off), 'Enforced')).toMatchObject({
      status: 'False',
      reason: 'NotGuarded',
      message: off.message,
    });
    world.upsertPub(pubFor('web', { maxUnavailable: 'x' }));
    const invalid = conditionOf(statusOf(world), 'Enforced');
    expect(invalid).toMatchObject({ status: 'False', reason: 'BudgetInvalid' });
    expect(invalid?.message).toContain('spec.maxUnavailable');
  });

  it('[S1] nothing is allowed where the expected number is unknown, and Enforced says so', () => {
    const world = aWorld({ pods: podsOf('web', 3, stateful), pubs: [pubFor('web', { maxUnavailable: 1 })] });
    const status = statusOf(world);
    expect(status.unavailableAllowed).toBe(0);
    expect(conditionOf(status, 'Enforced')?.message).toContain('StatefulSet web');
    world.setOwner({ ...stateful, replicas: 3 });
    expect(statusOf(world)).toMatchObject({ unavailableAllowed: 1, totalReplicas: 3 });
  });

  it('[S1] WorkloadNotFound appears when the workload it names is gone', () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' };
    const world = aWorld({ pubs: [aPub('web', { targetRef, minAvailable: 1 })] });
    expect(conditionOf(statusOf(world), 'WorkloadNotFound')).toBeUndefined();
    world.setOwnerGone(stateful);
    const condition = conditionOf(statusOf(world), 'WorkloadNotFound');
    expect(condition).toMatchObject({ status: 'True' });
    expect(condition?.message).toContain('StatefulSet web');
    world.setOwner(stateful);
    expect(conditionOf(statusOf(world), 'WorkloadNotFound')).toBeUndefined();
  });

  it('[S1] keep their transition time until their status changes', () => {
    const world = webWorld();
    const first = statusOf(world);
    expect(conditionOf(first, 'Enforced')?.lastTransitionTime).toBe(nowText);
    const second = statusOf(world, first, later);
    expect(conditionOf(second, 'Enforced')?.lastTransitionTime).toBe(nowText);
    const third = statusOf(world, second, later, off);
    expect(conditionOf(third, 'Enforced')?.lastTransitionTime).toBe(statusTime(later));
  });

  it('[S1] lists stay bounded while the numbers stay whole', () => {
    const pods = podsOf('web', 1_200);
    const world = aWorld({ pods, pubs: [pubFor('web', { minAvailable: 1 })] });
    world.setLedger(ns, aLedger(pods.map((_, i) => aReservation(`web-${i}`, i % 2 === 0 ? 'EVICT' : 'UPDATE'))));
    const status = statusOf(world);
    expect(Object.keys(status.disruptedPods ?? {}).length).toBeGreaterThan(0);
    expect(Object.keys(status.disruptedPods ?? {}).length).toBeLessThanOrEqual(500);
    expect(Object.keys(status.unavailablePods ?? {}).length).toBeLessThanOrEqual(500);
    expect(status).toMatchObject({ totalReplicas: 1_200, currentAvailable: 0, unavailableReplicas: 1_200 });
    for (const pod of pods) world.upsertPod(pod.labels({ [groupIndex]: pod.build().metadata.name }).build());
    world.upsertPub(pubFor('web', { minAvailable: 1, podGroupPolicy: { groupLabelKey: groupIndex } }));
    expect(Object.keys(statusOf(world).unavailablePodGroups ?? {}).length).toBeLessThanOrEqual(500);
    for (const one of statusOf(world).conditions ?? []) expect((one.message ?? '').length).toBeLessThan(1_000);
  });
});

describe('the condition on a PodDisruptionBudget', () => {
  it('[S2] says whether a disruption that breaks a unit is allowed now', () => {
    const world = aWorld({ pods: lwsPods('llm', 2, 2), pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] });
    expect(pdbReport(world, ns, 'llm', on, now)?.condition).toMatchObject({ status: 'True', reason: 'Sufficient' });
    world.setLedger(ns, aLedger([aReservation('llm-0-0')]));
    expect(pdbReport(world, ns, 'llm', on, now)?.condition).toMatchObject({ status: 'False', reason: 'Insufficient' });
  });
});
