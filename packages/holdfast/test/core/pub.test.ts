import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import {
  aLedger,
  anOwner,
  aPod,
  aPub,
  aReservation,
  ns,
  type PodBuilder,
  refTo,
} from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { PodUnavailableBudgetSpec } from '../../src/api/pub/pub.ts';
import type { Operation } from '../../src/core/request.ts';

const selector = { matchLabels: { app: 'web' } };
const web = (name: string): PodBuilder => aPod(name).labels({ app: 'web' });
const operations: readonly Operation[] = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'];

/** Which operations on the pod are refused under a budget that can spare nothing. */
function refused(spec: PodUnavailableBudgetSpec, pod = web('p'), annotations = {}): readonly Operation[] {
  const world = aWorld({ pods: [pod], pubs: [aPub('b', spec, annotations)] });
  return operations.filter((operation) => ask(world, operation, 'p').result === 'deny');
}

describe('the operations of a PUB', () => {
  const spec = { selector, minAvailable: 1 };
  table(
    [
      { name: '[U1] are DELETE, UPDATE and EVICT by default', listed: undefined, want: ['DELETE', 'UPDATE', 'EVICT'] },
      { name: '[U1] are the same for an empty list', listed: [], want: ['DELETE', 'UPDATE', 'EVICT'] },
      { name: '[U1] are those that it lists', listed: ['EVICT'], want: ['EVICT'] },
      { name: '[U1] are RESIZE only when it lists it', listed: ['RESIZE', 'DELETE'], want: ['DELETE', 'RESIZE'] },
      { name: '[U1] can be all four', listed: operations, want: operations },
    ],
    ({ listed, want }) => {
      expect(refused({ ...spec, ...(listed === undefined ? {} : { protectOperations: listed }) })).toEqual(want);
    },
  );

  it('[U1] can be listed by the annotation of v1alpha1', () => {
    expect(refused(spec, web('p'), { [annotation.pubProtectOperations]: 'DELETE, RESIZE' })).toEqual([
      'DELETE',
      'RESIZE',
    ]);
  });

  it('[U1] reserve the operation that was asked for', () => {
    const world = aWorld({
      pods: [web('p')],
      pubs: [aPub('b', { selector, minAvailable: 0, protectOperations: operations })],
    });
    for (const operation of operations) {
      expect(ask(world, operation, 'p')).toMatchObject({ effects: { reserve: { operation, uid: 'uid-p' } } });
    }
  });
});

describe('pods that a PUB leaves alone', () => {
  const spec = { selector, minAvailable: 1 };
  const noProtect = (word: string) => web('p').annotate({ [annotation.pubNoProtect]: word });

  table(
    ['true', 'True', 'TRUE', 't', 'T', '1'].map((word) => ({ name: `[U1] say no-protect: ${word}`, word })),
    ({ word }) => expect(refused(spec, noProtect(word))).toEqual([]),
  );

  table(
    ['false', '', 'yes', 'tRUE', '0', ' true'].map((word) => ({ name: `[U1] do not say no-protect: "${word}"`, word })),
    ({ word }) => expect(refused(spec, noProtect(word))).toEqual(['DELETE', 'UPDATE', 'EVICT']),
  );

  it('[U1] are those that its ignored selector matches', () => {
    const ignoring = { ...spec, ignoredPodSelector: { matchLabels: { canary: 'yes' } } };
    expect(refused(ignoring, web('p').labels({ canary: 'yes' }))).toEqual([]);
    expect(refused(ignoring, web('p').labels({ canary: 'no' }))).toEqual(['DELETE', 'UPDATE', 'EVICT']);
  });

  it('[U1] are no pods when the ignored selector is empty', () => {
    expect(refused({ ...spec, ignoredPodSelector: {} })).toEqual(['DELETE', 'UPDATE', 'EVICT']);
  });

  it('[U1] count as they are', () => {
    const lonely = noProtect('true').labels({ canary: 'yes' });
    const world = aWorld({
      pods: [lonely, web('q')],
      pubs: [aPub('b', { ...spec, ignoredPodSelector: { matchLabels: { canary: 'yes' } } })],
    });
    expect(inShort(ask(world, 'EVICT', 'q'))).toBe('allow WithinBudget');
    world.upsertPod(lonely.notReady().build());
    expect(blockersOf(ask(world, 'EVICT', 'q'))).toMatchObject([{ available: 1, desired: 1 }]);
  });
});

