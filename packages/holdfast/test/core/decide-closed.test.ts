import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import { aLedger, anOwner, aPdb, aPod, aPub, ns } from '../../../../test/support/builders.ts';
import { podsOf, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { Pod } from '../../src/api/pod.ts';
import type { Operation } from '../../src/core/request.ts';
import { collections } from '../../src/core/sync.ts';
import { World } from '../../src/core/world/world.ts';

const guarded = { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 };
const removals: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE'];

/** Three web pods of which one may be disrupted, and one unprotected pod. */
function webWorld(): World {
  return aWorld({ pods: [...podsOf('web', 3), aPod('free')], pubs: [aPub('web', guarded)] });
}

describe('a collection that was not seen whole', () => {
  for (const missing of collections) {
    it(`[I4] ${missing}: a protected pod is refused, and passes once it was seen`, () => {
      const world = new World();
      for (const one of collections) if (one !== missing) world.setSynced(one, '100');
      world.setLedger(ns, aLedger());
      for (const pod of podsOf('web', 3)) world.upsertPod(pod.build());
      world.upsertPub(aPub('web', guarded));
      for (const operation of removals) {
        const code = missing === 'ledgers' ? 'LedgerUnknown' : 'NotSynced';
        expect(inShort(ask(world, operation, 'web-0'))).toBe(`deny ${code}`);
      }
      if (missing !== 'ledgers') expect(blockersOf(ask(world, 'EVICT', 'web-0'))[0]?.message).toContain(missing);
      world.setSynced(missing, '100');
      expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
    });
  }

  it('[I4] a world that has seen nothing refuses what it does not know', () => {
    expect(inShort(ask(new World(), 'EVICT', 'web-0'))).toBe('deny NotSynced');
    expect(inShort(ask(new World(), 'DELETE', 'web-0'))).toBe('deny NotSynced');
  });

  it('[I4] a pod under no budget and without a probe passes once everything was seen', () => {
    for (const operation of removals) expect(inShort(ask(webWorld(), operation, 'free'))).toBe('allow NotProtected');
  });
});

describe('the ledger', () => {
  it('[I4] that is not known refuses protected pods and no others', () => {
    const world = new World();
    for (const one of collections) world.setSynced(one, '100');
    for (const pod of [...podsOf('web', 3), aPod('free')]) world.upsertPod(pod.build());
    world.upsertPub(aPub('web', guarded));
    for (const operation of removals) {
      expect(inShort(ask(world, operation, 'web-0'))).toBe('deny LedgerUnknown');
      expect(inShort(ask(world, operation, 'free'))).toBe('allow NotProtected');
    }
  });

  const long = '99999999999999999999';
  table<{ name: string; view: string; watermark: string; want: string }>(
    [
      { name: 'a view as new as the watermark', view: '100', watermark: '100', want: 'allow WithinBudget' },
      { name: 'a newer view', view: '101', watermark: '100', want: 'allow WithinBudget' },
      { name: 'an older view', view: '99', watermark: '100', want: 'deny CacheStale' },
      { name: 'a view with more digits', view: '100', watermark: '99', want: 'allow WithinBudget' },
      { name: 'a view that only sorts after it as text', view: '9', watermark: '10', want: 'deny CacheStale' },
      { name: 'leading zeros', view: '0100', watermark: '100', want: 'allow WithinBudget' },
      {
        name: 'older by one in the twenty-first digit',
        view: `${long}1`,
        watermark: `${long}2`,
        want: 'deny CacheStale',
      },
      { name: 'newer by one there', view: `${long}2`, watermark: `${long}1`, want: 'allow WithinBudget' },
      { name: 'a view that is no number', view: 'abc', watermark: '100', want: 'deny CacheStale' },
      { name: 'a watermark that is no number', view: '100', watermark: 'abc', want: 'deny CacheStale' },
      { name: 'two that cannot be compared', view: 'xyz', watermark: 'abc', want: 'deny CacheStale' },
    ].map((row) => ({ ...row, name: `[I4] a cache is compared with the watermark: ${row.name}` })),
    ({ view, watermark, want }) => {
      const world = webWorld();
      world.setSynced('pods', view);
      world.setLedger(ns, aLedger([], watermark));
      expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe(want);
    },
  );

  it('[I4] that is newer than the cache says so, with both versions, and lets unprotected pods go', () => {
    const world = webWorld();
    world.setLedger(ns, aLedger([], '250'));
    const [blocker] = blockersOf(ask(world, 'DELETE', 'web-0'));
    expect(blocker?.message).toContain('100');
    expect(blocker?.message).toContain('250');
    expect(inShort(ask(world, 'DELETE', 'free'))).toBe('allow NotProtected');
  });
});

describe('a pod that is not in the view', () => {
  it('[I4] cannot be evicted: it is unknown whether a probe or a budget protects it', () => {
    expect(inShort(ask(webWorld(), 'EVICT', 'web-9'))).toBe('deny PodUnknown');
    expect(inShort(ask(aWorld(), 'EVICT', 'web-9'))).toBe('deny PodUnknown');
    expect(inShort(ask(aWorld(), 'EVICT', 'web-9', { namespace: 'elsewhere' }))).toBe('deny PodUnknown');
  });

  it('[I4] cannot be deleted or updated where a PodUnavailableBudget may cover it', () => {
    for (const operation of ['DELETE', 'UPDATE'] as const)
      expect(inShort(ask(webWorld(), operation, 'web-9'))).toBe('deny PodUnknown');
  });

  it('[I4] can be deleted where there is no budget that could judge it', () => {
    expect(inShort(ask(aWorld(), 'DELETE', 'web-9'))).toBe('allow NotProtected');
  });

  it('[I4] is another one than the pod of the same name with another uid', () => {
    const verdict = ask(webWorld(), 'EVICT', 'web-0', { uid: 'uid-of-the-next' });
    expect(inShort(verdict)).toBe('deny PodUnknown');
    expect(blockersOf(verdict)[0]?.message).toContain('uid-web-0');
    expect(blockersOf(verdict)[0]?.message).toContain('uid-of-the-next');
    expect(inShort(ask(webWorld(), 'EVICT', 'web-0', { uid: 'uid-web-0' }))).toBe('allow WithinBudget');
  });
});

describe('a budget that cannot be used', () => {
  it('[P8] a PodDisruptionBudget with an annotation that cannot be read refuses the pods it selects', () => {
    const world = aWorld({
      pods: [...podsOf('web', 2), aPod('free')],
      pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 0 }, { [annotation.budgetScope]: 'Gang' })],
    });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny BudgetInvalid');
    expect(inShort(ask(world, 'EVICT', 'free'))).toBe('allow NotProtected');
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('allow NotProtected');
  });

  it('[U4] a PodUnavailableBudget whose newest spec was not processed refuses, also what costs nothing', () => {
    const world = aWorld({
      pods: [...podsOf('web', 3), aPod('web-down').labels({ app: 'web' }).notReady()],
      pubs: [{ ...aPub('web', guarded), metadata: { name: 'web', namespace: ns, generation: 2 } }],
    });
    for (const operation of removals) {
      expect(inShort(ask(world, operation, 'web-0'))).toBe('deny BudgetNotObserved');
      expect(inShort(ask(world, operation, 'web-down'))).toBe('deny BudgetNotObserved');
    }
  });

  it('[U7] a PodUnavailableBudget that cannot be read refuses the pods it names', () => {
    const world = aWorld({
      pods: [...podsOf('web', 3), aPod('free')],
      pubs: [aPub('web', { selector: guarded.selector, minAvailable: 'many' })],
    });
    for (const operation of removals) expect(inShort(ask(world, operation, 'web-0'))).toBe('deny BudgetInvalid');
    expect(inShort(ask(world, 'EVICT', 'free'))).toBe('allow NotProtected');
  });
});

