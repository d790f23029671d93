import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../src/api/ledger.ts';
import { judgeBatch } from '../../src/core/ledger/batch.ts';
import { prune } from '../../src/core/ledger/prune.ts';
import { table } from '../api/table.ts';
import { aLedger, aPod, aReservation, ns } from '../support/builders.ts';
import { pubFor } from '../support/fleet.ts';
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
} from '../support/pruning.ts';

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
      name: 'by a clock that is ahead has not passed yet',
      pod: web,
      reservation: { ...evicted, time: iso(900) },
      seconds: 600,
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
      name: 'waits anew under a new leader',
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
      name: 'is returned by a view as new as the ledger with the closing',
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

  it('[L4] a closing that was not sealed yet is as old as the ledger that holds it', () => {
    const fresh: Reservation = { ...evicted, overdue: { phase: 'closed', by: 'a', since: iso(120) } };
    const now = { pod: web, ledger: aLedger([fresh], undefined, '180') };
    expect(fateOf({ ...now, view: '179' }, 500)).toBe('kept');
    expect(fateOf({ ...now, view: '180' }, 500)).toBe('returned');
  });

  it('[L4] the write that closes does not seal, and the next one does', () => {
    const other = aReservation('other', 'EVICT', { time: iso(0) });
    const world = pruningWorld({ pod: web, ledger: aLedger([waiting, other], undefined, '160') });
    world.upsertPod(aPod('other').labels({ app: 'web' }).build());
    const { seen } = prune(world, ns, at(120), leader);
    const first = prune(world, ns, at(155), { ...leader, uptime: 35_000, seen }).ledger ?? aLedger();
    expect(first.metadata.resourceVersion).toBe('160');
    expect(first.spec?.reservations?.map((one) => one.overdue)).toEqual([
      { phase: 'closed', by: 'a', since: iso(120) },
      { phase: 'waiting', by: 'a', since: iso(155) },
    ]);
    world.setLedger(ns, { ...first, metadata: { ...first.metadata, resourceVersion: '270' } });
    world.upsertPod(aPod('other').labels({ app: 'web' }).terminating().build());
    const second = prune(world, ns, at(156), leader).ledger;
    expect(second?.spec?.reservations?.map((one) => [one.pod, one.overdue])).toEqual([
      ['web-0', { phase: 'closed', by: 'a', since: iso(120), resourceVersion: '270' }],
    ]);
  });

  it('[L4] a write for another reason seals, too', () => {
    const fresh: Reservation = { ...evicted, overdue: { phase: 'closed', by: 'a', since: iso(120) } };
    const world = pruningWorld({ pod: web, ledger: aLedger([fresh], undefined, '180') });
    world.upsertPub(pubFor('web', { minAvailable: 1 }));
    const request = { operation: 'EVICT', namespace: ns, pod: 'web-1' } as const;
    const { ledger } = judgeBatch(world, ns, [request], at(160));
    expect(ledger?.spec?.reservations?.[0]?.overdue).toMatchObject({ phase: 'closed', resourceVersion: '180' });
  });

  it('[L4] a note leaves the condition as it is', () => {
    const world = pruningWorld({ pod: web, ledger: aLedger([onCondition]) });
    const { ledger, nextCheckAt } = prune(world, ns, at(7), leader);
    expect(ledger?.spec?.reservations).toEqual([
      { ...onCondition, overdue: { phase: 'waiting', by: 'a', since: iso(7) } },
    ]);
    expect(nextCheckAt).toBe(at(42));
  });

  it('[L4] a wait is measured by a clock that nobody sets', () => {
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
    expect(prune(later, ns, at(179), { ...options, uptime: 60_999, seen })).not.toHaveProperty('ledger');
    expect(
      prune(later, ns, at(180), { ...options, uptime: 61_000, seen }).ledger?.spec?.reservations?.[0]?.overdue?.phase,
    ).toBe('closed');
  });
});
