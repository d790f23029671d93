import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pdbNumbers, pubNumbers } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { aGroupPdb, aLedger, anOwner, aReservation, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodUnavailableBudgetSpec } from '../../src/api/pub/pub.ts';
import type { Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

type Change = (pod: PodBuilder) => PodBuilder;

const yes: Change = (pod) => pod.probed('True');
const no: Change = (pod) => pod.probed('False');
const notReady: Change = (pod) => pod.notReady();
const noAndNotReady: Change = (pod) => pod.probed('False').notReady();
const unreadable: Change = (pod) => pod.annotate({ 'holdfast.dev/disruption-probe': 'not a probe' });
/** Its probe said yes, and the agent of its node has stopped. */
const forgotten: Change = (pod) => pod.probed('True').on('node-2');
const terminating: Change = (pod) => pod.terminating();

type Limits = Pick<PodUnavailableBudgetSpec, 'maxUnavailable' | 'minAvailable' | 'protectOperations'>;

const shards = (changes: Readonly<Record<string, Change>>): PodBuilder[] =>
  lwsPods('llm', 3, 3).map((pod) => changes[pod.build().metadata.name]?.(pod) ?? pod);

/** Three shards of three pods, each of which serves with `minReady` of them. */
function byPub(changes: Readonly<Record<string, Change>>, limits: Limits = { maxUnavailable: 0 }, minReady = 3): World {
  const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: minReady };
  return aWorld({
    pods: shards(changes),
    owners: [anOwner('LeaderWorkerSet', 'llm', 3)],
    freshNodes: ['node-1'],
    pubs: [pubFor('llm', { ...limits, podGroupPolicy })],
  });
}

function byPdb(changes: Readonly<Record<string, Change>>, policy: string | undefined, minAvailable = 3): World {
  const rule = policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy };
  return aWorld({
    pods: shards(changes),
    owners: [anOwner('LeaderWorkerSet', 'llm', 3)],
    freshNodes: ['node-1'],
    pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable, ...rule })],
  });
}

describe('a shard of which one pod says no', () => {
  const withheld = 'deny UnitWithheld';
  const changes = { 'llm-0-1': no };

  table<{ name: string; operation: Operation; world: World }>(
    [
      { name: 'eviction under a PUB that spares nothing', operation: 'EVICT' as const, world: byPub(changes) },
      { name: 'delete under a PUB that spares nothing', operation: 'DELETE' as const, world: byPub(changes) },
      { name: 'update under a PUB that spares nothing', operation: 'UPDATE' as const, world: byPub(changes) },
      {
        name: 'resize under a PUB that lists it: the reservation would make the shard look broken',
        operation: 'RESIZE' as const,
        world: byPub(changes, { maxUnavailable: 0, protectOperations: ['RESIZE'] }),
      },
      {
        name: 'eviction under a PUB that spares every shard',
        operation: 'EVICT' as const,
        world: byPub(changes, { maxUnavailable: '100%' }),
      },
      {
        name: 'eviction under a PUB that desires nothing',
        operation: 'EVICT' as const,
        world: byPub(changes, { minAvailable: 0 }),
      },
      { name: 'eviction under AlwaysAllow', operation: 'EVICT' as const, world: byPdb(changes, 'AlwaysAllow') },
      {
        name: 'eviction under a PDB that is met without the shard',
        operation: 'EVICT' as const,
        world: byPdb(changes, undefined, 1),
      },
      {
        name: 'eviction under a PDB that desires nothing',
        operation: 'EVICT' as const,
        world: byPdb(changes, 'AlwaysAllow', 0),
      },
      {
        name: 'probe of a sibling cannot be read',
        operation: 'EVICT' as const,
        world: byPub({ 'llm-0-1': unreadable }),
      },
      { name: 'agent of a sibling is dead', operation: 'EVICT' as const, world: byPub({ 'llm-0-1': forgotten }) },
      {
        name: 'agent of a sibling is dead, AlwaysAllow',
        operation: 'EVICT' as const,
        world: byPdb({ 'llm-0-1': forgotten }, 'AlwaysAllow'),
      },
    ].map((row) => ({ ...row, name: `[H5] keeps its siblings: ${row.name}` })),
    ({ operation, world }) => {
      expect(inShort(ask(world, operation, 'llm-0-0'))).toBe(withheld);
    },
  );

  it('[H5] is not available, and its quota is not for others', () => {
    expect(pubNumbers(byPub(changes), 'llm')).toMatchObject({ available: 2, desired: 3 });
    expect(pdbNumbers(byPdb(changes, undefined), 'llm')).toMatchObject({ available: 2, desired: 3 });
    expect(inShort(ask(byPub(changes, { maxUnavailable: 1 }), 'EVICT', 'llm-1-0'))).toBe('deny BudgetExhausted');
  });

  it('[H5] keeps the pod that says no, by its own veto and by that of the shard', () => {
    expect(inShort(ask(byPub(changes), 'EVICT', 'llm-0-1'))).toBe('deny ProbeVeto,UnitWithheld');
  });

  it('[H5] keeps a pod of it that does not serve: the controller would replace the whole shard', () => {
    const world = byPub({ 'llm-0-1': no, 'llm-0-2': notReady }, { maxUnavailable: 1 }, 2);
    expect(inShort(ask(world, 'DELETE', 'llm-0-2'))).toBe('deny UnitWithheld');
  });

  it('[H5] that can spare the pod is available, and lets a surplus pod go', () => {
    const world = byPub(changes, { maxUnavailable: 0 }, 1);
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'surplus' }] });
    const two = byPub(changes, { maxUnavailable: 0 }, 2);
    expect(inShort(ask(two, 'EVICT', 'llm-0-0'))).toBe('deny BudgetExhausted');
  });

  it('[H5] is down, and free, when not enough of it are even Ready', () => {
    const world = byPub({ 'llm-0-1': no, 'llm-0-2': notReady });
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    const pdb = byPdb({ 'llm-0-1': no, 'llm-0-2': notReady }, 'AlwaysAllow');
    expect(ask(pdb, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(inShort(ask(pdb, 'EVICT', 'llm-0-1'))).toBe('deny ProbeVeto');
  });

  it('[H5] is down when the one that says no is not Ready either', () => {
    const world = byPub({ 'llm-0-1': noAndNotReady });
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(inShort(ask(world, 'EVICT', 'llm-0-1'))).toBe('allow WithinBudget');
  });

  it('[H5] a pod that says yes and is not Ready serves: seed of a disruptable pod', () => {
    const world = byPub({ 'llm-0-0': (pod) => yes(pod).notReady(), 'llm-0-1': no });
    expect(inShort(ask(world, 'EVICT', 'llm-0-2'))).toBe(withheld);
  });

  it('[H5] what is down rests on the versions of the pods that are not Ready, not of those that say no', () => {
    const world = byPub({ 'llm-0-1': no, 'llm-0-2': notReady });
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ effects: { restsOn: [{ pod: 'llm-0-2' }] } });
  });

  it('[H5] is withheld until the probe says yes', () => {
    const world = byPub(changes, { maxUnavailable: 1 });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe(withheld);
    for (const pod of shards({ 'llm-0-1': yes })) world.upsertPod(pod.build());
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks' }] });
  });

  it('[H5] is withheld from when the lease of a node runs out until it is renewed', () => {
    const world = byPub({ 'llm-0-1': forgotten }, { maxUnavailable: 1 });
    world.setProbeLease('node-2', { renewedAt: 0, durationSeconds: 40 });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
    world.advance(40_001);
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe(withheld);
    world.setProbeLease('node-2', { renewedAt: 50_000, durationSeconds: 40 });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
  });
});

