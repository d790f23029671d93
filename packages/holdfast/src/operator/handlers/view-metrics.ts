import { type Collection, collections } from '../../core/sync.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface ViewState {
  /** By what is watched: seconds since it was last known to be current. Infinity: never. */
  readonly ages: ReadonlyMap<string, number>;
  /** Up to which resourceVersion each collection has been seen; undefined: not whole yet. */
  readonly versionOf: (collection: Collection) => string | undefined;
  readonly leads: boolean;
}

/** @param read the current state, called at each scrape */
export function createViewMetrics(metrics: Metrics, read: () => ViewState): void {
  const age = metrics.gauge({
    name: 'view_age_seconds',
    help: 'Time since the view of a collection was last known to be current; +Inf before the first list.',
    labels: ['collection'],
  });
  const synced = metrics.gauge({
    name: 'view_synced',
    help: '1 when a collection that decisions need has been listed completely.',
    labels: ['collection'],
  });
  const version = metrics.gauge({
    name: 'view_resource_version',
    help: 'The resourceVersion up to which a replica has seen a collection. The replica with the lowest number lags.',
    labels: ['collection'],
  });
  const leader = metrics.gauge({ name: 'leader', help: '1 on the replica that is the leader.', labels: [] });
  metrics.beforeRender(() => {
    const { ages, versionOf, leads } = read();
    for (const [collection, seconds] of ages) age.set({ collection }, seconds);
    for (const collection of collections) {
      const seen = versionOf(collection);
      synced.set({ collection }, seen === undefined ? 0 : 1);
      if (seen !== undefined) version.set({ collection }, Number(seen));
    }
    leader.set({}, leads ? 1 : 0);
  });
}
