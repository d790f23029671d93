import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, anOwner, aPdb, aPod, aReservation, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { label } from '../../src/api/names.ts';
import { budgetNumbers } from '../../src/core/budget/numbers.ts';
import { decide } from '../../src/core/decide/decide.ts';
import {
  type DrainSimulation,
  type DrainSimulationOptions,
  type PodKey,
  simulateDrain,
} from '../../src/core/drain/simulate.ts';
import type { World } from '../../src/core/world/world.ts';

const keys = (...names: readonly string[]): readonly PodKey[] => names.map((name) => ({ namespace: ns, name }));

function drain(world: World, names: readonly string[], options: DrainSimulationOptions = {}): DrainSimulation {
  return simulateDrain(world, keys(...names), 0, options);
}

const roundsOf = (simulation: DrainSimulation): readonly (readonly string[])[] =>
  simulation.rounds.map((round) => round.map((step) => step.pod.name));
const namesOf = (blocked: DrainSimulation['stuck']): readonly string[] => blocked.map((one) => one.pod.name);

/** Everything that can be asked about a world. */
function snapshot(world: World): unknown {
  const state = world.namespace(ns);
  const budgets = [
    ...[...(state?.pdbs.keys() ?? [])].map((name) => ({ kind: 'PodDisruptionBudget', namespace: ns, name }) as const),
    ...[...(state?.pubs.keys() ?? [])].map((name) => ({ kind: 'PodUnavailableBudget', namespace: ns, name }) as const),
  ];
  return {
    numbers: budgets.map((ref) => budgetNumbers(world, ref, 0)),
    verdicts: [...(state?.pods.keys() ?? [])].map((pod) =>
      decide(world, { operation: 'EVICT', namespace: ns, pod }, 0, { judgePlain: true }),
    ),
    reservations: [...(state?.reservations.values() ?? [])],
  };
}

const app = { app: 'llm' };
/** Two groups of three pods on three nodes, of which one must serve. */
function llmWorld(): World {
  return aWorld({ pods: lwsPods('llm', 2, 3), pdbs: [aGroupPdb('llm', app, { minAvailable: 1 })] });
}