describe('a pod that no budget can lose', () => {
  const gone = anOwner('Job', 'done');
  const terminating: Pod = podsOf('web', 1)[0]?.terminating().build() ?? aPod('web-0').build();
  const closed: Readonly<Record<string, (world: World) => void>> = {
    'the cache is older than the watermark': (world) => world.setLedger(ns, aLedger([], '900')),
    'the budget was not processed': (world) =>
      world.upsertPub({ ...aPub('web', guarded), metadata: { name: 'web', namespace: ns, generation: 7 } }),
    'the budget is not valid': (world) => world.upsertPub(aPub('web', { ...guarded, minAvailable: 'x' })),
    'the expected number is unknown': (world) =>
      world.upsertPub(aPub('web', { selector: guarded.selector, maxUnavailable: 1 })),
  };
  for (const [when, close] of Object.entries(closed)) {
    it(`[I4] passes also while ${when}`, () => {
      const world = aWorld({
        pods: [...podsOf('web', 3, anOwner('Job', 'web')), aPod('old').labels({ app: 'web' }).ownedBy(gone)],
        pubs: [aPub('web', guarded)],
      });
      world.setOwnerGone(gone);
      close(world);
      world.upsertPod(terminating);
      expect(inShort(ask(world, 'EVICT', 'web-1'))).toMatch(/^deny/);
      expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow Terminating');
      expect(inShort(ask(world, 'EVICT', 'old'))).toBe('allow WorkloadGone');
    });
  }

  it('[I4] passes also while nothing was seen whole and no ledger is known', () => {
    const world = new World();
    world.upsertPub(aPub('web', guarded));
    world.upsertPod(terminating);
    world.upsertPod(aPod('web-1').labels({ app: 'web' }).phase('Failed').build());
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow Terminating');
    expect(inShort(ask(world, 'DELETE', 'web-1'))).toBe('allow Finished');
  });

  it('[I4] [X1] not a pending pod: it may come up before it is deleted, and without a ledger it cannot be reserved', () => {
    const world = new World();
    world.upsertPub(aPub('web', guarded));
    world.upsertPod(aPod('web-0').labels({ app: 'web' }).phase('Pending').build());
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny NotSynced');
    for (const collection of collections) world.setSynced(collection, '100');
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny LedgerUnknown');
    world.setLedger(ns, aLedger([], '900'));
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow Pending');
  });

  it('[I4] a reserved pod passes although the cache is stale: the ledger itself says that it was allowed', () => {
    const world = webWorld();
    reserveIn(world, 'web-0');
    world.setLedger(ns, aLedger(world.namespace(ns)?.ledger?.spec?.reservations, '900'));
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow AlreadyReserved');
  });
});
