import { describe, expect, it } from 'vitest';
import { aLedger, ns } from '../../../../test/support/builders.ts';
import {
  at,
  closed,
  evicted,
  fateOf,
  iso,
  leader,
  type Now,
  pruningWorld,
  updated,
  waiting,
  web,
} from '../../../../test/support/pruning.ts';
import { table } from '../../../../test/support/table.ts';
import type { Reservation } from '../../src/api/ledger.ts';
import { prune } from '../../src/core/ledger/prune.ts';

const onCondition: Reservation = { ...evicted, conditional: true };

describe('a reservation whose limit has passed', () => {
  interface Row extends Omit<Now, 'ledger'> {
    readonly name: string;
    readonly reservation: Reservation;
    readonly seconds: number;
    readonly by?: string;
    readonly want: string;
  }
  const rows: readonly Row[] = [
    {
      name: 'waits, and is not released however long ago it was made',
      pod: web,
      reservation: evicted,
      seconds: 99_999,
      want: `waits since ${iso(99_999)}`,
    },
    {
      name: 'waits also while its pod is down',
      pod: web.notReady(),
      reservation: evicted,
      seconds: 120,
      want: `waits since ${iso(120)}`,
    },
    {
      name: 'waits when its time cannot be read',
      pod: web,
      reservation: { ...evicted, time: 'yesterday' },
      seconds: 1,
      want: `waits since ${iso(1)}`,
    },
    {
      name: 'waits when it was made by a clock that is a year behind',
      pod: web,
      reservation: { ...evicted, time: iso(-31_536_000) },
      seconds: 0,
      want: `waits since ${iso(0)}`,
    },
    {
      name: 'by a clock that is ahead has not passed before the leader has seen it for as long',
      pod: web,
      reservation: { ...evicted, time: iso(900) },
      seconds: 239,
      want: 'kept',
    },
    {
      name: 'waits from the start where it rests on a condition',
      pod: web,
      reservation: onCondition,
      seconds: 0,
      want: `waits since ${iso(0)}`,
    },
    {
      name: 'waits from the start, by the clock of the leader, whatever the time it was made at',
      pod: web,
      reservation: { ...onCondition, time: iso(900) },
      seconds: 1,
      by: 'b',
      want: `waits since ${iso(1)}`,
    },
    {
      name: 'waits from the start also where it is an update that is seen to have happened',
      pod: web.generation(5, 5),
      reservation: { ...updated, conditional: true },
      seconds: 30,
      want: `waits since ${iso(30)}`,
    },
    {
      name: 'that rests on a condition waits for 35 seconds',
      pod: web,
      reservation: { ...waiting, conditional: true },
      seconds: 154.999,
      want: 'kept',
    },
    {
      name: 'that rests on a condition ends without waiting when the pod is seen terminating',
      pod: web.terminating(),
      reservation: onCondition,
      seconds: 0,
      want: 'terminating',
    },
    { name: 'waits for 35 seconds', pod: web, reservation: waiting, seconds: 154.999, want: 'kept' },
    {
      name: 'closes then, although its pod serves and the view is new',
      pod: web,
      view: '900',
      reservation: waiting,
      seconds: 155,
      want: 'closes',
    },
    {
      name: 'closes also while its pod is down',
      pod: web.notReady(),
      reservation: waiting,
      seconds: 155,
      want: 'closes',
    },
    {
      name: 'starts another wait under a new leader',
      pod: web,
      reservation: waiting,
      seconds: 9_999,
      by: 'b',
      want: `waits since ${iso(9_999)}`,
    },
    {
      name: 'waits for 35 seconds from when its note was first seen, however long it took to write',
      pod: web,
      reservation: { ...evicted, overdue: { phase: 'waiting', by: 'a', since: iso(50) } },
      seconds: 154.999,
      want: 'kept',
    },
    {
      name: 'waits no longer because the time of its note cannot be read',
      pod: web,
      reservation: { ...evicted, overdue: { phase: 'waiting', by: 'a', since: 'noon' } },
      seconds: 155,
      want: 'closes',
    },
    {
      name: 'waits no longer because the clock was set back since its note was written',
      pod: web,
      reservation: { ...evicted, overdue: { phase: 'waiting', by: 'a', since: iso(20_000) } },
      seconds: 155,
      want: 'closes',
    },
    {
      name: 'is returned after the closing by a pod that serves',
      pod: web,
      reservation: closed,
      seconds: 156,
      want: 'returned',
    },
    {
      name: 'is returned by another leader as well',
      pod: web,
      reservation: closed,
      seconds: 156,
      by: 'b',
      want: 'returned',
    },
    {
      name: 'is not returned by a view older than the closing',
      pod: web,
      view: '149',
      reservation: closed,
      seconds: 9_999,
      want: 'kept',
    },
    {
      name: 'is returned by a view as new as the pods were at the closing',
      pod: web,
      view: '150',
      reservation: closed,
      seconds: 156,
      want: 'returned',
    },
    {
      name: 'is not returned by a view that cannot be compared',
      pod: web,
      view: 'abc',
      reservation: closed,
      seconds: 9_999,
      want: 'kept',
    },
    {
      name: 'is not returned by a pod that does not serve',
      pod: web.notReady(),
      reservation: closed,
      seconds: 9_999,
      want: 'kept',
    },
    {
      name: 'is not returned by a probe that says no',
      pod: web.probed('False'),
      reservation: closed,
      seconds: 9_999,
      want: 'kept',
    },
    {
      name: 'is not returned by a pod whose kubelet lags behind its spec',
      pod: web.generation(5, 4),
      reservation: closed,
      seconds: 9_999,
      want: 'kept',
    },
    {
      name: 'ends at once when the pod is seen terminating',
      pod: web.terminating(),
      reservation: waiting,
      seconds: 121,
      want: 'terminating',
    },
    { name: 'ends at once when the pod is gone', reservation: waiting, seconds: 121, want: 'gone' },
    { name: 'ends also after the closing when the pod is gone', reservation: closed, seconds: 121, want: 'gone' },
  ];
  table(
    rows.map((row) => ({ ...row, name: `[I9] [L4] ${row.name}` })),
    ({ reservation, seconds, by, want, pod, view }) => {
      const now = { ...(pod === undefined ? {} : { pod }), ...(view === undefined ? {} : { view }) };
      expect(fateOf({ ...now, ledger: aLedger([reservation], undefined, '150') }, seconds, by)).toBe(want);
    },
  );

  describe('compares versions of the pods with versions of the pods alone', () => {
    const due = { identity: 'a', uptime: 155_000 };
    /** A store that counts ledgers and pods apart, as one with an etcd for pods alone does. */
    const apart = (reservation: Reservation, ledgerVersion: string, view = '200') => {
      const world = pruningWorld({ pod: web, view, ledger: aLedger([reservation], undefined, ledgerVersion) });
      const { seen } = prune(world, ns, at(120), { identity: 'a', uptime: 120_000 });
      return { world, seen };
    };

    it.each(['7', '9000000'])(
      '[L4] closes with the version that a read of the pods gave (ledger %s)',
      (ledgerVersion) => {
        const { world, seen } = apart(waiting, ledgerVersion);
        const before = prune(world, ns, at(155), { ...due, seen });
        expect(before).toMatchObject({ needsPods: true, released: [] });
        expect(before).not.toHaveProperty('ledger');
        const pods = { version: '210', ledgerVersion };
        const { ledger } = prune(world, ns, at(155), { ...due, seen: before.seen, pods });
        const overdue = { phase: 'closed', by: 'a', since: iso(120), podsVersion: '210' };
        expect(ledger?.spec?.reservations).toMatchObject([{ overdue }]);
      },
    );

    it.each(['7', '9000000'])(
      '[L4] is released by a view as new as that, not by another (ledger %s)',
      (ledgerVersion) => {
        const older = apart(closed, ledgerVersion, '149');
        expect(prune(older.world, ns, at(156), due)).not.toHaveProperty('ledger');
        const newer = apart(closed, ledgerVersion, '150');
        expect(prune(newer.world, ns, at(156), due).released).toMatchObject([{ why: 'returned' }]);
      },
    );

    it('[L4] reads the pods for a closing that an older version noted without them', () => {
      const old = { ...evicted, overdue: { phase: 'closed', by: 'b', since: iso(120), resourceVersion: '5' } as const };
      const { world } = apart(old, '9000000');
      expect(prune(world, ns, at(500), due)).toMatchObject({ needsPods: true, released: [] });
      const { ledger } = prune(world, ns, at(500), { ...due, pods: { version: '230', ledgerVersion: '9000000' } });
      const overdue = { phase: 'closed', by: 'b', since: iso(120), podsVersion: '230' };
      expect(ledger?.spec?.reservations?.[0]?.overdue).toEqual(overdue);
    });

    it('[L4] makes nothing of a read for another version of the ledger', () => {
      const { world, seen } = apart(waiting, '8');
      const outcome = prune(world, ns, at(155), { ...due, seen, pods: { version: '210', ledgerVersion: '7' } });
      expect(outcome).toMatchObject({ needsPods: true });
      expect(outcome).not.toHaveProperty('ledger');
    });
  });

  it('[L4] a clock that is ahead holds a budget no longer than the limit after the leader saw the reservation', () => {
    const ahead: Reservation = { ...evicted, time: iso(3_600) };
    const world = pruningWorld({ pod: web, ledger: aLedger([ahead]) });
    const first = prune(world, ns, at(0), leader);
    expect(first.nextCheckAt).toBe(at(120));
    const before = prune(world, ns, at(119.9), { ...leader, uptime: 119_900, seen: first.seen });
    expect(before).not.toHaveProperty('ledger');
    const { ledger } = prune(world, ns, at(120), { ...leader, uptime: 120_000, seen: before.seen });
    expect(ledger?.spec?.reservations).toMatchObject([{ overdue: { phase: 'waiting', by: 'a' } }]);
  });

  it('[L4] a new leader measures such a reservation from when it sees it', () => {
    const ahead: Reservation = { ...evicted, time: iso(3_600) };
    const world = pruningWorld({ pod: web, ledger: aLedger([ahead]) });
    expect(prune(world, ns, at(500), { identity: 'b', uptime: 9_999_000 })).not.toHaveProperty('ledger');
  });

  describe('of a ledger from before a restore of etcd', () => {
    const world = () => {
      const late = {
        ...evicted,
        view: '900',
        overdue: { phase: 'closed', by: 'a', since: iso(0), podsVersion: '950' },
      } as const;
      return pruningWorld({ pod: web, view: '160', ledger: aLedger([late], '990', '3') });
    };

    it('[L2] asks for the pods when the ledger names versions that its view has not reached', () => {
      expect(prune(world(), ns, at(1), leader)).toMatchObject({ needsPods: true, released: [] });
    });

    it('[L2] [I9] brings down what the store has not counted up to', () => {
      const { ledger } = prune(world(), ns, at(1), { ...leader, pods: { version: '170', ledgerVersion: '3' } });
      expect(ledger?.spec).toMatchObject({
        watermark: '170',
        reservations: [{ view: '170', overdue: { podsVersion: '170' } }],
      });
    });

    it('[L2] leaves a ledger as it is whose versions exist', () => {
      const pods = { version: '990', ledgerVersion: '3' };
      expect(prune(world(), ns, at(1), { ...leader, pods })).not.toHaveProperty('ledger');
    });
  });

  it('[L4] a note leaves the condition as it is', () => {
    const world = pruningWorld({ pod: web, ledger: aLedger([onCondition]) });
    const { ledger, nextCheckAt } = prune(world, ns, at(7), leader);
    expect(ledger?.spec?.reservations).toEqual([
      { ...onCondition, overdue: { phase: 'waiting', by: 'a', since: iso(7) } },
    ]);
    expect(nextCheckAt).toBe(at(42));
  });

  it('[L4] a wait is measured by the monotonic clock', () => {
    const world = pruningWorld({ pod: web, ledger: aLedger([waiting]) });
    const { seen } = prune(world, ns, at(120), leader);
    const jumped = prune(world, ns, at(9_999), { ...leader, uptime: 34_999, seen });
    expect(jumped).not.toHaveProperty('ledger');
    expect(jumped.nextCheckAt).toBe(at(9_999) + 1);
  });

  it('[L4] other limits can be configured', () => {
    const limits = { removalSeconds: 10, updateSeconds: 5, inFlightSeconds: 60 };
    const options = { identity: 'a', uptime: 1_000, limits };
    const world = pruningWorld({ pod: web, ledger: aLedger([evicted]) });
    expect(prune(world, ns, at(9), options)).not.toHaveProperty('ledger');
    expect(prune(world, ns, at(10), options)).toMatchObject({ nextCheckAt: at(70) });
    const later = pruningWorld({ pod: web, ledger: aLedger([waiting]) });
    const { seen } = prune(later, ns, at(120), options);
    const pods = { version: '200', ledgerVersion: '1' };
    expect(prune(later, ns, at(179), { ...options, uptime: 60_999, seen })).not.toHaveProperty('ledger');
    expect(
      prune(later, ns, at(180), { ...options, uptime: 61_000, seen, pods }).ledger?.spec?.reservations?.[0]?.overdue
        ?.phase,
    ).toBe('closed');
  });
});