describe('a refusal of a withheld shard', () => {
  const messageOf = (world: World): string | undefined => {
    const [blocker] = blockersOf(ask(world, 'EVICT', 'llm-0-0'));
    return blocker === undefined ? undefined : `${blocker.message}; ${blocker.unblock}`;
  };

  it('[H5] [I12] names the pod that says no, and what to wait for', () => {
    const text = messageOf(byPub({ 'llm-0-1': no }));
    expect(text).toContain('group 0');
    expect(text).toContain('the disruption probe of pod llm-0-1 reports that it cannot be disrupted now');
    expect(text).toContain('wait until the Disruptable condition of pod llm-0-1 is True');
  });

  it('[H5] [I12] names the node whose agent is silent', () => {
    const text = messageOf(byPub({ 'llm-0-1': forgotten }));
    expect(text).toContain('the agent on node-2 does not renew its lease');
    expect(text).toContain('check that the holdfast agent on node-2 is running and reaches the API server');
  });

  it('[H5] [I12] names a probe that cannot be read', () => {
    expect(messageOf(byPub({ 'llm-0-1': unreadable }))).toContain('the disruption probe of pod llm-0-1 is not valid');
  });

  it('[H5] [I12] names one pod and counts the others', () => {
    const text = messageOf(byPub({ 'llm-0-1': no, 'llm-0-2': no }));
    expect(text).toContain('llm-0-1');
    expect(text).toContain('and 1 more pod');
  });
});

describe('reservations in a shard of which one pod says no', () => {
  it('[H5] [N1] a pod that was allowed to go makes the shard down: the rest is free', () => {
    const world = byPub({ 'llm-0-1': no });
    reserveIn(world, 'llm-0-2');
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    const going = byPub({ 'llm-0-1': no, 'llm-0-2': terminating });
    expect(ask(going, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
  });

  it('[H5] [N6] a pod that may yet stay keeps it withheld', () => {
    const world = byPub({ 'llm-0-1': no });
    world.setLedger(ns, aLedger([aReservation('llm-0-2', 'EVICT', { conditional: true })]));
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny UnitWithheld');
  });

  it('[H5] [N6] a shard that is available if a pod stays, and withheld if it goes, is withheld', () => {
    const world = byPub({ 'llm-0-1': no }, { maxUnavailable: 2 }, 2);
    world.setLedger(ns, aLedger([aReservation('llm-0-2', 'EVICT', { conditional: true })]));
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny UnitWithheld');
  });
});

describe('a controller that recreates a shard', () => {
  it('[H5] [I10] may delete the rest of one that is really down, whatever a probe says', () => {
    const world = byPub({ 'llm-0-1': no, 'llm-0-2': notReady, 'llm-0-0': notReady });
    expect(inShort(ask(world, 'DELETE', 'llm-0-1'))).toBe('allow WithinBudget');
  });

  it('[H5] [I10] waits while every pod of it is Ready and says no', () => {
    const world = byPub({ 'llm-0-0': no, 'llm-0-1': no, 'llm-0-2': no });
    expect(inShort(ask(world, 'DELETE', 'llm-0-0'))).toBe('deny ProbeVeto,UnitWithheld');
  });
});
