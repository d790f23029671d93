import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import { aDeployment, anOwner, aPod, aPub, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodUnavailableBudgetSpec, TargetReference } from '../../src/api/pub/pub.ts';
import type { OwnerState } from '../../src/core/owner.ts';

const app = { app: 'x' };
const selector = { matchLabels: app };
const [web, webNew, webOld] = aDeployment('web', 4, ['new', 'old']) as [OwnerState, OwnerState, OwnerState];
const db = anOwner('StatefulSet', 'db', 3);
const daemon = anOwner('DaemonSet', 'log');
const llm = anOwner('LeaderWorkerSet', 'llm', 5);
const kruiseLlm = anOwner('LeaderWorkerSet', 'llm', 7, { apiVersion: 'apps.kruise.io/v1alpha1', uid: 'uid-kruise' });
const all = [web, webNew, webOld, db, daemon, llm, kruiseLlm];

const of = (owner: OwnerState, i: number): PodBuilder => aPod(`${owner.name}-${i}`).labels(app).ownedBy(owner);
const bare = (name: string): PodBuilder => aPod(name).labels(app);
const shard = (pod: PodBuilder, value: string): PodBuilder => pod.labels({ shard: value });
const lws = (group: number, worker: number): PodBuilder =>
  aPod(`llm-${group}-${worker}`)
    .labels({ ...app, shard: String(group) })
    .lws('llm', group, worker, 2);
const router = (i: number): PodBuilder =>
  aPod(`router-${i}`).labels({ ...app, 'leaderworkerset.sigs.k8s.io/name': 'llm' });
const target = (owner: OwnerState): { targetRef: TargetReference } => ({
  targetRef: { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name },
});

interface Row {
  readonly name: string;
  readonly pub: Omit<PodUnavailableBudgetSpec, 'maxUnavailable'>;
  readonly pods: readonly PodBuilder[];
  readonly owners?: readonly OwnerState[];
  readonly want: { readonly expected: number; readonly source: string } | 'unknown';
}

function check(rows: readonly Row[], policy: Pick<PodUnavailableBudgetSpec, 'podGroupPolicy'>): void {
  table(rows, ({ pub, pods, owners = all, want }) => {
    const world = aWorld({ pods, owners, pubs: [aPub('b', { ...pub, ...policy, maxUnavailable: 1 })] });
    const { expected, source } = pubNumbers(world, 'b') ?? {};
    if (want === 'unknown') expect(expected).toBeUndefined();
    else expect({ expected, source }).toEqual(want);
  });
}

const scale = (expected: number) => ({ expected, source: 'scale' });
const seen = (expected: number) => ({ expected, source: 'seen' });

