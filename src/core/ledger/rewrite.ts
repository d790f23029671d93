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

/**
 * The ledger without the reservations of these requests, which were refused after they had reserved, and whose disruptions are certain
 * not to happen (L7). Undefined: it holds none of them. No watermark rises: nothing was seen to go, and the pods that count again stay.
 */
export function withdraw(ledger: DisruptionLedger, claims: ReadonlySet<string>): DisruptionLedger | undefined {
  const all = ledger.spec?.reservations ?? [];
  const kept = all.filter(({ claim }) => claim === undefined || !claims.has(claim));
  return kept.length === all.length ? undefined : rewrite(ledger, kept);
}
