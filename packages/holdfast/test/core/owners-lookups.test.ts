import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pubNumbers } from '../../../../test/support/a-world.ts';
import { aDeployment, anOwner, aPod, aPub, ns, refTo } from '../../../../test/support/builders.ts';
import { chainState, gone, known, ownerView, unknown, unknownNames } from '../../../../test/support/owner-view.ts';
import { table } from '../../../../test/support/table.ts';
import type { OwnerState } from '../../src/core/owner.ts';
import type { World } from '../../src/core/world/world.ts';

const first = anOwner('StatefulSet', 'db', 3, { uid: 'uid-1', resourceVersion: '10' });
const second: OwnerState = { ...first, uid: 'uid-2', resourceVersion: '20' };
const ofDb = aPub('c', { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' }, maxUnavailable: 1 });
const podOf = (owner: OwnerState, name = 'p') => aPod(name).ownedBy(owner);

describe('what a watch shows of an owner', () => {
  interface Row {
    readonly name: string;
    readonly steps: (world: World) => void;
    readonly want: readonly string[];
  }
  const rows: readonly Row[] = [
    {
      name: '[O1] makes it known',
      steps: (w) => w.observeOwner(second),
      want: [unknown, known],
    },
    {
      name: '[O1] [I4] says nothing about another uid of its name, which may be newer than what the watch shows',
      steps: (w) => w.observeOwner(first),
      want: [known, unknown],
    },
    {
      name: '[O1] leaves alone what a look-up said of others',
      steps: (w) => {
        w.setOwner(second);
        w.observeOwner(second);
      },
      want: [gone, known],
    },
    {
      name: '[O1] shows that it is being deleted',
      steps: (w) => w.observeOwner({ ...second, deleting: true }),
      want: [unknown, gone],
    },
    {
      name: '[O1] does not go back behind what a look-up found',
      steps: (w) => {
        w.setOwner({ ...second, resourceVersion: '21' });
        w.observeOwner({ ...second, deleting: true });
      },
      want: [gone, known],
    },
    {
      name: '[O1] does not bring it back, when a look-up found it gone',
      steps: (w) => {
        w.setOwnerGone(second);
        w.observeOwner(second);
      },
      want: [gone, gone],
    },
  ];
  table(rows, ({ steps, want }) => {
    const world = ownerView(podOf(first, 'old'), podOf(second, 'new'));
    steps(world);
    expect(['old', 'new'].map((name) => chainState(world, name))).toEqual(want);
  });

  it('[O1] is told apart from what changes nothing', () => {
    const world = ownerView(podOf(first));
    const steps = [
      first,
      first,
      { ...first, resourceVersion: '11' },
      { ...first, resourceVersion: '12', replicas: 4 },
      { ...first, resourceVersion: '11', replicas: 5 },
      { ...first, resourceVersion: '13', replicas: 4, controller: refTo(anOwner('Postgres', 'pg')) },
    ];
    expect(steps.map((step) => world.observeOwner(step))).toEqual([true, false, false, true, false, true]);
    expect(unknownNames(world)).toEqual(['Postgres pg']);
  });

  it('[U3] changes the numbers of budgets, also when only its version is new', () => {
    const world = ownerView(podOf(first));
    world.upsertPub(ofDb);
    const expected = [first, { ...first, resourceVersion: '11' }, { ...first, resourceVersion: '12', replicas: 7 }].map(
      (step) => {
        world.observeOwner(step);
        return pubNumbers(world, 'c')?.expected;
      },
    );
    expect(expected).toEqual([3, 3, 7]);
  });

  it('[O1] of an owner that is known by name only is the newest object of that name', () => {
    const world = ownerView();
    world.upsertPub(ofDb);
    const expected = (change: () => void): number | undefined => {
      change();
      return pubNumbers(world, 'c')?.expected;
    };
    const seen = [
      expected(() => world.setOwner({ ...second, replicas: 5 })),
      expected(() => world.observeOwner({ ...first, resourceVersion: '15', replicas: 1 })),
      expected(() => world.observeOwner({ ...second, resourceVersion: '25', replicas: 6 })),
    ];
    expect(seen).toEqual([5, 5, 6]);
  });
});

describe('a look-up that takes time', () => {
  const name = { apiVersion: 'apps/*', kind: 'StatefulSet', namespace: ns, name: 'db' };

  it('[O1] [I4] that found nothing says nothing about an owner that came meanwhile', () => {
    const world = ownerView(podOf(first, 'old'));
    const lookup = world.beginLookup(name);
    world.upsertPod(podOf(second, 'new').build());
    expect(world.endLookup(lookup, undefined)).toBe(false);
    expect([chainState(world, 'old'), chainState(world, 'new')]).toEqual([gone, unknown]);
    expect(world.endLookup(world.beginLookup(name), second)).toBe(true);
    expect([chainState(world, 'old'), chainState(world, 'new')]).toEqual([gone, known]);
  });

  it('[O1] [I4] that found another uid says nothing about an owner that came meanwhile', () => {
    const world = ownerView(podOf(first, 'old'));
    const lookup = world.beginLookup(name);
    world.upsertPod(podOf(second, 'new').build());
    expect(world.endLookup(lookup, first)).toBe(false);
    expect([chainState(world, 'old'), chainState(world, 'new')]).toEqual([known, unknown]);
  });

  it('[O1] that found an owner which came meanwhile is good for both', () => {
    const world = ownerView(podOf(first, 'old'));
    const lookup = world.beginLookup(name);
    world.upsertPod(podOf(second, 'new').build());
    expect(world.endLookup(lookup, second)).toBe(true);
    expect([chainState(world, 'old'), chainState(world, 'new')]).toEqual([gone, known]);
  });

  it('[O1] [I4] that found nothing does not undo what a watch showed meanwhile', () => {
    const world = ownerView(podOf(first));
    const lookup = world.beginLookup(name);
    world.observeOwner(first);
    expect(world.endLookup(lookup, undefined)).toBe(false);
    expect(chainState(world)).toBe(known);
  });

  it('[O1] does not bring back what a watch showed to be over', () => {
    const world = ownerView(podOf(first));
    const lookup = world.beginLookup(name);
    world.observeOwner({ ...first, resourceVersion: '12', deleting: true });
    expect(world.endLookup(lookup, first)).toBe(true);
    expect(chainState(world)).toBe(gone);
  });

  const lws = (replicas: number, uid: string): OwnerState => anOwner('LeaderWorkerSet', 'llm', replicas, { uid });
  const groups = (world: World): number | undefined => pubNumbers(world, 'c')?.expected;
  const grouped = aPub('c', {
    selector: { matchLabels: { app: 'x' } },
    maxUnavailable: 1,
    podGroupPolicy: { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index' },
  });
  const leader = (name: string, group: number) => aPod(name).labels({ app: 'x' }).lws('llm', group, 0, 1);

  it('[O1] [O3] [I4] that found nothing says nothing about a name that another pod refers to since', () => {
    const world = ownerView(leader('p', 0));
    world.upsertPub(grouped);
    const lookup = world.beginLookup(lws(2, 'a'));
    world.upsertPod(leader('q', 1).build());
    expect(world.endLookup(lookup, undefined)).toBe(false);
    expect(unknownNames(world)).toEqual(['LeaderWorkerSet llm']);
    expect(world.endLookup(world.beginLookup(lws(2, 'a')), undefined)).toBe(true);
    expect([unknownNames(world), groups(world)]).toEqual([[], 2]);
    world.observeOwner(lws(4, 'b'));
    expect(groups(world)).toBe(4);
  });

  it('[O1] of an owner that no pod refers to any more is no trap', () => {
    const world = ownerView(podOf(first));
    const lookup = world.beginLookup(name);
    world.deletePod(ns, 'p');
    expect(world.endLookup(lookup, undefined)).toBe(true);
    expect(world.ownersOf(name)).toEqual([]);
  });
});

describe('an owner that is gone', () => {
  it('[O1] is forgotten with the last pod, and looked up again for the next, which is refused until then', () => {
    const world = ownerView(podOf(first));
    world.setOwnerGone(first);
    expect(chainState(world)).toBe(gone);
    world.deletePod(ns, 'p');
    world.upsertPod(podOf(first).build());
    expect([chainState(world), unknownNames(world)]).toEqual([unknown, ['StatefulSet db']]);
    expect(world.endLookup(world.beginLookup(first), undefined)).toBe(true);
    expect([chainState(world), unknownNames(world)]).toEqual([gone, []]);
  });
});

describe('owners that are remembered outside of the world', () => {
  const [web, webSet] = aDeployment('web', 3) as [OwnerState, OwnerState];

  function remembered(owners: readonly OwnerState[]): { world: World; asked: string[] } {
    const asked: string[] = [];
    const world = ownerView();
    world.consultOwners((namespace, group, kind, name) => {
      asked.push(`${namespace} ${group} ${kind} ${name}`);
      return owners.find((one) => one.kind === kind && one.name === name && one.namespace === namespace);
    });
    return { world, asked };
  }

  it('[O1] are known as soon as a pod points at them, up to the last of the chain', () => {
    const { world, asked } = remembered([web, webSet]);
    world.upsertPod(podOf(webSet).build());
    expect([chainState(world), unknownNames(world)]).toEqual([known, []]);
    expect(asked).toEqual([`${ns} apps ReplicaSet web-a`, `${ns} apps Deployment web`]);
  });

  it('[O1] [I4] are unknown under another uid', () => {
    const { world } = remembered([{ ...webSet, uid: 'uid-old' }]);
    world.upsertPod(podOf(webSet).build());
    expect(chainState(world)).toBe(unknown);
  });

  it('[O1] are asked for in namespaces that come later, too', () => {
    const far = { ...webSet, namespace: 'far', controller: { ...refTo(web) } };
    const { world } = remembered([far, { ...web, namespace: 'far' }]);
    world.upsertPod(podOf(far).in('far').build());
    expect(unknownNames(world)).toEqual([]);
  });

  it('[O1] are not remembered twice: a look-up is forgotten with the last pod', () => {
    const { world } = remembered([]);
    world.upsertPod(podOf(first).build());
    world.setOwner(first);
    expect(chainState(world)).toBe(known);
    world.deletePod(ns, 'p');
    world.upsertPod(podOf(first).build());
    expect(chainState(world)).toBe(unknown);
    world.deletePod(ns, 'p');
    world.setOwner(first);
    world.upsertPod(podOf(first).build());
    expect(chainState(world)).toBe(unknown);
  });

  it('[O1] are taken from the memory with the newest state', () => {
    const { world } = remembered([{ ...first, resourceVersion: '9', deleting: true }]);
    world.upsertPod(podOf(first, 'a').build());
    expect(chainState(world, 'a')).toBe(gone);
    world.setOwner(first);
    world.upsertPub(ofDb);
    expect(pubNumbers(world, 'c')?.expected).toBe(3);
  });
});

describe('the owners that were not looked up', () => {
  it('[O1] are the nodes that are neither known nor gone, after any story', () => {
    const names = ['a', 'b'] as const;
    const uids = ['1', '2'] as const;
    const owner = fc.record({
      name: fc.constantFrom(...names),
      uid: fc.constantFrom(...uids),
      version: fc.integer({ min: 1, max: 9 }),
      controller: fc.option(fc.constantFrom(...names), { nil: undefined }),
    });
    const step = fc.record({
      kind: fc.constantFrom('point', 'leave', 'found', 'gone', 'shown'),
      pod: fc.constantFrom('p', 'q'),
      owner,
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const world = ownerView();
        for (const { kind, pod, owner: wish } of steps) {
          const state = anOwner('Custom', wish.name, 1, {
            uid: wish.uid,
            resourceVersion: String(wish.version),
            ...(wish.controller === undefined
              ? {}
              : { controller: { ...refTo(anOwner('Custom', wish.controller)), uid: wish.uid } }),
          });
          if (kind === 'point') world.upsertPod(podOf(state, pod).build());
          else if (kind === 'leave') world.deletePod(ns, pod);
          else if (kind === 'found') world.setOwner(state);
          else if (kind === 'gone') world.setOwnerGone(state);
          else world.observeOwner(state);
          const listed = [...world.unknownOwners()].map((one) => `${one.name}/${one.uid}`).sort();
          const walked = names.flatMap((name) =>
            world
              .ownersOf(anOwner('Custom', name))
              .filter((node) => node.state === 'unknown')
              .map((node) => `${name}/${node.uid}`),
          );
          expect(listed).toEqual(walked.sort());
        }
      }),
    );
  });
});