describe('expected pods of a PUB', () => {
  check(
    [
      {
        name: '[U3] are protectTotalReplicas first of all',
        pub: { ...target(db), protectTotalReplicas: 9 },
        pods: [of(db, 0)],
        want: { expected: 9, source: 'budget' },
      },
      {
        name: '[U3] are protectTotalReplicas, whichever owner was not looked up',
        pub: { selector, protectTotalReplicas: 9 },
        pods: [of(db, 0)],
        owners: [],
        want: { expected: 9, source: 'budget' },
      },
      { name: '[U3] are the scale of the targetRef', pub: target(web), pods: [of(webNew, 0)], want: scale(4) },
      { name: '[U3] are the scale of the targetRef without any pod', pub: target(web), pods: [], want: scale(4) },
      {
        name: '[U3] [I4] are unknown while the targetRef was not looked up',
        pub: target(web),
        pods: [of(webNew, 0)],
        owners: [webNew],
        want: 'unknown',
      },
      {
        name: '[U3] are the pods that exist when the targetRef has no scale',
        pub: target(daemon),
        pods: [of(daemon, 0), of(daemon, 1)],
        want: seen(2),
      },
      { name: '[U3] are the sum over the owners', pub: { selector }, pods: [of(db, 0), of(webNew, 0)], want: scale(7) },
      {
        name: '[U3] [O2] count a Deployment once during a rollout',
        pub: { selector },
        pods: [of(webNew, 0), of(webOld, 0)],
        want: scale(4),
      },
      {
        name: '[U3] count an owner without a scale by its pods that exist',
        pub: { selector },
        pods: [of(daemon, 0), of(daemon, 1).terminating(), of(daemon, 2).phase('Failed')],
        want: seen(2),
      },
      {
        name: '[U3] count a pod without owner as one',
        pub: { selector },
        pods: [bare('a'), bare('b'), bare('c').terminating(), bare('d').phase('Succeeded')],
        want: seen(3),
      },
      { name: '[U3] report the weakest source', pub: { selector }, pods: [of(db, 0), bare('a')], want: seen(4) },
      {
        name: '[U3] [I4] are unknown while an owner was not looked up',
        pub: { selector },
        pods: [of(db, 0), of(webNew, 0)],
        owners: [db],
        want: 'unknown',
      },
      {
        name: '[U3] [I11] count an owner all of whose pods are terminating',
        pub: { selector },
        pods: [of(db, 0).terminating()],
        want: scale(3),
      },
      {
        name: '[U3] count pods that are not protected, too',
        pub: { selector },
        pods: [bare('a').annotate({ 'pub.kruise.io/no-protect': 'true' }), bare('b')],
        want: seen(2),
      },
      {
        name: '[U3] are none of a workload that is scaled to nothing',
        pub: { selector },
        pods: [of(db, 0)],
        owners: [{ ...db, replicas: 0 }],
        want: scale(0),
      },
    ],
    {},
  );
});

describe('expected units of a PUB with a group policy', () => {
  check(
    [
      {
        name: '[U3] are protectTotalReplicas first of all',
        pub: { selector, protectTotalReplicas: 9 },
        pods: [lws(0, 0)],
        want: { expected: 9, source: 'budget' },
      },
      {
        name: '[U3] are the scale of a targetRef that counts groups',
        pub: target(llm),
        pods: [lws(0, 0), lws(0, 1)],
        want: scale(5),
      },
      {
        name: '[U3] and the pods without the label that exist',
        pub: target(llm),
        pods: [lws(0, 0), router(0), router(1).terminating()],
        want: scale(7),
      },
      {
        name: '[U3] not the scale of a targetRef that counts pods',
        pub: target(db),
        pods: [0, 1, 2].map((i) => shard(of(db, i), String(i % 2))),
        want: seen(2),
      },
      {
        name: '[U3] are the scale of a root owner that counts groups',
        pub: { selector },
        pods: [lws(0, 0), lws(1, 0)],
        want: scale(5),
      },
      {
        name: '[U3] [O3] are the scale of a LeaderWorkerSet of apps.kruise.io, whose pods carry the labels of the other one',
        pub: { selector },
        pods: [lws(0, 0).ownedBy(kruiseLlm), lws(1, 0).ownedBy(kruiseLlm)],
        want: scale(7),
      },
      { name: '[U3] and its pods without the label', pub: { selector }, pods: [lws(0, 0), router(0)], want: scale(6) },
      {
        name: '[U3] else the groups and the pods without the label that exist',
        pub: { selector },
        pods: [shard(of(db, 0), 'a'), shard(of(db, 1), 'a'), shard(of(db, 2), 'b').terminating(), of(db, 3)],
        want: seen(3),
      },
      {
        name: '[U3] are the groups that exist where the owner has no scale',
        pub: { selector },
        pods: [shard(of(daemon, 0), 'a'), of(daemon, 1)],
        want: seen(2),
      },
      {
        name: '[U3] are the scale of an owner that has only pods without the label',
        pub: { selector },
        pods: [of(db, 0)],
        want: scale(3),
      },
      {
        name: '[U3] [O3] are the Deployment’s scale where it has only pods without the label',
        pub: { selector },
        pods: [of(webNew, 0), of(webOld, 0)],
        want: scale(4),
      },
      {
        name: '[U3] are those pods where such an owner has no scale',
        pub: { selector },
        pods: [of(daemon, 0), of(daemon, 1)],
        want: seen(2),
      },
      {
        name: '[U3] [O3] are the groups of pods without an owner, together',
        pub: { selector },
        pods: [shard(bare('a'), '0'), shard(bare('b'), '0'), bare('c')],
        want: seen(2),
      },
      {
        name: '[U3] [G4] are summed over the root owners',
        pub: { selector },
        pods: [lws(0, 0), shard(of(db, 0), '0'), shard(of(webNew, 0), '0')],
        want: seen(7),
      },
      {
        name: '[U3] [I4] are unknown while a root owner was not looked up',
        pub: { selector },
        pods: [lws(0, 0)],
        owners: [],
        want: 'unknown',
      },
      {
        name: '[U3] [I11] count groups whose pods are all gone where the root owner counts groups',
        pub: target(llm),
        pods: [lws(3, 0)],
        want: scale(5),
      },
    ],
    { podGroupPolicy: { groupLabelKey: 'shard' } },
  );
});

