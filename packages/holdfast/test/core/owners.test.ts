import { describe, expect, it } from 'vitest';
import { aWorld, pubNumbers } from '../../../../test/support/a-world.ts';
import { aDeployment, anOwner, aPod, aPub, ns, type PodBuilder, refTo } from '../../../../test/support/builders.ts';
import { chainState, gone, known, ownerView, unknown, unknownNames } from '../../../../test/support/owner-view.ts';
import { table } from '../../../../test/support/table.ts';
import type { OwnerState } from '../../src/core/owner.ts';
import type { World } from '../../src/core/world/world.ts';

const [web, webSet] = aDeployment('web', 3) as [OwnerState, OwnerState];
const pod = aPod('p').labels({ app: 'x' }).ownedBy(webSet);
describe('the owners of a pod', () => {
  it('[O1] are known one by one, as they are looked up', () => {
    const world = ownerView(pod);
    expect([chainState(world), unknownNames(world)]).toEqual([unknown, ['ReplicaSet web-a']]);
    world.setOwner(webSet);
    expect([chainState(world), unknownNames(world)]).toEqual([unknown, ['Deployment web']]);
    world.setOwner(web);
    expect([chainState(world), unknownNames(world)]).toEqual([known, []]);
  });

  it('[O1] that were not looked up are named with all that a look-up needs', () => {
    expect([...ownerView(pod).unknownOwners()]).toMatchObject([
      {
        apiVersion: expect.stringMatching(/^apps\//),
        kind: 'ReplicaSet',
        name: 'web-a',
        namespace: ns,
        uid: webSet.uid,
      },
    ]);
  });

  it('[O1] are not asked for when no pod refers to them any more', () => {
    const world = ownerView(pod);
    world.deletePod(ns, 'p');
    expect(unknownNames(world)).toEqual([]);
  });

  it('[O1] [O3] include the LeaderWorkerSet that a label names', () => {
    expect(unknownNames(ownerView(aPod('p').lws('llm', 0, 0, 1)))).toEqual(['LeaderWorkerSet llm']);
  });

  interface Row {
    readonly name: string;
    readonly steps: (world: World) => void;
    readonly want: string;
  }
  const add = (world: World): void => world.upsertPod(pod.build());
  const other = { ...webSet, uid: 'uid-other' };
  const rows: readonly Row[] = [
    {
      name: 'are gone when a look-up finds nothing',
      steps: (w) => {
        add(w);
        w.setOwnerGone(webSet);
      },
      want: gone,
    },
    {
      name: 'are gone when a look-up finds another uid',
      steps: (w) => {
        add(w);
        w.setOwner(other);
      },
      want: gone,
    },
    {
      name: 'are not looked up when nothing was found before a pod pointed at them',
      steps: (w) => {
        w.setOwnerGone(webSet);
        add(w);
      },
      want: unknown,
    },
    {
      name: 'are not looked up when another uid was found before a pod pointed at them',
      steps: (w) => {
        w.setOwner(other);
        add(w);
      },
      want: unknown,
    },
    {
      name: 'are gone when the look-up is made again after that',
      steps: (w) => {
        w.setOwner(other);
        add(w);
        w.setOwner(other);
      },
      want: gone,
    },
    {
      name: 'are known when this very uid was found before a pod pointed at them',
      steps: (w) => {
        w.setOwner(web);
        w.setOwner(webSet);
        add(w);
      },
      want: known,
    },
    {
      name: 'are known when they are found after they were not',
      steps: (w) => {
        add(w);
        w.setOwnerGone(webSet);
        w.setOwner(web);
        w.setOwner(webSet);
      },
      want: known,
    },
    {
      name: 'are gone when they were known and are not found any more',
      steps: (w) => {
        add(w);
        w.setOwner(web);
        w.setOwner(webSet);
        w.setOwnerGone(webSet);
      },
      want: gone,
    },
    {
      name: 'are gone when the controller of the controller is',
      steps: (w) => {
        add(w);
        w.setOwner(webSet);
        w.setOwnerGone(web);
      },
      want: gone,
    },
    {
      name: 'are not looked up when the controller of the controller was not found before the first reference to it',
      steps: (w) => {
        w.setOwnerGone(web);
        add(w);
        w.setOwner(webSet);
      },
      want: unknown,
    },
    {
      name: 'are going when one is being deleted',
      steps: (w) => {
        add(w);
        w.setOwner({ ...webSet, deleting: true });
      },
      want: gone,
    },
    {
      name: 'are going when the last one is being deleted',
      steps: (w) => {
        add(w);
        w.setOwner(webSet);
        w.setOwner({ ...web, deleting: true });
      },
      want: gone,
    },
    {
      name: 'are looked up again when the same owner comes back under a new uid',
      steps: (w) => {
        add(w);
        w.setOwnerGone(webSet);
        w.deletePod(ns, 'p');
        w.upsertPod(pod.ownedBy(other).build());
      },
      want: unknown,
    },
  ];
  table(
    rows.map((row) => ({ ...row, name: `[O1] ${row.name}` })),
    ({ steps, want }) => {
      const world = ownerView();
      steps(world);
      expect(chainState(world)).toBe(want);
    },
  );

  it('[O1] of one name and two uids are two owners', () => {
    const world = ownerView(pod, aPod('old').ownedBy({ ...webSet, uid: 'uid-old' }));
    world.setOwner(webSet);
    world.setOwner(web);
    expect([chainState(world), chainState(world, 'old')]).toEqual([known, gone]);
  });

  it('[O1] of another namespace are others', () => {
    const world = ownerView(pod);
    world.setOwnerGone({ ...webSet, namespace: 'far' });
    expect(chainState(world)).toBe(unknown);
  });

  it('[O1] behind one that is gone or not looked up are not looked for', () => {
    const world = ownerView(pod);
    world.setOwner(webSet);
    world.setOwnerGone(webSet);
    expect(unknownNames(world)).toEqual([]);
  });
});

describe('the owner that counts pods', () => {
  const scalable = anOwner('Rollout', 'roll', 5);
  const bare = anOwner('Rollout', 'roll');
  const set = (replicas: number, controller?: OwnerState) =>
    anOwner('ReplicaSet', 's', replicas, controller === undefined ? {} : { controller: refTo(controller) });
  const foreign = { ...set(2, scalable), apiVersion: 'example.com/v1' };
  const counted = (controller: OwnerState, owners: readonly OwnerState[]): number | undefined => {
    const pubs = [aPub('c', { selector: { matchLabels: { app: 'x' } }, maxUnavailable: 1 })];
    return pubNumbers(aWorld({ pods: [aPod('p').labels({ app: 'x' }).ownedBy(controller)], owners, pubs }), 'c')
      ?.expected;
  };
  table(
    [
      {
        name: '[O2] is the controller',
        controller: anOwner('StatefulSet', 's', 4),
        owners: [anOwner('StatefulSet', 's', 4)],
        want: 4,
      },
      { name: '[O2] is a ReplicaSet without a controller', controller: set(2), owners: [set(2)], want: 2 },
      { name: '[O2] is a ReplicaSet’s Deployment', controller: webSet, owners: [web, webSet], want: 3 },
      {
        name: '[O2] is another controller of a ReplicaSet that has a scale',
        controller: set(2),
        owners: [set(2, scalable), scalable],
        want: 5,
      },
      {
        name: '[O2] is the ReplicaSet when its controller has no scale',
        controller: set(2),
        owners: [set(2, bare), bare],
        want: 2,
      },
      {
        name: '[O2] is unknown while the ReplicaSet was not looked up',
        controller: webSet,
        owners: [web],
        want: undefined,
      },
      {
        name: '[O2] is unknown while the ReplicaSet’s controller was not looked up',
        controller: webSet,
        owners: [webSet],
        want: undefined,
      },
      {
        name: '[O2] is a ReplicaSet of another API group itself',
        controller: foreign,
        owners: [foreign, scalable],
        want: 2,
      },
      {
        name: '[O2] is a StatefulSet although it has a controller with a scale',
        controller: anOwner('StatefulSet', 's', 4),
        owners: [anOwner('StatefulSet', 's', 4, { controller: refTo(scalable) }), scalable],
        want: 4,
      },
    ],
    ({ controller, owners, want }) => expect(counted(controller, owners)).toBe(want),
  );

  it('[O2] [X4] decides which scale of nothing frees the pods', () => {
    const outcome = (...owners: readonly OwnerState[]): string => {
      const world = ownerView(aPod('p').ownedBy(set(0)));
      for (const owner of owners) world.setOwner(owner);
      return chainState(world);
    };
    expect(outcome(set(0, scalable), scalable)).toBe(known);
    expect(outcome(set(0, scalable))).toBe(unknown);
    expect(outcome(set(0, bare), bare)).toBe(gone);
    expect(outcome(set(1, scalable), { ...scalable, replicas: 0 })).toBe(gone);
    expect(outcome(set(0))).toBe(gone);
  });
});

describe('the root owner', () => {
  const db = anOwner('StatefulSet', 'db', 1);
  const operator = anOwner('Postgres', 'pg');
  const [, , webOld] = aDeployment('web', 3, ['a', 'old']) as [OwnerState, OwnerState, OwnerState];
  const under = (...owners: readonly OwnerState[]) => ({
    pods: owners.map((owner, i) => aPod(`p${i}`).ownedBy(owner)),
  });
  interface Row {
    readonly name: string;
    readonly pods: readonly PodBuilder[];
    readonly owners?: readonly OwnerState[];
    readonly want: 'one' | 'two';
  }
  const rows: readonly Row[] = [
    {
      name: '[O3] is the LeaderWorkerSet of the label, whatever the controllers are',
      pods: [aPod('p0').lws('llm', 0, 0, 1).ownedBy(db), aPod('p1').lws('llm', 0, 1, 1)],
      owners: [db],
      want: 'one',
    },
    {
      name: '[O3] is the LeaderWorkerSet of the label, although the controller is the same',
      pods: ['a', 'b'].map((name, i) => aPod(`p${i}`).lws(name, 0, 0, 1).ownedBy(db)),
      owners: [db],
      want: 'two',
    },
    {
      name: '[O3] is the last owner of the chain',
      ...under(webSet, webOld),
      owners: [web, webSet, webOld],
      want: 'one',
    },
    {
      name: '[O3] is the last owner of the chain, although that was not looked up',
      ...under(webSet, webOld),
      owners: [webSet, webOld],
      want: 'one',
    },
    { name: '[O3] is the controller while that was not looked up', ...under(webSet, webOld), owners: [], want: 'two' },
    {
      name: '[O3] is at the end of longer chains',
      ...under(db, anOwner('StatefulSet', 'db-2')),
      owners: [
        { ...db, controller: refTo(operator) },
        anOwner('StatefulSet', 'db-2', 1, { controller: refTo(operator) }),
        operator,
      ],
      want: 'one',
    },
    {
      name: '[O3] is another one under another kind of the same name',
      ...under(db, anOwner('DaemonSet', 'db')),
      owners: [db, anOwner('DaemonSet', 'db')],
      want: 'two',
    },
    {
      name: '[O3] is the same for all pods without a controller',
      pods: [aPod('p0'), aPod('p1').unowned({ ...refTo(db), controller: false })],
      want: 'one',
    },
    {
      name: '[O3] of a pod without a controller is not that of one with',
      pods: [aPod('p0'), aPod('p1').ownedBy(db)],
      owners: [db],
      want: 'two',
    },
  ];
  table(rows, ({ pods, owners = [], want }) => {
    const labelled = pods.map((one) => one.labels({ app: 'x', shard: '0' }));
    const pub = aPub('c', {
      selector: { matchLabels: { app: 'x' } },
      minAvailable: 1,
      podGroupPolicy: { groupLabelKey: 'shard' },
    });
    const world = aWorld({ pods: labelled, owners, pubs: [pub] });
    expect(pubNumbers(world, 'c')?.available).toBe(want === 'one' ? 1 : 2);
  });
});
