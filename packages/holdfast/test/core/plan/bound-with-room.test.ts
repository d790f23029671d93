import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb } from '../../../../../test/support/builders.ts';
import { runs } from '../../../../../test/support/effort.ts';
import { lwsPods, podsOf } from '../../../../../test/support/fleet.ts';
import type { PlanInput } from '../../../src/core/plan/input.ts';
import { planDrain } from '../../../src/core/plan/plan-drain.ts';
import { podsOn, type Sample, samples, worldOf } from './arbitrary-worlds.ts';
import { fewestWavesWithRoom } from './brute-force-room.ts';

const shape = { requests: new Map([['cpu', 1]]), graceSeconds: 30, allows: () => true };

/** All nodes are drained, so that the pods of every wave but the last move to nodes that are drained later, or were already. */
function inputFor(world: PlanInput['world'], names: readonly string[], cpu: number, cordoned = false): PlanInput {
  const allocatable = new Map([['cpu', cpu]]);
  const nodes = names.map((name) => ({ name, labels: {}, taints: [], unschedulable: cordoned, allocatable }));
  return { world, drain: names, nodes, shapeOf: () => shape, now: 0 };
}

const roomy = 100;
const planOf = (sample: Sample, cpu: number) => planDrain(inputFor(worldOf(sample), sample.nodes, cpu));

describe('the lower bound where pods move to nodes that are drained later', () => {
  it('[M4] is not above the plan for the demo cluster', () => {
    // As `npm start` places them: two groups of three, a database and a web server of three pods each, on six nodes.
    const nodes = ['node-1', 'node-2', 'node-3', 'node-4', 'node-5', 'node-6'];
    const llm = anOwner('LeaderWorkerSet', 'llm', 2);
    const [db, web] = [anOwner('StatefulSet', 'db', 3), anOwner('StatefulSet', 'web', 3)];
    const on = (...places: readonly number[]) => places.map((place) => `node-${place}`);
    const place = (pods: ReturnType<typeof podsOf>, places: readonly string[]) =>
      pods.map((pod, i) => pod.on(places[i] ?? ''));
    const world = aWorld({
      pods: [
        ...place(lwsPods('llm', 2, 3), on(1, 3, 5, 2, 4, 6)),
        ...place(podsOf('db', 3, db), on(3, 5, 6)),
        ...place(podsOf('web', 3, web), on(1, 4, 2)),
      ],
      owners: [llm, db, web],
      pdbs: [
        aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 }),
        aPdb('db', { app: 'db' }, { maxUnavailable: 1 }),
        aPdb('web', { app: 'web' }, { minAvailable: 2 }),
      ],
    });
    const plan = planDrain(inputFor(world, nodes, roomy));
    expect(plan.lowerBound.waves).toBeLessThanOrEqual(plan.waves.length);
    expect(plan.lowerBound.waves).toBe(2);
  });

  it('[M4] is never above the plan', () => {
    fc.assert(
      fc.property(samples(7, 9), fc.integer({ min: 3, max: 30 }), (sample, cpu) => {
        const plan = planOf(sample, cpu);
        expect(plan.lowerBound.waves).toBeLessThanOrEqual(plan.waves.length);
      }),
      { numRuns: runs({ short: 120, long: 600 }) },
    );
  });

  it('[M4] [M5] is never above the shortest plan that brute force finds over all sets and all places', () => {
    fc.assert(
      fc.property(samples(4, 5), fc.integer({ min: 2, max: 6 }), (sample, cpu) => {
        const plan = planOf(sample, cpu);
        const world = worldOf(sample);
        const at = new Map(sample.nodes.map((name) => [name, podsOn(world, name)]));
        fc.pre(plan.never.length === 0 && [...at.values()].flat().length <= 5);
        fc.pre([...at.values()].every((pods) => pods.length <= cpu));
        const roundsAtRest = new Map(sample.nodes.map((name) => [name, roundsAlone(sample, name)]));
        const shortest = fewestWavesWithRoom({ world, roundsAtRest, names: sample.nodes, room: cpu }, at);
        expect(shortest).toBeDefined();
        expect(plan.lowerBound.waves).toBeLessThanOrEqual(shortest ?? 0);
      }),
      { numRuns: runs({ short: 30, long: 150 }) },
    );
  });

  it('[M4] says as much as without room where the nodes are cordoned: nothing moves there', () => {
    const set = anOwner('StatefulSet', 'web', 4);
    const pods = podsOf('web', 4, set).map((pod, i) => pod.on(`node-${i}`));
    const world = aWorld({ pods, owners: [set], pdbs: [aPdb('web', { app: 'web' }, { maxUnavailable: 1 })] });
    const names = ['node-0', 'node-1', 'node-2', 'node-3'];
    const spare = inputFor(world, ['spare'], roomy).nodes;
    const cordoned = inputFor(world, names, roomy, true);
    const plan = planDrain({ ...cordoned, nodes: [...cordoned.nodes, ...spare] });
    expect(plan.lowerBound).toMatchObject({ waves: 4, why: 'budget' });
    const open = planDrain(inputFor(world, names, roomy));
    expect(open.lowerBound).toMatchObject({ waves: 2, why: 'firstWave', because: { why: 'budget', units: 4 } });
  });
});

function roundsAlone(sample: Sample, node: string): number {
  const input = { ...inputFor(worldOf(sample), [node], roomy), nodes: [] };
  return planDrain(input).waves[0]?.nodes[0]?.rounds ?? 1;
}