describe('expected units of a PUB follow', () => {
  const follow = (pub: PodUnavailableBudgetSpec, pods: readonly PodBuilder[], owners: readonly OwnerState[] = all) => {
    const world = aWorld({ pods, owners, pubs: [aPub('b', pub)] });
    const numbers = [pubNumbers(world, 'b')?.expected];
    const step = (change: () => void): void => {
      change();
      numbers.push(pubNumbers(world, 'b')?.expected);
    };
    return { world, numbers, step };
  };

  it('[U3] the scale of the targetRef', () => {
    const { world, numbers, step } = follow({ ...target(web), maxUnavailable: 1 }, [of(webNew, 0)]);
    step(() => world.setOwner({ ...web, replicas: 6 }));
    step(() => world.setOwner({ ...web, replicas: 0 }));
    step(() => world.setOwner({ ...web, replicas: 2 }));
    expect(numbers).toEqual([4, 6, 0, 2]);
  });

  it('[U3] the pods that come and go', () => {
    const { world, numbers, step } = follow({ selector, maxUnavailable: 1 }, [bare('a')]);
    step(() => world.upsertPod(bare('b').build()));
    step(() => world.upsertPod(of(db, 0).build()));
    step(() => world.upsertPod(bare('b').terminating().build()));
    step(() => world.deletePod(ns, 'db-0'));
    step(() => world.upsertPod(bare('a').phase('Succeeded').build()));
    expect(numbers).toEqual([1, 2, 5, 5, 2, 1]);
  });

  it('[U3] [I11] a terminating pod until it is gone: the budget does not shrink with every pod that it lets go', () => {
    const names = ['a', 'b', 'c'];
    const pub = aPub('web', { selector, maxUnavailable: 1 });
    const world = aWorld({ pods: names.map((name) => bare(name)), pubs: [pub] });
    world.upsertPod(bare('a').terminating().build());
    expect(inShort(ask(world, 'EVICT', 'b'))).toBe('deny BudgetExhausted');
  });

  it('[U3] [I11] a new owner, although its first pod is seen terminating', () => {
    const { world, numbers, step } = follow({ selector, maxUnavailable: 1 }, [bare('a')]);
    step(() => world.upsertPod(of(db, 0).terminating().build()));
    expect(numbers).toEqual([1, 4]);
  });

  it('[U3] the look-ups', () => {
    const { world, numbers, step } = follow({ selector, maxUnavailable: 1 }, [of(webNew, 0)], []);
    step(() => world.setOwner(webNew));
    step(() => world.setOwner(web));
    expect(numbers).toEqual([undefined, undefined, 4]);
  });
});