describe('units of a PUB with a group policy', () => {
  const index = 'leaderworkerset.sigs.k8s.io/group-index';
  const grouped = (minReadyReplicas?: number) => ({
    groupLabelKey: index,
    ...(minReadyReplicas === undefined ? {} : { minReadyReplicas }),
  });
  const member = (set: string, group: number, worker: number): PodBuilder =>
    aPod(`${set}-${group}-${worker}`).labels({ app: 'web' }).lws(set, group, worker, 2);

  it('[U2] [G4] the same index under two LeaderWorkerSets is two groups', () => {
    const world = aWorld({
      pods: [member('a', 0, 0), member('b', 0, 0)],
      pubs: [aPub('b', { selector, minAvailable: 2, podGroupPolicy: grouped() })],
    });
    expect(pubNumbers(world, 'b')?.available).toBe(2);
    expect(blockersOf(ask(world, 'EVICT', 'a-0-0'))).toMatchObject([{ unit: '0', unitKind: 'group', available: 2 }]);
  });

  it('[U2] [G4] [O3] pods without an owner share their groups', () => {
    const world = aWorld({
      pods: [web('x').labels({ [index]: '0' }), web('y').labels({ [index]: '0' })],
      pubs: [aPub('b', { selector, minAvailable: 1, podGroupPolicy: grouped() })],
    });
    expect(ask(world, 'EVICT', 'x')).toMatchObject({ charges: [{ effect: 'surplus', available: 1 }] });
  });

  it('[U2] the minimum is minReadyReplicas, and 1 without it', () => {
    const pods = [member('a', 0, 0), member('a', 0, 1), member('a', 1, 0)];
    const available = (minReady?: number) =>
      pubNumbers(
        aWorld({ pods, pubs: [aPub('b', { selector, minAvailable: 1, podGroupPolicy: grouped(minReady) })] }),
        'b',
      )?.available;
    expect([available(), available(1), available(2), available(3)]).toEqual([2, 2, 1, 1]);
  });

  it('[U2] pods without the label are units of their own', () => {
    const world = aWorld({
      pods: [member('a', 0, 0), member('a', 0, 1), web('router')],
      pubs: [aPub('b', { selector, minAvailable: 2, podGroupPolicy: grouped(2) })],
    });
    expect(blockersOf(ask(world, 'EVICT', 'router'))).toMatchObject([
      { unit: 'router', unitKind: 'pod', available: 2 },
    ]);
    expect(blockersOf(ask(world, 'EVICT', 'a-0-1'))).toMatchObject([{ unit: '0', unitKind: 'group', available: 2 }]);
    world.upsertPod(web('router').notReady().build());
    expect(pubNumbers(world, 'b')?.available).toBe(1);
  });

  it('[U2] pods without the label are units of their own, whatever a program may take its key for', () => {
    const pubs = [aPub('b', { selector, minAvailable: 2, podGroupPolicy: { groupLabelKey: 'constructor' } })];
    expect(pubNumbers(aWorld({ pods: [web('x'), web('y')], pubs }), 'b')?.available).toBe(2);
  });

  it('[U2] only selected pods belong to a group', () => {
    const world = aWorld({
      pods: [member('a', 0, 0), member('a', 0, 1).labels({ app: 'other' })],
      pubs: [aPub('b', { selector, minAvailable: 1, podGroupPolicy: grouped(2) })],
    });
    expect(pubNumbers(world, 'b')?.available).toBe(0);
    expect(inShort(ask(world, 'EVICT', 'a-0-1'))).toBe('allow NotProtected');
  });

  it('[U2] [G4] a group spans the ReplicaSets of one Deployment', () => {
    const deployment = anOwner('Deployment', 'web', 2);
    const set = (hash: string) => anOwner('ReplicaSet', `web-${hash}`, 1, { controller: refTo(deployment) });
    const world = aWorld({
      pods: ['a', 'b'].map((hash) =>
        web(`web-${hash}`)
          .labels({ [index]: '0' })
          .ownedBy(set(hash)),
      ),
      owners: [deployment, set('a'), set('b')],
      pubs: [aPub('b', { selector, minAvailable: 1, podGroupPolicy: grouped(2) })],
    });
    expect(pubNumbers(world, 'b')?.available).toBe(1);
  });

  it('[U2] [N3] with maxUnavailable and minAvailable both hold', () => {
    const pods = [0, 1, 2, 3].map((group) => member('a', group, 0));
    const owners = [anOwner('LeaderWorkerSet', 'a', 4)];
    const desired = (maxUnavailable: number, minAvailable: number) =>
      pubNumbers(
        aWorld({
          pods,
          owners,
          pubs: [aPub('b', { selector, maxUnavailable, minAvailable, podGroupPolicy: grouped() })],
        }),
        'b',
      )?.desired;
    expect([desired(1, 2), desired(3, 2)]).toEqual([3, 2]);
  });

  it('[U2] a pod that goes to another group in the view is counted there', () => {
    const world = aWorld({
      pods: [member('a', 0, 0), member('a', 1, 0)],
      pubs: [aPub('b', { selector, minAvailable: 1, podGroupPolicy: grouped(2) })],
    });
    expect(pubNumbers(world, 'b')?.available).toBe(0);
    world.upsertPod(
      member('a', 1, 0)
        .labels({ [index]: '0' })
        .build(),
    );
    expect(pubNumbers(world, 'b')?.available).toBe(1);
  });
});

