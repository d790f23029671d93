import type { ClusterFacts } from '../../../src/cli/ui/overview/overview.ts';

/** What a model says that does not come from the world, where nothing is wrong. */
export function surroundings(more: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    cluster: { server: 'https://cluster', namespaces: [], version: '0.0.0' },
    operator: { state: 'ok', checks: [] },
    data: { kind: 'live' },
    gaps: [],
    remarks: [],
    recordedSince: 0,
    hidden: { everything: false, codes: new Set() },
    isRead: true,
    refusals: [],
    ...more,
  };
}
