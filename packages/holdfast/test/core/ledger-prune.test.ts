import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { aLedger, aReservation, ns } from '../../../../test/support/builders.ts';
import {
  at,
  closed,
  evicted,
  fateOf,
  iso,
  leader,
  pruningWorld,
  updated,
  waiting,
  web,
} from '../../../../test/support/pruning.ts';
import { table } from '../../../../test/support/table.ts';
import type { Reservation } from '../../src/api/ledger.ts';
import { prune } from '../../src/core/ledger/prune.ts';
import { World } from '../../src/core/world/world.ts';

describe('a reservation whose pod is seen', () => {
  table<{ name: string; pod?: PodBuilder; view?: string; want: string }>(
    [
      { name: 'terminating', pod: web.terminating(), want: 'terminating' },
      { name: 'gone', want: 'gone' },
      { name: 'replaced by another of its name', pod: web.uid('uid-next'), want: 'gone' },
      { name: 'alive', pod: web, want: 'kept' },
      { name: 'alive and not ready', pod: web.notReady(), want: 'kept' },
      { name: 'gone, in the very view of the verdict', view: '100', want: 'gone' },
      { name: 'not yet, in a view older than that of the verdict', view: '99', want: 'kept' },
      {
        name: 'not yet, in an older view with another of its name',
        pod: web.uid('uid-before'),
        view: '99',
        want: 'kept',
      },
      { name: 'not yet, in a view that cannot be compared', view: 'abc', want: 'kept' },
      { name: 'terminating, in an older view', pod: web.terminating(), view: '99', want: 'terminating' },
    ].map((row) => ({ ...row, name: `[I9] ${row.name}: ${row.want}` })),
    ({ want, ...now }) => {
      for (const reservation of [evicted, updated]) {
        expect(fateOf({ ...now, ledger: aLedger([reservation]) }, 5)).toBe(want);
      }
    },
  );

  it('[I9] is not pruned by a leader that has not seen the pods or the ledger', () => {
    const blind = new World();
    blind.setLedger(ns, aLedger([evicted]));
    const nothing = { released: [], seen: new Map(), noted: false, needsPods: false };
    expect(prune(blind, ns, at(9_999), leader)).toEqual(nothing);
    expect(prune(aWorld(), 'elsewhere', at(9_999), leader)).toEqual(nothing);
  });

  it('[I9] frees the budget once the ledger without it is set', () => {
    const world = pruningWorld({ pod: web, ledger: aLedger([evicted]) });
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
    world.deletePod(ns, 'web-0');
    const { ledger } = prune(world, ns, at(5), leader);
    world.setLedger(ns, ledger ?? aLedger());
    expect(ledger?.spec?.reservations).toEqual([]);
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
    world.upsertPod(web.uid('uid-next').build());
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('allow WithinBudget');
  });
});

describe('an update of which nothing is recorded', () => {
  const happened = web.generation(5, 5);
  table<{ name: string; pod: PodBuilder; seconds: number; reservation?: Reservation; want: string }>(
    [
      { name: 'is kept until its limit', pod: happened, seconds: 19.999, want: 'kept' },
      { name: 'waits then, whatever the generation says', pod: happened, seconds: 20, want: 'waits' },
      { name: 'waits, seen or not', pod: web.generation(4, 4), seconds: 20, want: 'waits' },
      {
        name: 'without a generation waits, too',
        pod: happened,
        seconds: 20,
        reservation: aReservation('web-0', 'UPDATE', { time: iso(0) }),
        want: 'waits',
      },
      {
        name: 'is no evidence for an eviction',
        pod: happened,
        seconds: 500,
        reservation: { ...evicted, generation: 4 },
        want: 'waits',
      },
    ].map((row) => ({ ...row, name: `[L4] ${row.name}` })),
    ({ pod, seconds, want, reservation }) =>
      expect(fateOf({ pod, ledger: aLedger([reservation ?? updated]) }, seconds).split(' ')[0]).toBe(want),
  );
});

describe('the pruned ledger', () => {
  table<{ name: string; view: string; before: string | undefined; want: string }>(
    [
      { name: 'gets the view that saw it', view: '200', before: undefined, want: '200' },
      { name: 'rises', view: '200', before: '199', want: '200' },
      { name: 'does not fall', view: '200', before: '300', want: '300' },
      { name: 'rises by number, not by text', view: '1000', before: '999', want: '1000' },
    ].map((row) => ({ ...row, name: `[L2] its watermark ${row.name}` })),
    ({ view, before, want }) => {
      const { ledger } = prune(pruningWorld({ view, ledger: aLedger([evicted], before) }), ns, at(5), leader);
      expect(ledger?.spec?.watermark).toBe(want);
    },
  );

  it('[L2] keeps its watermark when nothing is released', () => {
    const { ledger } = prune(pruningWorld({ pod: web, ledger: aLedger([evicted], '120') }), ns, at(120), leader);
    expect(ledger?.spec?.watermark).toBe('120');
    const unmarked = prune(pruningWorld({ pod: web, ledger: aLedger([evicted]) }), ns, at(120), leader);
    expect(unmarked.ledger?.spec).not.toHaveProperty('watermark');
  });

  it('[L1] keeps what is not its business, and names the version to compare with', () => {
    const other = aReservation('web-1', 'DELETE', { time: iso(0) });
    const { released, ledger } = prune(
      pruningWorld({ ledger: aLedger([evicted, other], undefined, '77') }),
      ns,
      at(5),
      leader,
    );
    expect(released.map((one) => one.reservation)).toEqual([evicted]);
    expect(ledger?.spec?.reservations).toEqual([other]);
    expect(ledger?.metadata.resourceVersion).toBe('77');
  });

  table<{
    name: string;
    reservations: readonly Reservation[];
    seconds: number;
    view?: string;
    want: number | undefined;
  }>(
    [
      { name: 'when a limit passes', reservations: [evicted], seconds: 5, want: at(120) },
      {
        name: 'when the first of several passes',
        reservations: [evicted, aReservation('web-1', 'UPDATE', { time: iso(3) })],
        seconds: 5,
        want: at(23),
      },
      { name: 'when a new wait is over', reservations: [evicted], seconds: 130, want: at(165) },
      {
        name: 'when an old wait is over that is seen for the first time',
        reservations: [waiting],
        seconds: 130,
        want: at(165),
      },
      { name: 'never, when only the pods can tell', reservations: [closed], seconds: 9, view: '9', want: undefined },
      { name: 'never, when there is nothing to wait for', reservations: [], seconds: 5, want: undefined },
    ].map((row) => ({ ...row, name: `[L4] says when to look again: ${row.name}` })),
    ({ reservations, seconds, view, want }) => {
      const world = pruningWorld({ pod: web, view: view ?? '200', ledger: aLedger(reservations, undefined, '150') });
      expect(prune(world, ns, at(seconds), leader).nextCheckAt).toBe(want);
    },
  );
});
