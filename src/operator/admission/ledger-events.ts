import type { Logger } from '../../telemetry/log.ts';
import { type Metrics, requestBuckets } from '../../telemetry/metrics.ts';
import type { LedgerEvents } from './ledger.ts';

/** As many as one write takes at most. */
const batchBuckets: readonly number[] = [1, 2, 5, 10, 25, 50, 100, 250, 500];

function createLedgerMetrics(metrics: Metrics) {
  return {
    writes: metrics.counter({
      name: 'ledger_writes_total',
      help: 'Writes of ledgers by who wrote and how it ended; a conflict is a lost race.',
      labels: ['writer', 'outcome'],
    }),
    durations: metrics.histogram(
      { name: 'ledger_write_duration_seconds', help: 'Time that a write of a ledger took.', labels: ['writer'] },
      requestBuckets,
    ),
    batches: metrics.histogram(
      { name: 'ledger_batch_requests', help: 'Requests that were judged together and shared a write.', labels: [] },
      batchBuckets,
    ),
    reserved: metrics.counter({
      name: 'ledger_reservations_total',
      help: 'Disruptions that were reserved.',
      labels: [],
    }),
    abandoned: metrics.counter({
      name: 'ledger_reservations_abandoned_total',
      help: 'Reservations whose request was answered "not now" all the same.',
      labels: [],
    }),
    released: metrics.counter({
      name: 'ledger_reservations_released_total',
      help: 'Reservations that ended, by what was seen of their pods.',
      labels: ['reason'],
    }),
  };
}

/** What happens to ledgers, as metrics and log lines. */
export function createLedgerEvents(metrics: Metrics, log: Logger): LedgerEvents {
  const { writes, durations, batches, reserved, abandoned, released } = createLedgerMetrics(metrics);
  return {
    batch(namespace, requests, count, attempts) {
      batches.observe({}, requests);
      reserved.add({}, count);
      log.debug('disruptions judged', { namespace, requests, reserved: count, attempts });
    },
    wrote(namespace, writer, outcome, milliseconds) {
      writes.add({ writer, outcome });
      durations.observe({ writer }, milliseconds / 1_000);
      const told = { namespace, writer, outcome, milliseconds };
      if (outcome === 'failed' || outcome === 'missing') log.warn('ledger not written', told);
      else log.debug('ledger written', told);
    },
    abandoned(namespace, pod) {
      abandoned.add({});
      log.info('reservation abandoned', { namespace, pod });
    },
    released(namespace, { pod, uid, operation, time }, why) {
      released.add({ reason: why });
      log.debug('reservation released', { namespace, pod, uid, operation, reservedAt: time, why });
    },
  };
}
