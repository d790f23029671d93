import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import { aDeployment, anOwner, aPod, aPub, ns, type PodBuilder, refTo } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodUnavailableBudgetSpec } from '../../src/api/pub/pub.ts';
import type { OwnerState } from '../../src/core/owner.ts';

const [web, newSet, oldSet] = aDeployment('web', 2, ['new', 'old']) as [OwnerState, OwnerState, OwnerState];
const other = anOwner('StatefulSet', 'other', 1);
const going = anOwner('StatefulSet', 'going', 1, { deleting: true });
const owners = [web, newSet, oldSet, other, going];
const pod = aPod('p').labels({ app: 'web', shard: '0' }).ownedBy(newSet);

const bySelector: PodUnavailableBudgetSpec = { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 };
const byTarget: PodUnavailableBudgetSpec = {
  targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  minAvailable: 1,
};
const byShard = { podGroupPolicy: { groupLabelKey: 'shard' } };

describe('an UPDATE that takes nothing away', () => {
  interface Row {
    readonly name: string;
    readonly pub: PodUnavailableBudgetSpec;
    readonly after: PodBuilder;
    readonly want: 'judged' | 'not judged';
  }
  const lwsPod = aPod('p').lws('llm', 0, 0, 1);
  const byLws = {
    targetRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'llm' },
    minAvailable: 1,
  };
  const rows: readonly (Row & { readonly before?: PodBuilder })[] = [
    {
      name: '[U6] is judged when a label leaves the selection',
      pub: bySelector,
      after: pod.labels({ app: 'x' }),
      want: 'judged',
    },
    {
      name: '[U6] is not judged when another label changes',
      pub: bySelector,
      after: pod.labels({ shard: '1' }),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged when an annotation changes',
      pub: bySelector,
      after: pod.annotate({ note: 'x' }),
      want: 'not judged',
    },
    {
      name: '[U6] is judged when the owner of a selected pod is taken away',
      pub: bySelector,
      after: pod.unowned(),
      want: 'judged',
    },
    {
      name: '[U6] is judged when the owner of a selected pod is no longer its controller',
      pub: bySelector,
      after: pod.unowned({ ...newSet, controller: false }),
      want: 'judged',
    },
    {
      name: '[U6] is judged when a selected pod goes to another owner',
      pub: bySelector,
      after: pod.ownedBy(other),
      want: 'judged',
    },
    {
      name: '[U6] [I4] is judged when a selected pod goes to an unknown owner: it may not exist',
      pub: bySelector,
      after: pod.ownedBy(anOwner('ReplicaSet', 'nowhere')),
      want: 'judged',
    },
    {
      name: '[U6] is judged when a selected pod goes to an owner that is being deleted',
      pub: bySelector,
      after: pod.ownedBy(going),
      want: 'judged',
    },
    {
      name: '[U6] is not judged when a selected pod goes to another ReplicaSet of the same Deployment',
      pub: bySelector,
      after: pod.ownedBy(oldSet),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged when an owner is added to the controller',
      pub: bySelector,
      after: pod.alsoOwnedBy(anOwner('ReplicaSet', 'nowhere')),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged when a pod without an owner is adopted',
      pub: bySelector,
      before: pod.unowned(),
      after: pod,
      want: 'not judged',
    },
    {
      name: '[U6] is judged when a pod without an owner is given one that does not exist: garbage collection deletes it',
      pub: bySelector,
      before: pod.unowned(),
      after: pod.unowned(refTo(anOwner('ReplicaSet', 'nowhere'))),
      want: 'judged',
    },
    {
      name: '[U6] is judged for that by a budget that lists DELETE alone',
      pub: { ...bySelector, protectOperations: ['DELETE'] },
      after: pod.ownedBy(anOwner('ReplicaSet', 'nowhere')),
      want: 'judged',
    },
    {
      name: '[U6] is not judged by a budget that lists DELETE alone when the pod only leaves its owner',
      pub: { ...bySelector, protectOperations: ['DELETE'] },
      after: pod.unowned(),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged by a budget that lists EVICT alone, whatever garbage collection does',
      pub: { ...bySelector, protectOperations: ['EVICT'] },
      after: pod.ownedBy(anOwner('ReplicaSet', 'nowhere')),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged when references stay as they are, whatever they refer to',
      pub: bySelector,
      before: pod.unowned(refTo(anOwner('ReplicaSet', 'nowhere'))),
      after: pod.unowned(refTo(anOwner('ReplicaSet', 'nowhere'))).labels({ shard: '1' }),
      want: 'not judged',
    },
    {
      name: '[U6] is judged when the pod goes to another group',
      pub: { ...bySelector, ...byShard },
      after: pod.labels({ shard: '1' }),
      want: 'judged',
    },
    {
      name: '[U6] is judged when the pod leaves its group',
      pub: { ...bySelector, ...byShard },
      after: aPod('p').labels({ app: 'web' }).ownedBy(newSet),
      want: 'judged',
    },
    {
      name: '[U6] is judged when a unit of its own joins a group',
      pub: { ...bySelector, ...byShard },
      before: aPod('p').labels({ app: 'web' }).ownedBy(newSet),
      after: pod,
      want: 'judged',
    },
    {
      name: '[U6] is judged when the group becomes one of another root owner',
      pub: { ...bySelector, ...byShard },
      after: pod.ownedBy(other),
      want: 'judged',
    },
    {
      name: '[U6] is judged when the group becomes one of no owner',
      pub: { ...bySelector, ...byShard },
      after: pod.unowned(),
      want: 'judged',
    },
    {
      name: '[U6] is not judged when the group stays with its root owner',
      pub: { ...bySelector, ...byShard },
      after: pod.ownedBy(oldSet),
      want: 'not judged',
    },
    {
      name: '[U6] is judged when the owner that the budget names is taken away',
      pub: byTarget,
      after: pod.unowned(),
      want: 'judged',
    },
    {
      name: '[U6] is judged when the owner is no longer the controller',
      pub: byTarget,
      after: pod.unowned({ ...newSet, controller: false }),
      want: 'judged',
    },
    { name: '[U6] is judged when another owner takes over', pub: byTarget, after: pod.ownedBy(other), want: 'judged' },
    {
      name: '[U6] is judged when an unknown owner takes over',
      pub: byTarget,
      after: pod.ownedBy(anOwner('ReplicaSet', 'new')),
      want: 'judged',
    },
    {
      name: '[U6] is not judged when another ReplicaSet of the same Deployment takes over',
      pub: byTarget,
      after: pod.ownedBy(oldSet),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged when a label changes under a targetRef',
      pub: byTarget,
      after: pod.labels({ app: 'x' }),
      want: 'not judged',
    },
    {
      name: '[U6] [O3] is judged when the label names another LeaderWorkerSet',
      pub: byLws,
      before: lwsPod,
      after: lwsPod.labels({ 'leaderworkerset.sigs.k8s.io/name': 'vlm' }),
      want: 'judged',
    },
    {
      name: '[U6] is not judged by a budget that does not list UPDATE',
      pub: { ...bySelector, protectOperations: ['DELETE', 'EVICT'] },
      after: pod.labels({ app: 'x' }),
      want: 'not judged',
    },
    {
      name: '[U6] is not judged by a budget that the pod moves to',
      pub: bySelector,
      before: pod.labels({ app: 'x' }),
      after: pod,
      want: 'not judged',
    },
    {
      name: '[U6] [U1] is not judged for a pod that the budget leaves alone',
      pub: { ...bySelector, ignoredPodSelector: { matchLabels: { shard: '0' } } },
      after: pod.labels({ app: 'x' }),
      want: 'not judged',
    },
  ];
  table(rows, ({ pub, before = pod, after, want }) => {
    const world = aWorld({ pods: [before], owners, pubs: [aPub('b', pub)] });
    const [was, is] = [before.build(), after.build()];
    const referencesChange = !isDeepStrictEqual(was.metadata.ownerReferences, is.metadata.ownerReferences);
    const verdict = inShort(ask(world, 'UPDATE', 'p', { takesAway: false, referencesChange, after: is }));
    expect(verdict).toBe(want === 'judged' ? 'deny BudgetExhausted' : 'allow NotProtected');
  });

  it('[U6] is judged as if the pod were taken from its unit: within the budget it is allowed and reserved', () => {
    const world = aWorld({ pods: [pod, aPod('q').labels({ app: 'web' })], owners, pubs: [aPub('b', bySelector)] });
    const after = pod.labels({ app: 'x' }).build();
    expect(ask(world, 'UPDATE', 'p', { takesAway: false, after })).toMatchObject({
      result: 'allow',
      charges: [{ effect: 'breaks', available: 2, desired: 1 }],
      effects: { reserve: { operation: 'UPDATE', pod: 'p' } },
    });
  });

  it('[U6] costs nothing where the unit stays without the pod, or is down already', () => {
    const shard = ['p', 'q', 'r'].map((name) => aPod(name).labels({ app: 'web', shard: '0' }));
    const broken = shard.map((one, i) => (i === 2 ? one.notReady() : one));
    const policy = (minReadyReplicas: number) => ({ podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas } });
    const move = (minReady: number, pods = shard) => {
      const world = aWorld({ pods, pubs: [aPub('b', { ...bySelector, ...policy(minReady) })] });
      return ask(world, 'UPDATE', 'p', {
        takesAway: false,
        after: aPod('p').labels({ app: 'web', shard: '1' }).build(),
      });
    };
    expect(move(2)).toMatchObject({ result: 'allow', charges: [{ effect: 'surplus', unit: '0' }] });
    expect(move(3)).toMatchObject({ result: 'deny', blockers: [{ code: 'BudgetExhausted', unit: '0' }] });
    expect(move(4)).toMatchObject({ result: 'deny', blockers: [{ code: 'BudgetExhausted', unit: '0' }] });
    expect(move(3, broken)).toMatchObject({ result: 'allow', charges: [{ effect: 'down', unit: '0' }] });
  });

  it('[U6] [U5] is judged by those budgets alone that the pod leaves', () => {
    const pubs = [
      aPub('leaves', bySelector),
      aPub('stays', { selector: { matchLabels: { shard: '0' } }, minAvailable: 1 }),
    ];
    const world = aWorld({ pods: [pod], owners, pubs });
    const verdict = ask(world, 'UPDATE', 'p', { takesAway: false, after: pod.labels({ app: 'x' }).build() });
    expect(blockersOf(verdict).map((one) => one.budget?.name)).toEqual(['leaves']);
  });

  it('[U6] [U1] [I4] is refused when it takes away an owner of which it is unknown yet what it belongs to', () => {
    const world = aWorld({ pods: [pod], pubs: [aPub('b', byTarget)] });
    const verdict = ask(world, 'UPDATE', 'p', { takesAway: false, after: pod.unowned().build() });
    expect(inShort(verdict)).toBe('deny OwnerNotResolved');
  });

  it('[U6] is not judged when it changes nothing that matters of a pod whose owners are not known yet', () => {
    const world = aWorld({ pods: [pod], pubs: [aPub('b', byTarget)] });
    const verdict = ask(world, 'UPDATE', 'p', { takesAway: false, after: pod.annotate({ note: 'x' }).build() });
    expect(inShort(verdict)).toBe('allow NotProtected');
  });
});

