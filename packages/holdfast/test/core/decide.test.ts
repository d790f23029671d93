import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { aGroupPdb, aPod, aPub } from '../../../../test/support/builders.ts';
import { reserveIn } from '../../../../test/support/fleet.ts';
import type { World } from '../../src/core/world/world.ts';

/** `groups` LeaderWorkerSet groups of `size` pods each, named llm-GROUP-WORKER. */
function llm(groups: number, size: number): PodBuilder[] {
  return Array.from({ length: groups * size }, (_, i) => {
    const group = Math.floor(i / size);
    const worker = i % size;
    return aPod(`llm-${group}-${worker}`).labels({ app: 'llm' }).lws('llm', group, worker, size);
  });
}

function llmWorld(groups: number, size: number, minAvailable: number, minReady?: number): World {
  return aWorld({
    pods: llm(groups, size),
    pubs: [
      aPub('llm', {
        selector: { matchLabels: { app: 'llm' } },
        minAvailable,
        podGroupPolicy: {
          groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index',
          ...(minReady === undefined ? {} : { minReadyReplicas: minReady }),
        },
      }),
    ],
  });
}

/** Allows and reserves, as the ledger would. */
const take = reserveIn;

describe('the rule', () => {
  it('[N4] [I1] a pod that breaks a unit goes while one more unit than desired is available', () => {
    const world = llmWorld(3, 2, 2, 2);
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
    take(world, 'llm-0-0');
    expect(inShort(ask(world, 'EVICT', 'llm-1-0'))).toBe('deny BudgetExhausted');
  });

  it('[N1] [N2] a reserved pod is gone: its group is down and the available number falls', () => {
    const world = llmWorld(3, 2, 2, 2);
    take(world, 'llm-0-0');
    expect(blockersOf(ask(world, 'EVICT', 'llm-1-0'))[0]).toMatchObject({ available: 2, desired: 2, unit: '1' });
  });

  it('[I2] the rest of a broken group costs nothing', () => {
    const world = llmWorld(3, 2, 2, 2);
    take(world, 'llm-0-0');
    const verdict = ask(world, 'EVICT', 'llm-0-1');
    expect(verdict).toMatchObject({ result: 'allow', charges: [{ effect: 'down', unit: '0' }] });
  });

  it('[I2] a pod above the minimum costs nothing, and is reserved all the same', () => {
    const world = llmWorld(2, 3, 2, 2);
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({
      result: 'allow',
      charges: [{ effect: 'surplus' }],
      effects: { reserve: { pod: 'llm-0-0' } },
    });
    take(world, 'llm-0-0');
    expect(inShort(ask(world, 'EVICT', 'llm-0-1'))).toBe('deny BudgetExhausted');
  });

  it('[N4] a budget that desires nothing refuses nothing', () => {
    expect(inShort(ask(llmWorld(1, 1, 0), 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
  });

  it('[N5] a verdict that rests on the pod not serving holds only for that version of the pod', () => {
    const world = llmWorld(2, 1, 2);
    world.upsertPod(aPod('llm-0-0').labels({ app: 'llm' }).lws('llm', 0, 0, 1).notReady().version('77').build());
    expect(ask(world, 'DELETE', 'llm-0-0')).toMatchObject({
      result: 'allow',
      effects: { onlyIf: { uid: 'uid-llm-0-0', resourceVersion: '77' } },
    });
  });

  it('[N5] a verdict about a serving pod of a group that is down rests on other pods, not on its version', () => {
    const world = llmWorld(2, 2, 1, 2);
    world.upsertPod(aPod('llm-0-0').labels({ app: 'llm' }).lws('llm', 0, 0, 2).notReady().build());
    const verdict = ask(world, 'DELETE', 'llm-0-1');
    expect(verdict).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(verdict).not.toHaveProperty('effects.onlyIf');
  });
});

describe('several budgets', () => {
  const app = { matchLabels: { app: 'web' } };
  const tier = { matchLabels: { tier: 'front' } };
  const pods = [1, 2, 3].map((i) => aPod(`web-${i}`).labels({ app: 'web', ...(i === 1 ? { tier: 'front' } : {}) }));

  it('[I3] one refusal among several is a refusal', () => {
    const world = aWorld({
      pods,
      pubs: [aPub('app', { selector: app, minAvailable: 1 }), aPub('tier', { selector: tier, minAvailable: 1 })],
    });
    expect(blockersOf(ask(world, 'EVICT', 'web-1')).map((one) => one.budget?.name)).toEqual(['tier']);
  });

  it('[I3] a refusal lists every budget that refuses, by kind and name', () => {
    const world = aWorld({
      pods,
      pubs: [aPub('b-tier', { selector: tier, minAvailable: 1 }), aPub('a-app', { selector: app, minAvailable: 3 })],
    });
    expect(blockersOf(ask(world, 'EVICT', 'web-1')).map((one) => one.budget?.name)).toEqual(['a-app', 'b-tier']);
  });

  it('[I3] a reservation is gone for every budget at once', () => {
    const world = aWorld({
      pods: pods.map((pod) => pod.labels({ tier: 'front' })),
      pubs: [aPub('app', { selector: app, minAvailable: 2 }), aPub('tier', { selector: tier, minAvailable: 1 })],
    });
    take(world, 'web-1');
    expect(blockersOf(ask(world, 'EVICT', 'web-2')).map((one) => one.budget?.name)).toEqual(['app']);
    take(world, 'web-2');
    expect(blockersOf(ask(world, 'EVICT', 'web-3')).map((one) => one.budget?.name)).toEqual(['app', 'tier']);
  });
});

describe('the same request again', () => {
  it('[I5] is allowed without a second reservation', () => {
    const world = llmWorld(2, 1, 1);
    take(world, 'llm-0-0');
    const verdict = ask(world, 'EVICT', 'llm-0-0');
    expect(inShort(verdict)).toBe('allow AlreadyReserved');
    expect(verdict).not.toHaveProperty('effects.reserve');
  });

  it('[I5] for a new pod of the same name is a new question', () => {
    const world = llmWorld(2, 1, 2);
    take(world, 'llm-0-0');
    world.upsertPod(aPod('llm-0-0').uid('uid-second').labels({ app: 'llm' }).lws('llm', 0, 0, 1).build());
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny BudgetExhausted');
  });

  it('[I5] completes a takeover that failed half-way', () => {
    const world = aWorld({
      pods: llm(2, 1),
      pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })],
    });
    take(world, 'llm-0-0');
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({
      reason: 'AlreadyReserved',
      effects: { complete: 'takeover' },
    });
  });
});
