import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { isAtLeast, later } from '../resource-version.ts';

/** The newest version of the pods that a ledger names. */
export function newestNamed({ spec }: DisruptionLedger): string | undefined {
  const versions = (spec?.reservations ?? []).flatMap(({ view, overdue }) => [view, overdue?.podsVersion]);
  return versions.reduce<string | undefined>((newest, one) => later(newest, one), spec?.watermark);
}

/**
 * A ledger never names a version of the pods that does not exist. After etcd was restored from a backup it may: then no view would
 * reach its watermark before the store has counted up to it again. `podsVersion` comes from a consistent read made after this ledger was
 * seen, so whatever is above it is from before the restore, and means "everything that is in the store now".
 */
export function lowered(ledger: DisruptionLedger, podsVersion: string): DisruptionLedger {
  const newest = newestNamed(ledger);
  if (newest === undefined || isAtLeast(podsVersion, newest)) return ledger;
  const low = (version: string): string => (isAtLeast(podsVersion, version) ? version : podsVersion);
  const { watermark, reservations = [] } = ledger.spec ?? {};
  return {
    ...ledger,
    spec: {
      ...ledger.spec,
      reservations: reservations.map((one) => lowerOne(one, low)),
      ...(watermark === undefined ? {} : { watermark: low(watermark) }),
    },
  };
}

function lowerOne(reservation: Reservation, low: (version: string) => string): Reservation {
  const { view, overdue } = reservation;
  const note = overdue?.podsVersion === undefined ? overdue : { ...overdue, podsVersion: low(overdue.podsVersion) };
  return { ...reservation, view: low(view), ...(note === undefined ? {} : { overdue: note }) };
}
