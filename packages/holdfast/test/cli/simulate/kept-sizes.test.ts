import { describe, expect, it } from 'vitest';
import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { isFinished } from '../../../src/cli/simulate/simulation-result.ts';
import { digest } from '../../../src/core/digest.ts';
import { node, object, simulated } from './snapshots.ts';

const containers = [{ name: 'main', image: 'app:1' }];

/** Pods that no controller replaces, by shard. */
const bare = (shard: string, nodeName: string, count: number): readonly LoadedObject[] =>
  Array.from({ length: count }, (_, i) =>
    object(
      'v1',
      'Pod',
      `${shard}-${i}`,
      {
        spec: { nodeName, containers },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
      { uid: `pod-${shard}-${i}`, labels: { app: 'web', shard } },
    ),
  );

const budget = object(
  'policy/v1',
  'PodDisruptionBudget',
  'shards',
  { spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 } },
  { annotations: { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' } },
);

/** As the leader wrote it, with what was under way when the snapshot was taken. */
const ledger = object(
  'holdfast.dev/v1alpha1',
  'DisruptionLedger',
  'default',
  {
    spec: {
      watermark: '999999',
      reservations: [{ pod: 'b-1', uid: 'pod-b-1', operation: 'EVICT', time: '2026-10-01T00:00:00Z', view: '999998' }],
      sizes: [{ group: digest('label/shard/|a'), unit: 'a', size: 4 }],
    },
  },
  { resourceVersion: '1000000' },
);

describe('a snapshot with a ledger', () => {
  const shop = [node('n1'), node('n2'), ...bare('a', 'n1', 3), ...bare('b', 'n2', 2), budget];

  it('[M6] [G5] without it the group with a missing pod looks whole: the other may go', async () => {
    expect(isFinished(await simulated(shop, ['drain', 'n2']))).toBe(true);
  });

  it('[M6] [G5] is simulated with the sizes of groups that it keeps: the group with a missing pod is down, and the other stays', async () => {
    const result = await simulated([...shop, ledger], ['drain', 'n2']);
    expect(isFinished(result)).toBe(false);
    expect(result.unfinished.map(({ why }) => why).join()).toContain('needs 1 available group and has 1');
    expect(result.budgets).toMatchObject([{ unit: 'group', available: 1, desired: 1, lowest: 1 }]);
    expect(result.groups).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  });
});