describe('a simulated drain', () => {
  it('[M1] gets for each pod the verdict that a real eviction would get after those before it', () => {
    const names = ['llm-1-0', 'llm-0-0', 'llm-0-1', 'llm-1-1'];
    const simulated = drain(llmWorld(), names);
    const world = llmWorld();
    const real: string[] = [];
    for (const pod of names) {
      const verdict = decide(world, { operation: 'EVICT', namespace: ns, pod }, 0);
      if (verdict.result === 'deny') continue;
      real.push(pod);
      const held = world.namespace(ns)?.ledger?.spec?.reservations ?? [];
      world.setLedger(ns, aLedger([...held, aReservation(pod)]));
    }
    expect(roundsOf(simulated)[0]).toEqual(real);
    expect(real).toEqual(['llm-1-0', 'llm-1-1']);
    expect(simulated.rounds[0]?.map((step) => step.charges[0]?.effect)).toEqual(['breaks', 'down']);
  });

  it('[M1] leaves the world as it was', () => {
    const world = llmWorld();
    world.upsertPdb(aPdb('plain', { tier: 'web' }, { minAvailable: 1 }));
    world.upsertPub(pubFor('llm', { minAvailable: 4 }));
    for (const pod of podsOf('web', 2)) world.upsertPod(pod.labels({ tier: 'web' }).build());
    world.setLedger(ns, aLedger([aReservation('llm-0-2'), aReservation('web-1', 'UPDATE')]));
    const before = snapshot(world);
    const pods = [...(world.namespace(ns)?.pods.keys() ?? [])];
    for (const order of ['given', 'any'] as const) {
      drain(world, pods, { order });
      expect(snapshot(world)).toEqual(before);
    }
  });

  it('[M1] asks the plain budgets, too', () => {
    const world = aWorld({ pods: podsOf('web', 2), pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 1 })] });
    const simulated = drain(world, ['web-0', 'web-1']);
    expect(roundsOf(simulated)).toEqual([['web-0'], ['web-1']]);
    expect(simulated.waiting[0]?.blockers[0]).toMatchObject({ code: 'BudgetExhausted', budget: { name: 'web' } });
  });

  it('[M1] asks a plain budget beside a PodUnavailableBudget', () => {
    const world = aWorld({
      pods: podsOf('web', 2),
      pdbs: [aPdb('plain', { app: 'web' }, { minAvailable: 2 })],
      pubs: [pubFor('web', { minAvailable: 0 })],
    });
    expect(drain(world, ['web-0']).stuck[0]?.blockers.map((one) => one.budget?.name)).toEqual(['plain']);
  });

  it('[M1] lists what blocks by kind and name of the budgets, as a real refusal does', () => {
    const world = aWorld({
      pods: podsOf('web', 2),
      pdbs: [aPdb('plain', { app: 'web' }, { minAvailable: 2 })],
      pubs: [pubFor('web', { minAvailable: 2 })],
    });
    expect(drain(world, ['web-0']).stuck[0]?.blockers.map((one) => one.budget?.kind)).toEqual([
      'PodDisruptionBudget',
      'PodUnavailableBudget',
    ]);
  });

  it('[M1] asks a plain budget where Holdfast leaves the namespace alone, for Kubernetes does not', () => {
    const world = aWorld({ pods: podsOf('web', 1), pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 1 })] });
    world.setNamespace({ metadata: { name: ns, labels: { [label.guard]: 'disabled' } } });
    expect(namesOf(drain(world, ['web-0']).stuck)).toEqual(['web-0']);
  });

  it('[M1] reports two plain budgets on one pod, which the eviction API cannot answer', () => {
    const pdbs = ['a', 'b'].map((name) => aPdb(name, { app: 'web' }, { minAvailable: 0 }));
    const simulated = drain(aWorld({ pods: podsOf('web', 2), pdbs }), ['web-0']);
    expect(simulated.stuck[0]?.blockers.map((one) => one.code)).toEqual(['SeveralPlainBudgets']);
    expect(roundsOf(simulated)).toEqual([]);
  });

  it('[M1] lets unprotected and exempt pods go, and no later pod counts them', () => {
    const world = aWorld({
      pods: [aPod('free'), ...podsOf('web', 2), aPod('web-x').labels({ app: 'web' }).phase('Pending')],
      pubs: [pubFor('web', { minAvailable: 1 })],
    });
    const simulated = drain(world, ['free', 'web-x', 'web-0', 'web-1']);
    expect(roundsOf(simulated)).toEqual([['free', 'web-x', 'web-0'], ['web-1']]);
    expect(simulated.rounds[0]?.[0]?.charges).toEqual([]);
  });

  it('[M1] takes a pod that is reserved already as going, and does not count it twice', () => {
    const world = aWorld({ pods: podsOf('web', 3), pubs: [pubFor('web', { minAvailable: 1 })] });
    world.setLedger(ns, aLedger([aReservation('web-0')]));
    expect(roundsOf(drain(world, ['web-0', 'web-1', 'web-2']))).toEqual([['web-0', 'web-1'], ['web-2']]);
  });

  it('[M1] asks probes', () => {
    const pods = podsOf('db', 2).map((pod, i) => pod.probed(i === 0 ? 'False' : 'True'));
    const world = aWorld({ pods, freshNodes: ['node-1'] });
    const simulated = drain(world, ['db-0', 'db-1']);
    expect(roundsOf(simulated)).toEqual([['db-1']]);
    expect(simulated.stuck[0]?.blockers[0]?.code).toBe('ProbeVeto');
  });

  it('[M1] of pods that are not there reports them', () => {
    expect(drain(aWorld(), ['absent']).stuck[0]?.blockers[0]?.code).toBe('PodUnknown');
    expect(drain(aWorld(), [])).toEqual({ rounds: [], waiting: [], stuck: [] });
  });
});

