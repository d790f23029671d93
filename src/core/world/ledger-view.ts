import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import type { NamespaceState } from './namespace-state.ts';
import { firmness, type PodRecord } from './pod-record.ts';

/** The ledger as it was last read or written. What was reserved only in the mind (a batch that lost its race) is undone by it. */
export function setReservations(state: NamespaceState, ledger: DisruptionLedger): void {
  state.ledger = ledger;
  state.groups.setKeptSizes(new Map((ledger.spec?.sizes ?? []).map(({ group, size }) => [group, size])));
  const next = new Map((ledger.spec?.reservations ?? []).map((one) => [one.uid, one]));
  for (const [uid, reservation] of state.reservations) if (!next.has(uid)) unreserve(state, reservation);
  for (const reservation of next.values()) reserve(state, reservation);
}

export function reserve(state: NamespaceState, reservation: Reservation): void {
  const present = state.reservations.get(reservation.uid);
  state.reservations.set(reservation.uid, reservation);
  if (firmness(present) !== firmness(reservation)) mark(state, reservation, firmness(reservation));
}

export function unreserve(state: NamespaceState, reservation: Reservation): void {
  state.reservations.delete(reservation.uid);
  mark(state, reservation, undefined);
}

function mark(state: NamespaceState, { pod, uid }: Reservation, reserved: PodRecord['reserved']): void {
  const record = state.pods.get(pod);
  if (record === undefined || record.uid !== uid) return;
  state.recount(record, () => {
    record.reserved = reserved;
  });
}
