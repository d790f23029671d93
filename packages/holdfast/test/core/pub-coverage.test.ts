import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import { aDeployment, anOwner, aPod, aPub, ns, type PodBuilder, refTo } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { TargetReference } from '../../src/api/pub/pub.ts';
import type { OwnerState } from '../../src/core/owner.ts';

const [web, webSet] = aDeployment('web', 1) as [OwnerState, OwnerState];
const db = anOwner('StatefulSet', 'db', 1);
const llm = anOwner('LeaderWorkerSet', 'llm', 1);

/** The chain of a real worker: its StatefulSet, its leader Pod, the leaders' StatefulSet, the LeaderWorkerSet. */
const leaders = anOwner('StatefulSet', 'llm', 1, { controller: refTo(llm) });
const leader = aPod('llm-0').ownedBy(leaders);
const leaderRef = { apiVersion: 'v1', kind: 'Pod', name: 'llm-0', uid: 'uid-llm-0', controller: true };
const workers = anOwner('StatefulSet', 'llm-0', 1, { controller: leaderRef });

function target(owner: OwnerState, apiVersion = owner.apiVersion): TargetReference {
  return { apiVersion, kind: owner.kind, name: owner.name };
}

describe('pods that a targetRef owns', () => {
  interface Row {
    readonly name: string;
    readonly pod: PodBuilder;
    readonly owners?: readonly OwnerState[];
    readonly others?: readonly PodBuilder[];
    readonly target: TargetReference;
    readonly want: string;
  }
  const yes = 'deny BudgetExhausted';
  const no = 'allow NotProtected';
  const perhaps = 'deny OwnerNotResolved';
  const known = [web, webSet];
  const rows: readonly Row[] = [
    {
      name: '[U1] those of a Deployment by way of its ReplicaSet',
      pod: aPod('p').ownedBy(webSet),
      owners: known,
      target: target(web),
      want: yes,
    },
    {
      name: '[U1] whatever version it is written in',
      pod: aPod('p').ownedBy(webSet),
      owners: known,
      target: target(web, 'apps/v1beta2'),
      want: yes,
    },
    {
      name: '[U1] not those of another API group',
      pod: aPod('p').ownedBy(webSet),
      owners: known,
      target: target(web, 'extensions/v1beta1'),
      want: no,
    },
    {
      name: '[U1] not those of another kind',
      pod: aPod('p').ownedBy(webSet),
      owners: known,
      target: { ...target(web), kind: 'StatefulSet' },
      want: no,
    },
    {
      name: '[U1] not those of another name',
      pod: aPod('p').ownedBy(webSet),
      owners: known,
      target: { ...target(web), name: 'other' },
      want: no,
    },
    {
      name: '[U1] those of a ReplicaSet of a Deployment',
      pod: aPod('p').ownedBy(webSet),
      owners: known,
      target: target(webSet),
      want: yes,
    },
    { name: '[U1] those of a StatefulSet', pod: aPod('p').ownedBy(db), owners: [db], target: target(db), want: yes },
    {
      name: '[U1] those of an owner that was not looked up, by its name',
      pod: aPod('p').ownedBy(db),
      target: target(db),
      want: yes,
    },
    {
      name: '[U1] [I4] perhaps those whose owner was not looked up',
      pod: aPod('p').ownedBy(webSet),
      target: target(web),
      want: perhaps,
    },
    {
      name: '[U1] [I4] perhaps those whose owner’s owner was not looked up',
      pod: aPod('p').ownedBy(webSet),
      owners: [webSet],
      target: target(db),
      want: perhaps,
    },
    {
      name: '[U1] those whose chain names the target, although it was not looked up',
      pod: aPod('p').ownedBy(webSet),
      owners: [webSet],
      target: target(web),
      want: yes,
    },
    { name: '[U1] not those without an owner', pod: aPod('p'), target: target(web), want: no },
    {
      name: '[U1] not those of an owner that is not their controller',
      pod: aPod('p').unowned({ ...refTo(db), controller: false }),
      owners: [db],
      target: target(db),
      want: no,
    },
    {
      name: '[U1] [O3] those of a LeaderWorkerSet by their label',
      pod: aPod('p').lws('llm', 0, 1, 2),
      target: target(llm),
      want: yes,
    },
    {
      name: '[U1] [O3] not those of another LeaderWorkerSet by their label',
      pod: aPod('p').lws('vlm', 0, 1, 2),
      target: target(llm),
      want: no,
    },
    {
      name: '[U1] [O1] those of a LeaderWorkerSet by a chain through the leader',
      pod: aPod('p').ownedBy(workers),
      owners: [workers, leaders, llm],
      others: [leader],
      target: target(llm),
      want: yes,
    },
    {
      name: '[U1] [O1] those of the leaders’ StatefulSet by the same chain',
      pod: aPod('p').ownedBy(workers),
      owners: [workers, leaders, llm],
      others: [leader],
      target: target(leaders),
      want: yes,
    },
    {
      name: '[U1] those of a Pod',
      pod: aPod('p').ownedBy(workers),
      owners: [workers, leaders, llm],
      others: [leader],
      target: { apiVersion: 'v1', kind: 'Pod', name: 'llm-0' },
      want: yes,
    },
    {
      name: '[U1] [I4] perhaps labelled ones of an owner that was not looked up',
      pod: aPod('p').lws('llm', 0, 1, 2).ownedBy(workers),
      target: target(web),
      want: perhaps,
    },
    {
      name: '[U1] labelled ones of the target, although their owner was not looked up',
      pod: aPod('p').lws('llm', 0, 1, 2).ownedBy(workers),
      target: target(llm),
      want: yes,
    },
  ];
  table(rows, ({ pod, owners, others = [], target: targetRef, want }) => {
    const pubs = [aPub('b', { targetRef, minAvailable: 9 })];
    const world = aWorld({ pods: [pod, ...others], pubs, ...(owners === undefined ? {} : { owners }) });
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe(want);
  });

  table(
    rows.map((row) => ({ ...row, name: `${row.name}, when the owners are told last` })),
    ({ pod, owners = [], others = [], target: targetRef, want }) => {
      const world = aWorld({ pubs: [aPub('b', { targetRef, minAvailable: 9 })], pods: [pod] });
      for (const other of others) world.upsertPod(other.build());
      for (const owner of owners) world.setOwner(owner);
      expect(inShort(ask(world, 'EVICT', 'p'))).toBe(want);
    },
  );
});

