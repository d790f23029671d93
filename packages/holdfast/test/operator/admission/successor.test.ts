import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, ns } from '../../../../../test/support/builders.ts';
import { aFirmReservation, lwsPods, pubFor } from '../../../../../test/support/fleet.ts';
import type { JudgedPod, Verdict } from '../../../src/core/verdict.ts';
import { request } from '../ledger/support/a-service.ts';
import { aBench } from '../ledger/support/bench.ts';

const successor = 'uid-of-the-successor';

/** Two groups of one pod; the first pod is reserved, by an eviction that the client repeats. */
function setup(kind: 'PDB' | 'PUB') {
  const pods = lwsPods('llm', 2, 1);
  const world = aWorld({
    pods,
    ...(kind === 'PDB' ? { pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] } : {}),
    ...(kind === 'PUB' ? { pubs: [pubFor('llm', { minAvailable: 1 })] } : {}),
  });
  const ledger = aLedger([aFirmReservation(world, 'llm-0-0')], undefined, '7');
  world.setLedger(ns, ledger);
  const deleted: JudgedPod[] = [];
  const bench = aBench({
    world,
    stored: ledger,
    takeOver: async ({ target }) => {
      deleted.push(target);
      return { kind: 'deleted' };
    },
  });
  const replace = () => {
    const [first] = pods;
    if (first !== undefined) world.upsertPod(first.uid(successor).version('120').build());
    world.setSynced('pods', '120');
  };
  return { ...bench, deleted, replace };
}

describe.each(['PDB', 'PUB'] as const)(
  '[I1] [P9] an eviction under a %s, repeated while its pod is replaced',
  (kind) => {
    it('deletes the pod that was judged, never the one that got its name', async () => {
      const { clock, service, deleted, replace } = setup(kind);
      let verdict: Verdict | undefined;
      void service.submit(request('llm-0-0'), 9_000).then((one) => {
        verdict = one;
      });
      // The ledger is being read: the reservation by which the eviction is allowed is the first pod's.
      await clock.advance(2);
      replace();
      await clock.advance(100);
      expect(verdict).toMatchObject({ result: 'allow', reason: 'AlreadyReserved' });
      expect(deleted).toEqual([{ pod: 'llm-0-0', uid: 'uid-llm-0-0' }]);
    });
  },
);

describe.each(['PDB', 'PUB'] as const)(
  '[P9] an eviction under a %s by its name alone, whose pod is replaced',
  (kind) => {
    it('is refused when it is decided again, and leaves the successor alone', async () => {
      const [first, ...others] = lwsPods('llm', 2, 1);
      const budgets =
        kind === 'PDB'
          ? { pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] }
          : { pubs: [pubFor('llm', { minAvailable: 1 })] };
      const world = aWorld({ pods: first === undefined ? others : [first, ...others], ...budgets });
      const deleted: JudgedPod[] = [];
      const bench = aBench({
        world,
        stored: aLedger([], undefined, '7'),
        pods: { read: async () => ({ kind: 'found', uid: successor, resourceVersion: '120' }) },
        takeOver: async ({ target }) => {
          deleted.push(target);
          if (deleted.length > 1 || first === undefined) return { kind: 'deleted' };
          world.upsertPod(first.uid(successor).version('120').build());
          world.setSynced('pods', '120');
          return { kind: 'moved', message: 'the UID in the precondition' };
        },
      });
      const answer = bench.service.submit(request('llm-0-0'), 9_000);
      await bench.clock.advance(100);
      expect(await answer).toMatchObject({ result: 'deny', blockers: [{ code: 'PodUnknown' }] });
      expect(deleted).toEqual([{ pod: 'llm-0-0', uid: 'uid-llm-0-0' }]);
    });
  },
);

describe.each(['PDB', 'PUB'] as const)('[P9] an eviction of a pod under a %s that is on its way out', (kind) => {
  const terminating = { operation: 'EVICT', namespace: ns, pod: 'llm-1-0' } as const;
  const ask = async (uid?: string): Promise<Verdict> => {
    const { service, world, clock } = setup(kind);
    for (const one of lwsPods('llm', 2, 1).slice(1)) world.upsertPod(one.terminating().build());
    const answer = service.submit({ ...terminating, ...(uid === undefined ? {} : { uid }) }, 9_000);
    await clock.advance(100);
    return answer;
  };

  it('passes when it is bound to that pod', async () => {
    expect(await ask('uid-llm-1-0')).toMatchObject({ result: 'allow', reason: 'Terminating' });
  });

  it('is refused when it names nothing but a name: a successor may have it by the time that the API server acts', async () => {
    expect(await ask()).toMatchObject({ result: 'deny', blockers: [{ code: 'EvictionNotPinned' }] });
  });
});
