import type { DisruptionLedger, Reservation } from '../../packages/holdfast/src/api/ledger.ts';
import { prune } from '../../packages/holdfast/src/core/ledger/prune.ts';
import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import { aWorld } from './a-world.ts';
import type { PodBuilder } from './builders.ts';
import { aPod, aReservation, ns } from './builders.ts';
import { podsOf, pubFor } from './fleet.ts';

const start = Date.parse('2026-03-01T12:00:00Z');
export const at = (seconds: number): number => start + seconds * 1_000;
export const iso = (seconds: number): string => new Date(at(seconds)).toISOString();

export const web = aPod('web-0').labels({ app: 'web' });
export const evicted = aReservation('web-0', 'EVICT', { time: iso(0) });
export const updated = aReservation('web-0', 'UPDATE', { time: iso(0), generation: 4 });
export const leader = { identity: 'a', uptime: 0 };
/** The leader noted two minutes after it was made that it waits for what is under way. */
export const waiting: Reservation = { ...evicted, overdue: { phase: 'waiting', by: 'a', since: iso(120) } };
/** Nothing is under way any more: whatever happened is in the pods of the resourceVersion 150. */
export const closed: Reservation = {
  ...evicted,
  overdue: { phase: 'closed', by: 'a', since: iso(120), podsVersion: '150' },
};

/** The pod web-0 (absent: it is not in view) among three others, and the ledger that speaks of it. */
export interface Now {
  readonly pod?: PodBuilder;
  readonly view?: string;
  readonly ledger: DisruptionLedger;
}

export function pruningWorld({ pod, view, ledger }: Now): World {
  const world = aWorld({
    pods: [...podsOf('web', 4).slice(1), ...(pod === undefined ? [] : [pod])],
    pubs: [pubFor('web', { minAvailable: 3 })],
  });
  world.setSynced('pods', view ?? '200');
  world.setLedger(ns, ledger);
  return world;
}

/** In a word: what becomes of the only reservation. */
export function fateOf(now: Now, seconds: number, identity = 'a'): string {
  const world = pruningWorld(now);
  // It has looked at every second since two minutes after the reservation.
  const { seen } = prune(world, ns, at(120), { identity, uptime: 120_000 });
  const options = { identity, uptime: seconds * 1_000, seen };
  const first = prune(world, ns, at(seconds), options);
  const pods = { version: '150', ledgerVersion: now.ledger.metadata.resourceVersion ?? '' };
  const { released, ledger } = first.needsPods ? prune(world, ns, at(seconds), { ...options, pods }) : first;
  const [release] = released;
  if (release !== undefined) return release.why;
  const note = ledger?.spec?.reservations?.[0]?.overdue;
  if (note === undefined) return 'kept';
  return note.phase === 'closed' ? 'closes' : `waits since ${note.since}`;
}
