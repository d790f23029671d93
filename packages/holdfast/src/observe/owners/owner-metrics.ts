import type { CounterMetric, GaugeMetric, Metrics } from '../../telemetry/metrics.ts';

export interface OwnerMetrics {
  readonly lookUps: CounterMetric<'result'>;
  readonly unknown: GaugeMetric<never>;
}

export function createOwnerMetrics(metrics: Metrics): OwnerMetrics {
  return {
    lookUps: metrics.counter({
      name: 'owner_lookups_total',
      help: 'Owners of pods that were read one by one, by result.',
      labels: ['result'],
    }),
    unknown: metrics.gauge({
      name: 'owners_unknown',
      help: 'Owners of pods, or targets of budgets, that could not be read yet. Protected pods that depend on them are refused.',
      labels: [],
    }),
  };
}
