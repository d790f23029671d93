import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { later } from '../resource-version.ts';

/** The next version of a ledger: other reservations, and a watermark that only rises. */
export function rewrite(
  ledger: DisruptionLedger,
  reservations: readonly Reservation[],
  seen?: string,
): DisruptionLedger {
  const version = ledger.metadata.resourceVersion;
  const watermark = later(ledger.spec?.watermark, seen);
  const before = ledger.spec?.reservations ?? [];
  const closed = new Set(before.filter((one) => one.overdue?.phase === 'closed').map((one) => one.uid));
  return {
    ...ledger,
    spec: {
      reservations: reservations.map((one) => (closed.has(one.uid) ? seal(one, version) : one)),
      ...(watermark === undefined ? {} : { watermark }),
    },
  };
}

/**
 * It was closed in the ledger that has this resourceVersion by now, so whatever is as new as that is newer than the closing.
 * What this very write closes is not sealed by it: the ledger's present resourceVersion is older.
 */
function seal(reservation: Reservation, version: string | undefined): Reservation {
  const { overdue } = reservation;
  if (overdue?.phase !== 'closed' || overdue.resourceVersion !== undefined || version === undefined) return reservation;
  return { ...reservation, overdue: { ...overdue, resourceVersion: version } };
}
