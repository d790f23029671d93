import { type Collection, collections } from '../../core/sync.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface ViewState {
  /** By what is watched: seconds since the server last showed that it is current. Infinity: never. */
  readonly ages: ReadonlyMap<string, number>;
  /** What has not been seen whole yet. */
  readonly missing: readonly Collection[];
  readonly leads: boolean;
}

/** @param read what is so now, asked for whenever somebody looks at the metrics */
export function createViewMetrics(metrics: Metrics, read: () => ViewState): void {
  const age = metrics.gauge({
    name: 'view_age_seconds',
    help: 'Time since the API server last showed that the view of a collection is current; +Inf before it ever did.',
    labels: ['collection'],
  });
  const synced = metrics.gauge({
    name: 'view_synced',
    help: '1 when a collection that verdicts need has been seen whole.',
    labels: ['collection'],
  });
  const leader = metrics.gauge({ name: 'leader', help: '1 on the replica that leads.', labels: [] });
  metrics.beforeRender(() => {
    const { ages, missing, leads } = read();
    for (const [collection, seconds] of ages) age.set({ collection }, seconds);
    for (const collection of collections) synced.set({ collection }, missing.includes(collection) ? 0 : 1);
    leader.set({}, leads ? 1 : 0);
  });
}