describe('several PUBs', () => {
  const both = web('p').labels({ tier: 'front' });
  const tier = { matchLabels: { tier: 'front' } };

  it('[U5] each that judges the operation must agree', () => {
    const world = aWorld({
      pods: [both, web('q')],
      pubs: [aPub('a', { selector, minAvailable: 1 }), aPub('b', { selector: tier, minAvailable: 1 })],
    });
    expect(blockersOf(ask(world, 'DELETE', 'p')).map((one) => one.budget?.name)).toEqual(['b']);
    expect(inShort(ask(world, 'DELETE', 'q'))).toBe('allow WithinBudget');
  });

  it('[U5] one that does not list the operation is not asked', () => {
    const world = aWorld({
      pods: [both],
      pubs: [
        aPub('a', { selector, minAvailable: 1, protectOperations: ['DELETE'] }),
        aPub('b', { selector: tier, minAvailable: 0, protectOperations: ['EVICT'] }),
      ],
    });
    expect(ask(world, 'EVICT', 'p')).toMatchObject({ result: 'allow', charges: [{ budget: { name: 'b' } }] });
    expect(blockersOf(ask(world, 'DELETE', 'p')).map((one) => one.budget?.name)).toEqual(['a']);
    expect(inShort(ask(world, 'UPDATE', 'p'))).toBe('allow NotProtected');
  });

  it('[U5] what one of them spent is spent for all', () => {
    const world = aWorld({
      pods: [both, web('q').labels({ tier: 'front' })],
      pubs: [
        aPub('a', { selector, minAvailable: 0, protectOperations: ['DELETE'] }),
        aPub('b', { selector: tier, minAvailable: 1, protectOperations: ['EVICT'] }),
      ],
    });
    world.setLedger(ns, aLedger([aReservation('p', 'DELETE')]));
    expect(inShort(ask(world, 'EVICT', 'q'))).toBe('deny BudgetExhausted');
  });
});

describe('an UPDATE', () => {
  it('[U6] that takes the pod away is judged; one that does not and moves nothing is not', () => {
    const world = aWorld({ pods: [web('p')], pubs: [aPub('b', { selector, minAvailable: 1 })] });
    expect(inShort(ask(world, 'UPDATE', 'p', { takesAway: true }))).toBe('deny BudgetExhausted');
    expect(inShort(ask(world, 'UPDATE', 'p', { takesAway: false, after: web('p').build() }))).toBe(
      'allow NotProtected',
    );
  });
});
