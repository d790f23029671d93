import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPub } from '../../../../test/support/builders.ts';
import { deploymentAndSet, groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import type { Operation } from '../../src/core/request.ts';

const guarded = { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 };
const removals: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE'];

describe('an owner that was not looked up', () => {
  const job = anOwner('Job', 'train', 3);
  const pods = podsOf('train', 3, job);
  const targets = aPub('other', {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minAvailable: 1,
  });

  it('[I4] may turn out to be the target of a budget of the namespace, which refuses until then', () => {
    const world = aWorld({ pods, pubs: [targets] });
    for (const operation of removals) expect(inShort(ask(world, operation, 'train-0'))).toBe('deny OwnerNotResolved');
    expect(blockersOf(ask(world, 'EVICT', 'train-0'))[0]?.budget?.name).toBe('other');
    world.setOwner(job);
    for (const operation of removals) expect(inShort(ask(world, operation, 'train-0'))).toBe('allow NotProtected');
  });

  it('[I4] does not matter for an operation that the budget does not list', () => {
    const world = aWorld({
      pods,
      pubs: [aPub('other', { ...targets.spec, protectOperations: ['DELETE'] })],
    });
    expect(inShort(ask(world, 'EVICT', 'train-0'))).toBe('allow NotProtected');
    expect(inShort(ask(world, 'DELETE', 'train-0'))).toBe('deny OwnerNotResolved');
  });

  it('[I4] does not matter where no budget names an owner', () => {
    expect(inShort(ask(aWorld({ pods, pubs: [aPub('web', guarded)] }), 'EVICT', 'train-0'))).toBe('allow NotProtected');
  });

  it('[I4] makes an expected number unknown, and only who needs it refuses', () => {
    const world = aWorld({ pods, pubs: [pubFor('train', { maxUnavailable: 1 })] });
    const verdict = ask(world, 'EVICT', 'train-0');
    expect(inShort(verdict)).toBe('deny ExpectedUnknown');
    expect(blockersOf(verdict)[0]?.message).toContain('Job train');
    world.upsertPub(pubFor('train', { minAvailable: '50%' }));
    expect(inShort(ask(world, 'EVICT', 'train-0'))).toBe('deny ExpectedUnknown');
    world.upsertPub(pubFor('train', { minAvailable: 1 }));
    expect(inShort(ask(world, 'EVICT', 'train-0'))).toBe('allow WithinBudget');
  });

  it('[I4] was not looked up either when the look-up found nothing before the first pod named it', () => {
    const world = aWorld();
    const { apiVersion, kind, namespace, name } = anOwner('LeaderWorkerSet', 'llm');
    world.setOwnerGone({ apiVersion, kind, namespace, name });
    for (const pod of lwsPods('llm', 2, 1)) world.upsertPod(pod.build());
    world.upsertPub(pubFor('llm', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: groupIndex } }));
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny ExpectedUnknown');
    world.setOwner(anOwner('LeaderWorkerSet', 'llm', 2));
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
  });

  it('[I4] by the new uid does not count as gone because a workload of its name was', () => {
    const old = anOwner('StatefulSet', 'db');
    const next = anOwner('StatefulSet', 'db', 2, { uid: 'uid-next' });
    const world = aWorld({
      pubs: [aPub('db', { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' }, maxUnavailable: 1 })],
    });
    world.setOwnerGone(old);
    for (const pod of podsOf('db', 2, next)) world.upsertPod(pod.build());
    expect(inShort(ask(world, 'DELETE', 'db-0'))).toBe('deny ExpectedUnknown');
    world.setOwner(next);
    expect(inShort(ask(world, 'DELETE', 'db-0'))).toBe('allow WithinBudget');
  });
});

describe('an unknown expected number', () => {
  const probed = { pods: podsOf('db', 3).map((pod) => pod.probed('True')), freshNodes: ['node-1'] };

  it('[I4] refuses under a PodDisruptionBudget that judges pod by pod', () => {
    const owner = anOwner('StatefulSet', 'db', 3);
    const world = aWorld({
      ...probed,
      pods: probed.pods.map((pod) => pod.ownedBy(owner)),
      pdbs: [aPdb('db', { app: 'db' }, { maxUnavailable: 1 })],
    });
    const verdict = ask(world, 'EVICT', 'db-0');
    expect(inShort(verdict)).toBe('deny ExpectedUnknown');
    expect(blockersOf(verdict)[0]?.message).toContain('StatefulSet db');
    world.setOwner(owner);
    expect(inShort(ask(world, 'EVICT', 'db-0'))).toBe('allow WithinBudget');
  });

  it('[I4] refuses where the controller has no scale', () => {
    const owner = anOwner('DaemonSet', 'db');
    const world = aWorld({
      ...probed,
      pods: probed.pods.map((pod) => pod.ownedBy(owner)),
      owners: [owner],
      pdbs: [aPdb('db', { app: 'db' }, { minAvailable: '50%' })],
    });
    expect(inShort(ask(world, 'EVICT', 'db-0'))).toBe('deny ExpectedUnknown');
  });

  it('[I4] refuses while the Deployment behind a ReplicaSet was not looked up', () => {
    const { deployment, replicaSet } = deploymentAndSet('web', 3);
    const world = aWorld({
      pods: podsOf('web', 3, replicaSet),
      owners: [replicaSet],
      pubs: [pubFor('web', { maxUnavailable: 1 })],
    });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny ExpectedUnknown');
    world.setOwner(deployment);
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
  });

  it('[I4] refuses to break a group, and lets a surplus pod go', () => {
    const world = aWorld({
      pods: lwsPods('llm', 2, 2),
      pubs: [pubFor('llm', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: groupIndex } })],
    });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
    world.upsertPub(
      pubFor('llm', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: groupIndex, minReadyReplicas: 2 } }),
    );
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny ExpectedUnknown');
  });
});

describe('a group that cannot be resolved', () => {
  it('[I4] refuses where the budget says PodGroup', () => {
    const world = aWorld({
      pods: [...lwsPods('llm', 2, 2), aPod('stray').labels({ app: 'llm' })],
      pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 0 })],
    });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WithinBudget');
    expect(inShort(ask(world, 'EVICT', 'stray'))).toBe('deny GroupNotResolved');
  });

  it('[I4] refuses a pod without the label that makes the groups, and names the label', () => {
    const world = aWorld({
      pods: [aPod('shard-0').labels({ app: 'shards', shard: 'a' }), aPod('stray').labels({ app: 'shards' })],
      pdbs: [aGroupPdb('shards', { app: 'shards' }, { minAvailable: 0 }, 'shard')],
    });
    const verdict = ask(world, 'EVICT', 'stray');
    expect(inShort(verdict)).toBe('deny GroupNotResolved');
    expect(blockersOf(verdict)[0]?.message).toContain('shard');
  });
});
