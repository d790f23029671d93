import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import type { PlanInput } from '../../../src/core/plan/input.ts';
import { planDrain } from '../../../src/core/plan/plan-drain.ts';
import type { DrainPlan } from '../../../src/core/plan/plan-result.ts';
import type { World } from '../../../src/core/world/world.ts';
import { podsOn, type Sample, samples, worldOf } from './arbitrary-worlds.ts';
import { fewestWaves } from './brute-force.ts';
import { evictTogether, goAtOnce, refusalsOf } from './execute.ts';

function inputFor(world: World, drain: readonly string[]): PlanInput {
  return { world, drain, nodes: [], shapeOf: () => undefined, now: 0 };
}

const planFor = (sample: Sample): DrainPlan => planDrain(inputFor(worldOf(sample), sample.nodes));
const nodesOf = (plan: DrainPlan): readonly string[] =>
  plan.waves.flatMap((wave) => wave.nodes.map(({ name }) => name));

/** Fills waves with the nodes as they come. Only nodes that can be drained at once. */
function firstFit(world: World, nodes: readonly string[]): number {
  const waves: string[][] = [];
  for (const node of nodes) {
    const fits = waves.find((wave) =>
      goAtOnce(
        world,
        [...wave, node].flatMap((one) => podsOn(world, one)),
      ),
    );
    if (fits === undefined) waves.push([node]);
    else fits.push(node);
  }
  return waves.length;
}

describe('plans for random worlds', () => {
  it('[M3] every wave is accepted, request by request, and each node is in one wave or stuck', () => {
    fc.assert(
      fc.property(samples(6, 9), (sample) => {
        const plan = planFor(sample);
        expect(refusalsOf(worldOf(sample), plan)).toEqual([]);
        expect([...nodesOf(plan), ...plan.never.map(({ node }) => node)].toSorted()).toEqual(
          [...sample.nodes].toSorted(),
        );
        const pods = plan.waves.flatMap((wave) => wave.rounds.flat().map(({ name }) => name));
        const there = nodesOf(plan).flatMap((node) => podsOn(worldOf(sample), node).map(({ name }) => name));
        expect(pods.toSorted()).toEqual(there.toSorted());
      }),
      { numRuns: runs({ short: 80, long: 400 }) },
    );
  });

  it('[M3] a node is stuck when, and only when, one of its pods can never go', () => {
    fc.assert(
      fc.property(samples(4, 6), (sample) => {
        const world = worldOf(sample);
        const stuck = sample.nodes.filter((node) => podsOn(world, node).some((pod) => !goAtOnce(world, [pod])));
        const { never } = planFor(sample);
        expect(never.map(({ node }) => node)).toEqual(stuck);
        for (const one of never) expect(one.why === 'refused' ? one.pods.length : 0).toBeGreaterThan(0);
      }),
      { numRuns: runs({ short: 40, long: 200 }) },
    );
  });

  it('[M4] no plan is longer than one node at a time, or than first fit', () => {
    fc.assert(
      fc.property(samples(7, 9), (sample) => {
        const plan = planFor(sample);
        const world = worldOf(sample);
        const atOnce = plan.waves.flatMap(({ nodes }) => nodes).every(({ rounds }) => rounds === 1);
        const drained = sample.nodes.filter((node) => nodesOf(plan).includes(node));
        expect(plan.waves.length).toBeLessThanOrEqual(drained.length);
        if (atOnce) expect(plan.waves.length).toBeLessThanOrEqual(firstFit(world, drained));
        for (const other of plan.compared) expect(plan.waves.length).toBeLessThanOrEqual(other.waves);
      }),
      { numRuns: runs({ short: 80, long: 400 }) },
    );
  });

  it('[M4] few nodes that go at once get the shortest plan that brute force finds; no lower bound is ever above that', () => {
    fc.assert(
      fc.property(samples(5, 6), (sample) => {
        const plan = planFor(sample);
        const world = worldOf(sample);
        const nodes = plan.waves.flatMap((wave) =>
          wave.nodes.map(({ name, rounds }) => ({ pods: podsOn(world, name), rounds })),
        );
        fc.pre(nodes.reduce((ways, { pods, rounds }) => ways * rounds ** pods.length, 1) <= 256);
        const shortest = fewestWaves(world, nodes);
        expect(plan.lowerBound.waves).toBeLessThanOrEqual(shortest);
        expect(plan.waves.length).toBeGreaterThanOrEqual(shortest);
        if (nodes.every(({ rounds }) => rounds === 1)) expect(plan.waves.length).toBe(shortest);
      }),
      { numRuns: runs({ short: 60, long: 300 }) },
    );
  });

  it('[M3] no node waits longer in its wave than it would alone', () => {
    fc.assert(
      fc.property(samples(5, 8), (sample) => {
        for (const { nodes } of planFor(sample).waves) {
          for (const { name, rounds } of nodes) {
            const alone = planDrain(inputFor(worldOf(sample), [name]));
            expect(alone.waves[0]?.nodes[0]?.rounds).toBe(rounds);
          }
        }
      }),
      { numRuns: runs({ short: 40, long: 200 }) },
    );
  });

  it('[M1] leaves the world as it was', () => {
    fc.assert(
      fc.property(samples(4, 6), (sample) => {
        const world = worldOf(sample);
        planDrain(inputFor(world, sample.nodes));
        for (const node of sample.nodes) {
          expect(evictTogether(world, podsOn(world, node))).toEqual(
            evictTogether(worldOf(sample), podsOn(world, node)),
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  it('[M5] where room is scarce, no wave takes more away than is free, and every node is drained or named', () => {
    const rooms = fc.record({ cpu: fc.integer({ min: 1, max: 12 }), maxSurge: fc.integer({ min: 0, max: 2 }) });
    fc.assert(
      fc.property(samples(5, 6), rooms, (sample, { cpu, maxSurge }) => {
        const world = worldOf(sample);
        const shape = { requests: new Map([['cpu', 1]]), graceSeconds: 30, allows: () => true };
        const allocatable = new Map([['cpu', cpu]]);
        const nodes = [...sample.nodes, 'spare'].map((name) => {
          return { name, labels: {}, taints: [], unschedulable: false, allocatable };
        });
        const input = { ...inputFor(world, sample.nodes), nodes, shapeOf: () => shape };
        const plan = planDrain(input, { maxSurge });
        const used = sample.nodes.map((node) => podsOn(world, node).length);
        fc.pre(used.every((count) => count <= cpu));
        const free = nodes.length * cpu - used.reduce((sum, count) => sum + count, 0);
        for (const wave of plan.waves) {
          const surged = wave.nodes.filter(({ surge }) => surge).length;
          expect(surged).toBeLessThanOrEqual(maxSurge);
          expect((wave.nodes.length - surged) * cpu).toBeLessThanOrEqual(free);
        }
        expect(refusalsOf(worldOf(sample), plan)).toEqual([]);
        expect(plan.lowerBound.waves).toBeLessThanOrEqual(plan.waves.length);
        const named = [...nodesOf(plan), ...plan.never.map(({ node }) => node)];
        expect(named.toSorted()).toEqual([...sample.nodes].toSorted());
      }),
      { numRuns: runs({ short: 60, long: 300 }) },
    );
  });
});