describe('an UPDATE that takes the pod away', () => {
  table(
    [
      { name: '[U6] is judged when it says so', request: { takesAway: true, after: pod.build() } },
      { name: '[U6] is judged when it does not say', request: { after: pod.build() } },
      { name: '[U6] is judged without the pod as it would be', request: {} },
    ],
    ({ request }) => {
      const world = aWorld({ pods: [pod], owners, pubs: [aPub('b', bySelector)] });
      expect(inShort(ask(world, 'UPDATE', 'p', request))).toBe('deny BudgetExhausted');
    },
  );

  it('[U6] is judged by all budgets that list UPDATE', () => {
    const pubs = [aPub('a', bySelector), aPub('b', byTarget), aPub('c', { ...byTarget, protectOperations: ['EVICT'] })];
    const verdict = ask(aWorld({ pods: [pod], owners, pubs }), 'UPDATE', 'p', { takesAway: true, after: pod.build() });
    expect(blockersOf(verdict).map((one) => one.budget?.name)).toEqual(['a', 'b']);
  });
});

describe('a question about an UPDATE leaves the world as it was', () => {
  const stranger = anOwner('ReplicaSet', 'stranger', 1);
  const askAbout = (owner: OwnerState) => {
    const world = aWorld({ pods: [pod], owners, pubs: [aPub('b', byTarget)] });
    ask(world, 'UPDATE', 'p', { takesAway: false, after: pod.ownedBy(owner).build() });
    return world;
  };

  it('[O1] an owner that only the question names is not one that pods point at', () => {
    expect([...askAbout(stranger).unknownOwners()]).toEqual([]);
  });

  it('[O1] [I4] a look-up after the question and before the first pod says nothing about the owner', () => {
    const world = askAbout(stranger);
    world.setOwnerGone(stranger);
    world.upsertPod(aPod('late').ownedBy(stranger).build());
    expect(inShort(ask(world, 'EVICT', 'late'))).toBe('deny OwnerNotResolved');
    expect([...world.unknownOwners()]).toMatchObject([{ name: 'stranger', namespace: ns }]);
  });
});