describe('pods whose owners are not known yet', () => {
  const open = aPod('p').ownedBy(webSet).labels({ app: 'web' });
  const targetRef = target(web);

  it('[U1] are refused by every targetRef of the namespace, and by name', () => {
    const pubs = [aPub('a', { targetRef, minAvailable: 0 }), aPub('b', { targetRef: target(db), minAvailable: 0 })];
    expect(blockersOf(ask(aWorld({ pods: [open], pubs }), 'DELETE', 'p'))).toMatchObject([
      { code: 'OwnerNotResolved', budget: { name: 'a' } },
      { code: 'OwnerNotResolved', budget: { name: 'b' } },
    ]);
  });

  it('[U1] are not refused where no targetRef guards the operation', () => {
    const pubs = [aPub('a', { targetRef, minAvailable: 9, protectOperations: ['DELETE'] })];
    expect(inShort(ask(aWorld({ pods: [open], pubs }), 'EVICT', 'p'))).toBe('allow NotProtected');
  });

  it('[U1] are not refused by selectors, nor by the targetRefs of another namespace', () => {
    const far = aPub('far', { targetRef, minAvailable: 9 });
    const world = aWorld({
      pods: [open],
      pubs: [aPub('a', { selector: { matchLabels: { app: 'web' } }, minAvailable: 0 })],
    });
    world.upsertPub({ ...far, metadata: { ...far.metadata, namespace: 'far' } });
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow WithinBudget');
  });

  it('[U1] are not refused when they say that they need no protection', () => {
    const pubs = [aPub('a', { targetRef, minAvailable: 9 })];
    const world = aWorld({ pods: [open.annotate({ 'pub.kruise.io/no-protect': 'true' })], pubs });
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow NotProtected');
  });

  it('[U1] are judged as soon as the owners are looked up, and freed when they turn out to be others', () => {
    const world = aWorld({ pods: [open], pubs: [aPub('a', { targetRef, minAvailable: 1 })] });
    world.setOwner(webSet);
    world.setOwner(web);
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny BudgetExhausted');
    world.setOwner({ ...webSet, controller: refTo(anOwner('Deployment', 'other')) });
    world.setOwner(anOwner('Deployment', 'other', 1));
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow NotProtected');
  });
});

describe('pods that a selector matches', () => {
  const selector = { matchLabels: { app: 'web' } };

  it('[U1] are covered as they are labelled', () => {
    const pod = aPod('p').labels({ app: 'web' });
    const world = aWorld({ pods: [pod], pubs: [aPub('b', { selector, minAvailable: 1 })] });
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny BudgetExhausted');
    world.upsertPod(aPod('p').labels({ app: 'other' }).build());
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow NotProtected');
    world.upsertPod(pod.build());
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny BudgetExhausted');
    world.deletePub(ns, 'b');
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('allow NotProtected');
  });

  it('[U1] by expressions, and only in the namespace of the budget', () => {
    const expressions = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['batch'] }] };
    const world = aWorld({
      pods: [aPod('p'), aPod('q').labels({ app: 'batch' })],
      pubs: [aPub('b', { selector: expressions, minAvailable: 1 })],
    });
    world.upsertPod(aPod('far').in('other').build());
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny BudgetExhausted');
    expect(inShort(ask(world, 'EVICT', 'q'))).toBe('allow NotProtected');
    expect(inShort(ask(world, 'EVICT', 'far', { namespace: 'other' }))).toBe('allow NotProtected');
  });
});

it('[U1] a targetRef covers the same pods whether it came before or after them', () => {
  // The LeaderWorkerSet, which only a label names, is itself owned by what the budget names.
  const web = anOwner('Deployment', 'web', 1);
  const llm = anOwner('LeaderWorkerSet', 'llm', 1, { controller: refTo(web) });
  const pods = [aPod('llm-0').lws('llm', 0, 0, 1)];
  const pub = aPub('b', { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minAvailable: 0 });
  const after = aWorld({ owners: [web, llm], pods, pubs: [pub] });
  const before = aWorld({ owners: [web, llm], pubs: [pub] });
  for (const pod of pods) before.upsertPod(pod.build());
  expect(pubNumbers(after, 'b')).toEqual(pubNumbers(before, 'b'));
});
