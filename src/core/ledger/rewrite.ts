import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { compareResourceVersions } from '../resource-version.ts';

/** The next version of a ledger: other reservations, and a watermark that only rises. Overdue marks get their resourceVersion. */
export function rewrite(
  ledger: DisruptionLedger,
  reservations: readonly Reservation[],
  seen?: string,
): DisruptionLedger {
  const version = ledger.metadata.resourceVersion;
  const watermark = later(ledger.spec?.watermark, seen);
  return {
    ...ledger,
    spec: {
      reservations: reservations.map((one) => seal(one, version)),
      ...(watermark === undefined ? {} : { watermark }),
    },
  };
}

/** The mark was in a ledger that has this resourceVersion by now: whatever is as new as that is newer than the mark. */
function seal(reservation: Reservation, version: string | undefined): Reservation {
  const { overdue } = reservation;
  if (overdue === undefined || overdue.resourceVersion !== undefined || version === undefined) return reservation;
  return { ...reservation, overdue: { ...overdue, resourceVersion: version } };
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareResourceVersions(a, b) >= 0 ? a : b;
}
