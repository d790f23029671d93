import { describe, expect, it } from 'vitest';
import { anOwner, aPod, aPub, ns, type PodBuilder, refTo } from '../../../../test/support/builders.ts';
import { chainState, gone, known, ownerView, unknown, unknownNames } from '../../../../test/support/owner-view.ts';
import { table } from '../../../../test/support/table.ts';
import type { OwnerState } from '../../src/core/owner.ts';
import type { World } from '../../src/core/world/world.ts';

describe('an owner that is a Pod', () => {
  const leader = aPod('llm-0');
  const workers = anOwner('StatefulSet', 'llm-0', 1, {
    controller: { apiVersion: 'v1', kind: 'Pod', name: 'llm-0', uid: 'uid-llm-0', controller: true },
  });
  const worker = aPod('p').ownedBy(workers);
  const world = (...pods: readonly PodBuilder[]): World => {
    const one = ownerView(...pods);
    one.setOwner(workers);
    return one;
  };

  it('[O1] is known by the view of the pods, as it comes and goes', () => {
    const view = world(worker);
    const seen = [chainState(view)];
    const step = (change: () => void): void => {
      change();
      seen.push(chainState(view));
    };
    step(() => view.upsertPod(leader.build()));
    step(() => view.upsertPod(leader.terminating().build()));
    step(() => view.deletePod(ns, 'llm-0'));
    step(() => view.upsertPod(leader.uid('uid-second').build()));
    step(() => view.upsertPod(leader.build()));
    expect(seen).toEqual([gone, known, gone, gone, gone, known]);
  });

  it('[O1] is never asked for', () => {
    expect(unknownNames(world(worker))).toEqual([]);
  });

  it('[O1] leads on to its own owners', () => {
    const leaders = anOwner('StatefulSet', 'llm', 1);
    const view = world(worker, leader.ownedBy(leaders));
    expect([chainState(view), unknownNames(view)]).toEqual([unknown, ['StatefulSet llm']]);
    view.setOwner(leaders);
    expect(chainState(view)).toBe(known);
    view.setOwner({ ...leaders, deleting: true });
    expect([chainState(view), chainState(view, 'llm-0')]).toEqual([gone, gone]);
  });

  it('[O1] of another kind that is also called Pod is looked up like any other', () => {
    const strange = anOwner('Pod', 'llm-0');
    expect(unknownNames(ownerView(aPod('p').ownedBy(strange), leader))).toEqual(['Pod llm-0']);
  });
});

describe('chains without an end', () => {
  /** c1 is controlled by c2, and so on. */
  const chain = (length: number, lastController?: OwnerState): readonly OwnerState[] =>
    Array.from({ length }, (_, i) => {
      const next = i + 1 < length ? anOwner('Custom', `c${i + 2}`) : lastController;
      return anOwner('Custom', `c${i + 1}`, undefined, next === undefined ? {} : { controller: refTo(next) });
    });
  const start = aPod('p').ownedBy(anOwner('Custom', 'c1'));
  const load = (owners: readonly OwnerState[]): World => {
    const world = ownerView(start);
    for (const owner of owners) world.setOwner(owner);
    return world;
  };

  it('[O1] are followed for eight owners', () => {
    const twelve = load(chain(12));
    twelve.setOwner({ ...anOwner('Custom', 'c9'), deleting: true });
    expect(chainState(twelve)).toBe(known);
    twelve.setOwner({ ...anOwner('Custom', 'c8'), deleting: true });
    expect(chainState(twelve)).toBe(gone);
  });

  it('[O1] [U1] belong to the eighth owner, and not to the ninth', () => {
    const covers = (name: string): string => {
      const world = load(chain(12));
      world.upsertPub(
        aPub('c', { targetRef: { apiVersion: 'example.com/v1', kind: 'Custom', name }, minAvailable: 9 }),
      );
      return chainState(world);
    };
    expect([covers('c8'), covers('c9')]).toEqual(['deny BudgetExhausted', known]);
  });

  table(
    [1, 2, 3, 9, 20].map((length) => ({ name: `[O1] a cycle of ${length} is no trap`, length })),
    ({ length }) => {
      const world = load(chain(length, anOwner('Custom', 'c1')));
      expect(chainState(world)).toBe(known);
      world.setOwner({
        ...anOwner('Custom', 'c1', undefined, { controller: refTo(anOwner('Custom', 'c1')) }),
        deleting: true,
      });
      expect(chainState(world)).toBe(gone);
      world.deletePod(ns, 'p');
      expect(unknownNames(world)).toEqual([]);
    },
  );

  it('[O1] a pod that owns itself is no trap', () => {
    const world = ownerView(
      aPod('p').ownedBy({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true }),
    );
    expect(chainState(world)).toBe(known);
    world.upsertPod(
      aPod('p')
        .ownedBy({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true })
        .labels({ a: 'b' })
        .build(),
    );
    world.deletePod(ns, 'p');
    expect(unknownNames(world)).toEqual([]);
  });
});
