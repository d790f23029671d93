import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { anOwner, aPod, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, pubFor } from '../../../../test/support/fleet.ts';
import { pubStatus } from '../../src/core/status/pub-status.ts';
import type { World } from '../../src/core/world/world.ts';

/** Three groups of three, by a label that says nothing of sizes. */
const labelled = (kind?: 'StatefulSet' | 'Rack'): PodBuilder[] =>
  Array.from({ length: 9 }, (_, i) => {
    const pod = aPod(`db-${i}`).labels({ app: 'db', shard: String(Math.floor(i / 3)) });
    return kind === undefined ? pod : pod.ownedBy(anOwner(kind, 'db'));
  });

function byLabel(pods: readonly PodBuilder[], minReadyReplicas: number, replicas?: number): World {
  return aWorld({
    pods,
    owners: [anOwner('StatefulSet', 'db', replicas), anOwner('Rack', 'db')],
    pubs: [pubFor('db', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas } })],
  });
}

function bySize(minReadyReplicas: number, change = (pod: PodBuilder, _: string): PodBuilder | undefined => pod): World {
  const pods = lwsPods('llm', 3, 3).flatMap((pod) => change(pod, pod.build().metadata.name) ?? []);
  return aWorld({
    pods,
    owners: [anOwner('LeaderWorkerSet', 'llm', 3)],
    pubs: [pubFor('llm', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: groupIndex, minReadyReplicas } })],
  });
}

describe('a minReadyReplicas that no group can reach', () => {
  it('[U2] counts as the size that the pods state: one group may go, and no other', () => {
    const world = bySize(4);
    expect(pubNumbers(world, 'llm')).toMatchObject({ available: 3, desired: 2 });
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks' }] });
    world.upsertPod(lwsPods('llm', 1, 3)[0]?.notReady().build() ?? aPod('none').build());
    expect(inShort(ask(world, 'EVICT', 'llm-1-0'))).toBe('deny BudgetExhausted');
    expect(ask(world, 'DELETE', 'llm-0-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
  });

  it('[U2] [I11] counts a group with a missing member as down, also when all groups lack one', () => {
    const world = bySize(4, (pod, name) => (name.endsWith('-2') ? undefined : pod));
    expect(pubNumbers(world, 'llm')).toMatchObject({ available: 0, desired: 2 });
  });

  it('[U2] keeps the condition that says so', () => {
    const conditions = pubStatus(bySize(4), ns, 'llm', { kind: 'on' }, 0)?.conditions;
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: 'UnreachableMinReadyReplicas',
        status: 'True',
        message: expect.stringContaining('counts as the full size'),
      }),
    );
  });

  it('[U2] without a stated size: a group is whole when its owner has all the pods that it wants', () => {
    const world = byLabel(labelled('StatefulSet'), 5, 9);
    expect(pubNumbers(world, 'db')).toMatchObject({ available: 3, desired: 2 });
    expect(ask(world, 'EVICT', 'db-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks' }] });
  });

  it('[U2] [I11] without a stated size: no group is known to be whole while its owner lacks pods', () => {
    const world = byLabel(labelled('StatefulSet').slice(1), 5, 9);
    expect(pubNumbers(world, 'db')).toMatchObject({ available: 0 });
    expect(inShort(ask(world, 'EVICT', 'db-4'))).toBe('deny GroupSizeUnknown');
    expect(inShort(ask(world, 'EVICT', 'db-1'))).toBe('deny GroupSizeUnknown');
    for (const pod of labelled('StatefulSet').slice(0, 1)) world.upsertPod(pod.notReady().build());
    expect(pubNumbers(world, 'db')).toMatchObject({ available: 2 });
    expect(ask(world, 'EVICT', 'db-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(inShort(ask(world, 'EVICT', 'db-4'))).toBe('deny BudgetExhausted');
  });

  it('[U2] without a stated size: follows the scale of the owner', () => {
    const world = byLabel(labelled('StatefulSet'), 5, 9);
    world.setOwner(anOwner('StatefulSet', 'db', 12));
    expect(pubNumbers(world, 'db')).toMatchObject({ available: 0 });
    world.setOwner(anOwner('StatefulSet', 'db', 9));
    expect(pubNumbers(world, 'db')).toMatchObject({ available: 3 });
  });

  it('[U2] where nothing says how many pods there should be, those that exist are the group', () => {
    for (const kind of [undefined, 'Rack'] as const) {
      const world = byLabel(labelled(kind), 5);
      expect(pubNumbers(world, 'db')).toMatchObject({ available: 3 });
      for (const pod of labelled(kind).slice(0, 1)) world.upsertPod(pod.terminating().build());
      expect(pubNumbers(world, 'db')).toMatchObject({ available: 2 });
    }
  });

  it('[U2] [I11] that one group reaches is no mistake: the others miss members', () => {
    const world = byLabel(labelled('StatefulSet').slice(1), 3, 9);
    expect(pubNumbers(world, 'db')).toMatchObject({ available: 2 });
    expect(ask(world, 'EVICT', 'db-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
  });

  it('[U2] a label that joins several groups makes units of which no pod states the size', () => {
    const pods = lwsPods('llm', 3, 3).map((pod) => pod.labels({ zone: 'a' }));
    const world = aWorld({
      pods,
      owners: [anOwner('LeaderWorkerSet', 'llm', 3)],
      pubs: [pubFor('llm', { minAvailable: 1, podGroupPolicy: { groupLabelKey: 'zone', minReadyReplicas: 8 } })],
    });
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ charges: [{ effect: 'surplus' }] });
    world.deletePod(ns, 'llm-0-0');
    expect(inShort(ask(world, 'EVICT', 'llm-0-1'))).toBe('deny BudgetExhausted');
  });
});
