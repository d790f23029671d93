import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, ns } from '../../../../test/support/builders.ts';
import { runs } from '../../../../test/support/effort.ts';
import { groupIndex, lwsPods, pubFor } from '../../../../test/support/fleet.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../src/api/pub/pub.ts';
import { type DrainSimulation, type PodKey, simulateDrain } from '../../src/core/drain/simulate.ts';

/** A LeaderWorkerSet of a few groups, some pods not ready, one budget, and the pods to drain in some order. */
interface Sample {
  readonly groups: number;
  readonly size: number;
  /** How many pods make a group serve, where the budget can say so. */
  readonly minimum: number;
  readonly desired: number;
  readonly budget: 'pdb' | 'pub';
  readonly order: 'given' | 'any';
  readonly unready: ReadonlySet<string>;
  readonly drained: readonly string[];
}

const shapes = fc.record({ groups: fc.integer({ min: 1, max: 4 }), size: fc.integer({ min: 1, max: 3 }) });

const samples: fc.Arbitrary<Sample> = shapes.chain(({ groups, size }) => {
  const names = lwsPods('llm', groups, size).map((pod) => pod.build().metadata.name);
  return fc.record({
    groups: fc.constant(groups),
    size: fc.constant(size),
    minimum: fc.integer({ min: 1, max: size }),
    desired: fc.integer({ min: 0, max: groups + 1 }),
    budget: fc.constantFrom('pdb' as const, 'pub' as const),
    order: fc.constantFrom('given' as const, 'any' as const),
    unready: fc.subarray(names, { maxLength: Math.min(3, names.length) }).map((list) => new Set(list)),
    drained: fc.shuffledSubarray(names),
  });
});

function budgets(sample: Sample): { pdbs: PodDisruptionBudget[]; pubs: PodUnavailableBudget[] } {
  const { desired, minimum } = sample;
  if (sample.budget === 'pdb') return { pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: desired })], pubs: [] };
  const policy = { groupLabelKey: groupIndex, minReadyReplicas: minimum };
  return { pdbs: [], pubs: [pubFor('llm', { minAvailable: desired, podGroupPolicy: policy })] };
}

function run(sample: Sample): DrainSimulation {
  const pods = lwsPods('llm', sample.groups, sample.size).map((pod) =>
    sample.unready.has(pod.build().metadata.name) ? pod.notReady() : pod,
  );
  const world = aWorld({ pods, owners: [anOwner('LeaderWorkerSet', 'llm', sample.groups)], ...budgets(sample) });
  const keys: readonly PodKey[] = sample.drained.map((name) => ({ namespace: ns, name }));
  return simulateDrain(world, keys, 0, { order: sample.order });
}

/** Groups that serve without the pods that are gone, counted one by one. */
function serving(sample: Sample, gone: ReadonlySet<string>): number {
  const minimum = sample.budget === 'pdb' ? sample.size : sample.minimum;
  const up = (name: string) => !sample.unready.has(name) && !gone.has(name);
  return Array.from({ length: sample.groups }, (_, group) =>
    Array.from({ length: sample.size }, (_, worker) => `llm-${group}-${worker}`).filter(up),
  ).filter((members) => members.length >= minimum).length;
}

describe('drains of random groups', () => {
  it('[M1] in no round do fewer groups serve than desired, or than served before if that is less', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const floor = Math.min(sample.desired, serving(sample, new Set()));
        for (const round of run(sample).rounds) {
          const gone = new Set<string>();
          for (const step of round) {
            gone.add(step.pod.name);
            expect(serving(sample, gone)).toBeGreaterThanOrEqual(floor);
          }
        }
      }),
      { numRuns: runs({ short: 125, long: 500 }) },
    );
  });

  it('[M2] every pod is in exactly one round, or stuck with a reason', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const { rounds, stuck, waiting } = run(sample);
        const gone = rounds.flat().map((step) => step.pod.name);
        const left = stuck.map((one) => one.pod.name);
        expect([...gone, ...left].toSorted()).toEqual(sample.drained.toSorted());
        for (const round of rounds) expect(round).not.toHaveLength(0);
        for (const one of [...stuck, ...waiting]) expect(one.blockers).not.toHaveLength(0);
        const first = (rounds[0] ?? []).map((step) => step.pod.name);
        expect(waiting.map((one) => one.pod.name).toSorted()).toEqual(
          sample.drained.filter((name) => !first.includes(name)).toSorted(),
        );
      }),
      { numRuns: runs({ short: 125, long: 500 }) },
    );
  });

  it('[M2] a pod that is stuck could not go first either', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        for (const { pod } of run(sample).stuck) {
          expect(run({ ...sample, drained: [pod.name] }).stuck).toHaveLength(1);
        }
      }),
      { numRuns: runs({ short: 75, long: 300 }) },
    );
  });
});
