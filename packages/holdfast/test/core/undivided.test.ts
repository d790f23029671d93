import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { aGroupPdb, aPdb, aPod, aWorkload, ns } from '../../../../test/support/builders.ts';
import { pdbReport } from '../../src/core/status/pdb-condition.ts';
import type { World } from '../../src/core/world/world.ts';

/** A Workload with `replicas` groups of eight; `indexed` says which pods name their replica. */
function story(replicas: number | undefined, indexed: (replica: number) => boolean, scope?: 'PodGroup'): World {
  const pods = Array.from({ length: 80 }, (_, i): PodBuilder => {
    const replica = Math.floor(i / 8);
    const index = indexed(replica) ? { podGroupReplicaIndex: replica } : {};
    return aPod(`w-${i}`)
      .labels({ app: 'w' })
      .spec({ workload: { name: 'train', podGroup: 'worker', ...index } });
  });
  const pdb =
    scope === undefined
      ? aPdb('w', { app: 'w' }, { minAvailable: 9 })
      : aGroupPdb('w', { app: 'w' }, { minAvailable: 9 });
  return aWorld({ pods, workloads: [aWorkload('train', 'worker', 8, replicas)], pdbs: [pdb] });
}

const nowhere = () => false;
const everywhere = () => true;

describe('a pod group with several replicas whose pods name none', () => {
  it('[P5] is refused in automatic scope: it is not one large group with surplus', () => {
    const world = story(10, nowhere);
    expect(inShort(ask(world, 'EVICT', 'w-0'))).toBe('deny GroupNotResolved');
    expect(blockersOf(ask(world, 'EVICT', 'w-0'))[0]?.message).toContain(
      'pod group worker of Workload train has 10 replicas, and the pod names none of them',
    );
    expect(pdbNumbers(world, 'w')).toMatchObject({ mode: 'group', available: 0 });
  });

  it('[P5] is refused in explicit scope', () => {
    expect(inShort(ask(story(10, nowhere, 'PodGroup'), 'EVICT', 'w-0'))).toBe('deny GroupNotResolved');
  });

  it('[P5] refuses those that name none beside those that do', () => {
    const world = story(10, (replica) => replica > 0);
    expect(inShort(ask(world, 'EVICT', 'w-0'))).toBe('deny GroupNotResolved');
    expect(inShort(ask(world, 'EVICT', 'w-8'))).toBe('deny BudgetExhausted');
    expect(pdbNumbers(world, 'w')).toMatchObject({ available: 9, expected: 10 });
  });

  it('[P5] an empty replica key names none', () => {
    const pods = [aPod('w-0').labels({ app: 'w' })].map((pod) =>
      pod.spec({ workloadRef: { name: 'train', podGroup: 'worker', podGroupReplicaKey: '' } }),
    );
    const pdbs = [aPdb('w', { app: 'w' }, { minAvailable: 1 })];
    const world = aWorld({ pods, workloads: [aWorkload('train', 'worker', 1, 2)], pdbs });
    expect(inShort(ask(world, 'EVICT', 'w-0'))).toBe('deny GroupNotResolved');
  });

  it('[P5] is one group where the Workload says 1 replica, or nothing', () => {
    for (const replicas of [1, undefined]) {
      expect(pdbNumbers(story(replicas, nowhere), 'w')).toMatchObject({ mode: 'group', available: 1, expected: 1 });
    }
  });

  it('[P5] is divided when the pods name their replicas, or the Workload changes', () => {
    expect(pdbNumbers(story(10, everywhere), 'w')).toMatchObject({ available: 10, expected: 10 });
    const world = story(10, nowhere);
    world.upsertWorkload(aWorkload('train', 'worker', 8, 1));
    expect(ask(world, 'EVICT', 'w-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'surplus' }] });
    world.upsertWorkload(aWorkload('train', 'worker', 8, 10));
    expect(inShort(ask(world, 'EVICT', 'w-0'))).toBe('deny GroupNotResolved');
  });

  it('[P5] [S2] shows in the condition and as a warning', () => {
    const report = pdbReport(story(10, nowhere), ns, 'w', { kind: 'on' }, 0);
    expect(report?.condition).toMatchObject({ status: 'False', reason: 'GroupNotResolved' });
    expect(report?.condition?.message).toContain('has 10 replicas');
    expect(report?.warnings).toContainEqual(expect.objectContaining({ code: 'GroupUndivided' }));
    const some = pdbReport(
      story(10, (replica) => replica > 0),
      ns,
      'w',
      { kind: 'on' },
      0,
    );
    expect(some?.warnings).toContainEqual(expect.objectContaining({ code: 'GroupUndivided' }));
    expect(some?.condition?.message).toContain('8 pods');
  });
});