describe('rounds', () => {
  it('[M2] pods that cannot go now go when those of the round before are back', () => {
    const simulated = drain(llmWorld(), ['llm-0-2', 'llm-1-0']);
    expect(roundsOf(simulated)).toEqual([['llm-0-2'], ['llm-1-0']]);
    expect(namesOf(simulated.waiting)).toEqual(['llm-1-0']);
    expect(simulated.waiting[0]?.blockers[0]).toMatchObject({ available: 1, desired: 1, unit: 'llm/1' });
    expect(simulated.stuck).toEqual([]);
  });

  it('[M2] pods that can never go are reported with what blocks them', () => {
    const world = aWorld({
      pods: [...lwsPods('llm', 2, 2), ...podsOf('web', 1)],
      pdbs: [aGroupPdb('llm', app, { minAvailable: 2 })],
      pubs: [pubFor('web', { minAvailable: 0 })],
    });
    const simulated = drain(world, ['llm-0-0', 'web-0', 'llm-1-0']);
    expect(roundsOf(simulated)).toEqual([['web-0']]);
    expect(namesOf(simulated.stuck)).toEqual(['llm-0-0', 'llm-1-0']);
    for (const { blockers } of simulated.stuck) {
      expect(blockers[0]).toMatchObject({ code: 'BudgetExhausted', available: 2, desired: 2 });
    }
  });

  it('[M2] every group takes one round, whole, when the list names it whole', () => {
    const pods = lwsPods('llm', 3, 2);
    const world = aWorld({ pods, pdbs: [aGroupPdb('llm', app, { minAvailable: 2 })] });
    const names = pods.map((pod) => pod.build().metadata.name);
    expect(roundsOf(drain(world, names))).toEqual([
      ['llm-0-0', 'llm-0-1'],
      ['llm-1-0', 'llm-1-1'],
      ['llm-2-0', 'llm-2-1'],
    ]);
  });

  it('[M2] in the given order a script breaks what comes first; in any order a planner breaks whole groups', () => {
    const names = ['llm-0-0', 'llm-1-0', 'llm-1-1', 'llm-1-2'];
    expect(roundsOf(drain(llmWorld(), names))).toEqual([['llm-0-0'], ['llm-1-0', 'llm-1-1', 'llm-1-2']]);
    expect(roundsOf(drain(llmWorld(), names, { order: 'any' }))).toEqual([
      ['llm-1-0', 'llm-1-1', 'llm-1-2'],
      ['llm-0-0'],
    ]);
  });

  it('[M2] any order does not depend on the order of the list', () => {
    const names = lwsPods('llm', 2, 3).map((pod) => pod.build().metadata.name);
    const forward = drain(llmWorld(), names, { order: 'any' });
    expect(drain(llmWorld(), names.toReversed(), { order: 'any' })).toEqual(forward);
  });

  it('[M2] surplus pods go at once', () => {
    const lws = anOwner('LeaderWorkerSet', 'llm', 2);
    const policy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
    const world = aWorld({
      pods: lwsPods('llm', 2, 3),
      owners: [lws],
      pubs: [pubFor('llm', { maxUnavailable: 0, podGroupPolicy: policy })],
    });
    const simulated = drain(world, ['llm-0-0', 'llm-1-0']);
    expect(roundsOf(simulated)).toEqual([['llm-0-0', 'llm-1-0']]);
    expect(simulated.rounds[0]?.map((step) => step.charges[0]?.effect)).toEqual(['surplus', 'surplus']);
    expect(roundsOf(drain(world, ['llm-0-0', 'llm-0-1']))).toEqual([['llm-0-0'], ['llm-0-1']]);
  });

  it('[M2] pods that do not come back stay away: what needs them can never go', () => {
    const bare = ['a-0', 'a-1', 'a-2'].map((name) => aPod(name).labels({ app: 'a' }));
    const world = aWorld({ pods: bare, pdbs: [aPdb('a', { app: 'a' }, { minAvailable: 2 })] });
    const names = ['a-0', 'a-1'];
    expect(roundsOf(drain(world, names))).toEqual([['a-0'], ['a-1']]);
    const before = snapshot(world);
    const simulated = drain(world, names, { comesBack: () => false });
    expect(roundsOf(simulated)).toEqual([['a-0']]);
    expect(namesOf(simulated.stuck)).toEqual(['a-1']);
    expect(simulated.stuck[0]?.blockers[0]).toMatchObject({ available: 2, desired: 2 });
    expect(snapshot(world)).toEqual(before);
  });

  it('[M2] pods that come back free the others, though one of the round before does not', () => {
    const world = aWorld({ pods: podsOf('web', 4), pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 2 })] });
    const names = ['web-0', 'web-1', 'web-2', 'web-3'];
    const simulated = drain(world, names, { comesBack: ({ name }) => name !== 'web-0' });
    expect(roundsOf(simulated)).toEqual([['web-0', 'web-1'], ['web-2'], ['web-3']]);
    expect(simulated.stuck).toEqual([]);
  });
});
