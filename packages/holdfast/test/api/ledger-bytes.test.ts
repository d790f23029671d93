import { expect, it } from 'vitest';
import {
  type DisruptionLedger,
  maxJudges,
  maxReservations,
  maxRestarts,
  maxSizes,
  type Reservation,
} from '../../src/api/ledger.ts';

const mebibyte = 1024 * 1024;
/** What etcd takes by default, less what the API server adds: type, labels, managed fields of one writer. */
const room = 1.5 * mebibyte - 16 * 1024;
const time = '2026-01-01T00:00:00.000Z';
/** Pods of a Deployment have names of 63 characters at most, and each process adds nine. */
const identity = 'h'.repeat(72);
const version = '9'.repeat(19);

const base: Reservation = {
  pod: 'p'.repeat(253),
  uid: 'u'.repeat(36),
  operation: 'UPDATE',
  time,
  view: version,
  generation: 999_999,
  change: {
    from: version,
    restarts: Array.from(
      { length: maxRestarts },
      () => `${'c'.repeat(63)} ${'i'.repeat(14)} 99999 99 ${'d'.repeat(14)}`,
    ),
    open: true,
  },
};
const judged: Reservation = {
  ...base,
  claim: `${identity}/999999`,
  judgedBy: Array.from({ length: maxJudges }, () => 'd'.repeat(14)),
};
const waiting: Reservation = {
  ...base,
  conditional: true,
  claim: `${identity}/999999`,
  overdue: { phase: 'waiting', by: identity, since: time },
};
const closed: Reservation = {
  ...base,
  conditional: true,
  overdue: { phase: 'closed', by: identity, since: time, podsVersion: version },
};

it.each([
  { name: 'recorded budgets', reservation: judged },
  { name: 'a leader that waits', reservation: waiting },
  { name: 'a closing', reservation: closed },
])('[L3] the largest ledger fits into etcd: reservations with $name', ({ reservation }) => {
  const sizes = Array.from({ length: maxSizes }, () => ({
    group: 'g'.repeat(14),
    unit: 'v'.repeat(63),
    size: 99_999,
    emptySince: time,
  }));
  const ledger: DisruptionLedger = {
    metadata: { name: 'default', namespace: 'n'.repeat(63), resourceVersion: version, uid: 'u'.repeat(36) },
    spec: { reservations: Array.from({ length: maxReservations }, () => reservation), watermark: version, sizes },
  };
  expect(Buffer.byteLength(JSON.stringify(ledger))).toBeLessThan(room);
});
