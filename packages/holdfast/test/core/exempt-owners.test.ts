import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { anOwner, aPod, refTo } from '../../../../test/support/builders.ts';
import { deploymentAndSet, pubFor } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { OwnerState } from '../../src/core/owner.ts';
import type { Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

const strict = pubFor('web', { minAvailable: 9, protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] });
const everything: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE', 'RESIZE'];
const web = aPod('web').labels({ app: 'web' });

function strictWorld(pod: PodBuilder, owners: readonly OwnerState[] = []): World {
  return aWorld({ pods: [pod], owners, pubs: [strict] });
}

describe('the owners of doomed pods', () => {
  const scaled = deploymentAndSet('web', 0, 2);
  const rollout = deploymentAndSet('web', 3, 0);
  const alone = anOwner('ReplicaSet', 'alone', 0);
  const stateful = anOwner('StatefulSet', 'web', 0);
  const going = anOwner('StatefulSet', 'web', 3, { deleting: true });
  const above = anOwner('Deployment', 'web', 3, { deleting: true });
  const below = anOwner('ReplicaSet', 'web-1', 3, { controller: refTo(above) });
  const another = anOwner('StatefulSet', 'web', 3, { uid: 'uid-of-the-next' });
  const unscaled = anOwner('DaemonSet', 'web');
  table<{ name: string; owner: OwnerState; owners: readonly OwnerState[]; doomed: boolean }>(
    [
      { name: 'a Deployment at 0 dooms', owner: scaled.replicaSet, owners: scaled.owners, doomed: true },
      {
        name: 'an old ReplicaSet at 0 does not while its Deployment wants pods: a rollout is judged',
        owner: rollout.replicaSet,
        owners: rollout.owners,
        doomed: false,
      },
      { name: 'a ReplicaSet of its own at 0 dooms', owner: alone, owners: [alone], doomed: true },
      { name: 'a StatefulSet at 0 dooms', owner: stateful, owners: [stateful], doomed: true },
      { name: 'an owner being deleted dooms', owner: going, owners: [going], doomed: true },
      { name: 'an owner of the owner being deleted dooms', owner: below, owners: [above, below], doomed: true },
      { name: 'an owner without a scale does not', owner: unscaled, owners: [unscaled], doomed: false },
      { name: 'an owner that was not looked up does not', owner: stateful, owners: [], doomed: false },
      {
        name: 'an old ReplicaSet at 0 whose Deployment was not looked up does not',
        owner: rollout.replicaSet,
        owners: [rollout.replicaSet],
        doomed: false,
      },
    ].map((row) => ({ ...row, name: `[X4] ${row.name}` })),
    ({ owner, owners, doomed }) => {
      const world = strictWorld(web.ownedBy(owner), owners);
      const want = doomed ? 'allow WorkloadGone' : 'deny BudgetExhausted';
      for (const operation of everything) expect(inShort(ask(world, operation, 'web'))).toBe(want);
    },
  );

  it('[X4] a pod whose owner was replaced by another of the same name is doomed', () => {
    const world = strictWorld(web.ownedBy(stateful));
    world.setOwner(another);
    expect(inShort(ask(world, 'EVICT', 'web'))).toBe('allow WorkloadGone');
  });
});
