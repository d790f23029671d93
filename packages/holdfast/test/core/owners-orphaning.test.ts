import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pdbNumbers, pubNumbers } from '../../../../test/support/a-world.ts';
import { anOwner, aPdb, aPod, ns, refTo } from '../../../../test/support/builders.ts';
import { pubFor } from '../../../../test/support/fleet.ts';
import type { World } from '../../src/core/world/world.ts';

const set = anOwner('StatefulSet', 'web', 3);
const orphaning = { ...set, orphaning: true };
const names = ['web-0', 'web-1', 'web-2'];
const pods = names.map((name) => aPod(name).labels({ app: 'web' }).ownedBy(set));

function frozen(): World {
  return aWorld({ pods, owners: [set], pubs: [pubFor('web', { maxUnavailable: 0 })] });
}

function expectProtected(world: World): void {
  for (const operation of ['EVICT', 'DELETE'] as const) {
    for (const name of names) expect(inShort(ask(world, operation, name))).toBe('deny BudgetExhausted');
  }
}

describe('[O4] an owner that is deleted and leaves its pods', () => {
  it('[X4] keeps them protected, and its scale counts', () => {
    const world = frozen();
    world.setOwner(orphaning);
    expectProtected(world);
    expect(pubNumbers(world, 'web')).toMatchObject({ expected: 3, available: 3, desired: 3 });
  });

  it('[X4] does so also when the watch of the pods is behind: it is held by another finalizer, or gone', () => {
    const held = frozen();
    held.setOwner(orphaning);
    held.setOwner({ ...set, deleting: true });
    expectProtected(held);
    const gone = frozen();
    gone.setOwner(orphaning);
    gone.setOwnerGone(set);
    expectProtected(gone);
  });

  it('[X4] does so as the owner of the owner', () => {
    const above = anOwner('Deployment', 'web', 3);
    const below = anOwner('ReplicaSet', 'web-1', 3, { controller: refTo(above) });
    const world = aWorld({
      pods: pods.map((pod) => pod.ownedBy(below)),
      owners: [above, below],
      pubs: [pubFor('web', { maxUnavailable: 0 })],
    });
    world.setOwner({ ...above, orphaning: true });
    expectProtected(world);
  });

  it('[X4] another owner of the same name that was deleted says nothing of it', () => {
    const world = frozen();
    world.setOwner(orphaning);
    world.setOwner({ ...set, uid: 'of-the-next', deleting: true });
    expectProtected(world);
  });

  it('[X4] is a pod, too: a leader that leaves its workers', () => {
    const leader = aPod('llm-0');
    const reference = { apiVersion: 'v1', kind: 'Pod', name: 'llm-0', uid: 'uid-llm-0' };
    const workers = pods.map((pod) => pod.ownedBy(reference));
    const left = aWorld({ pods: [leader, ...workers], pubs: [pubFor('web', { maxUnavailable: 0 })] });
    left.upsertPod(leader.terminating('orphan').build());
    expectProtected(left);
    left.deletePod(ns, 'llm-0');
    expectProtected(left);
    const taken = aWorld({ pods: [leader, ...workers], pubs: [pubFor('web', { maxUnavailable: 0 })] });
    taken.upsertPod(leader.terminating().build());
    expect(inShort(ask(taken, 'EVICT', 'web-0'))).toBe('allow WorkloadGone');
  });

  it('[P7] leaves a per-pod budget without a number when it is gone', () => {
    const probed = pods.map((pod) => pod.probed('True'));
    const pdb = aPdb('web', { app: 'web' }, { maxUnavailable: 1 });
    const world = aWorld({ pods: probed, owners: [set], pdbs: [pdb], freshNodes: ['node-1'] });
    world.setOwner(orphaning);
    expect(pdbNumbers(world, 'web')).toMatchObject({ mode: 'perPod', expected: 3, desired: 2 });
    world.setOwnerGone(set);
    expect(pdbNumbers(world, 'web')).toEqual({ mode: 'perPod', available: 3 });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny ExpectedUnknown');
  });
});
