import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { later } from '../resource-version.ts';

/** The next version of a ledger: other reservations, and a watermark that only rises. What else it keeps stays as it is. */
export function rewrite(
  ledger: DisruptionLedger,
  reservations: readonly Reservation[],
  seen?: string,
): DisruptionLedger {
  const watermark = later(ledger.spec?.watermark, seen);
  return { ...ledger, spec: { ...ledger.spec, reservations, ...(watermark === undefined ? {} : { watermark }) } };
}
