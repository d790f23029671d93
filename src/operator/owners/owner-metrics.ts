import type { CounterMetric, GaugeMetric, Metrics } from '../../telemetry/metrics.ts';

export interface OwnerMetrics {
  readonly lookUps: CounterMetric<'result'>;
  readonly unknown: GaugeMetric<never>;
}

export function createOwnerMetrics(metrics: Metrics): OwnerMetrics {
  return {
    lookUps: metrics.counter({
      name: 'owner_lookups_total',
      help: 'Owners of pods that were looked up one by one, by what came of it.',
      labels: ['result'],
    }),
    unknown: metrics.gauge({
      name: 'owners_unknown',
      help: 'Owners that pods or budgets point at and that could not be looked up yet. Their pods are not disrupted.',
      labels: [],
    }),
  };
}
