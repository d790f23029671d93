import { describe, expect, it } from 'vitest';
import { type FilterOptions, selectPods } from '../../../src/cli/drain/filters.ts';
import { type ListedPod, listedPodProjection } from '../../../src/cli/drain/listed-pod.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const strict: FilterOptions = { force: false, ignoreDaemonsets: false, deleteEmptydirData: false };
const lax: FilterOptions = { force: true, ignoreDaemonsets: true, deleteEmptydirData: true };
const owner = (kind: string) => [{ apiVersion: 'apps/v1', kind, name: 'set', uid: 'u', controller: true }];

/** As the API server sends it. */
function listed(wish: { readonly metadata?: object; readonly spec?: object; readonly phase?: string } = {}): ListedPod {
  return listedPodProjection()({
    metadata: { name: 'p', namespace: 'ns', uid: 'uid-p', ownerReferences: owner('ReplicaSet'), ...wish.metadata },
    spec: { nodeName: 'n1', ...wish.spec },
    status: { phase: wish.phase ?? 'Running' },
  });
}

const volumes = [{ name: 'scratch', emptyDir: {} }];
const daemon = { ownerReferences: owner('DaemonSet') };
const alone = { ownerReferences: [] };

function outcome(pod: ListedPod, options: FilterOptions, daemonSet = true): string {
  const { evicted, notes, refusals } = selectPods([pod], options, { now, hasDaemonSet: () => daemonSet });
  const [refusal] = [...(refusals.get('n1')?.keys() ?? [])];
  if (refusal !== undefined) return `refuse: ${refusal}`;
  const [note] = [...notes.keys()];
  return `${evicted.length === 1 ? 'evict' : 'leave'}${note === undefined ? '' : `: ${note}`}`;
}

const emptyDir = 'refuse: emptyDir data would be lost (use --delete-emptydir-data)';
const unmanaged = 'refuse: no controller; would not be recreated (use --force)';

describe('the pods that a drain takes, as kubectl drain chooses them', () => {
  it.each([
    ['of a ReplicaSet', listed(), 'evict', 'evict'],
    ['with an emptyDir volume', listed({ spec: { volumes } }), emptyDir, 'evict'],
    ['with other volumes', listed({ spec: { volumes: [{ name: 'v', configMap: {} }] } }), 'evict', 'evict'],
    ['finished, with an emptyDir volume', listed({ spec: { volumes }, phase: 'Succeeded' }), 'evict', 'evict'],
    ['without a controller', listed({ metadata: alone }), unmanaged, 'evict: no controller; will not be recreated'],
    [
      'of an owner that does not control it',
      listed({ metadata: { ownerReferences: [{ ...owner('ReplicaSet')[0], controller: false }] } }),
      unmanaged,
      'evict: no controller; will not be recreated',
    ],
    ['without a controller, failed', listed({ metadata: alone, phase: 'Failed' }), 'evict', 'evict'],
    [
      'without a controller, with an emptyDir volume',
      listed({ metadata: alone, spec: { volumes } }),
      emptyDir,
      'evict: no controller; will not be recreated',
    ],
    [
      'of a DaemonSet',
      listed({ metadata: daemon, spec: { volumes } }),
      'refuse: of a DaemonSet; would be recreated at once (use --ignore-daemonsets)',
      'leave: of a DaemonSet; stays on its node',
    ],
    ['of a DaemonSet, finished', listed({ metadata: daemon, phase: 'Succeeded' }), 'evict', 'evict'],
    [
      "the kubelet's own",
      listed({ metadata: { ...alone, annotations: { 'kubernetes.io/config.mirror': 'x' } }, spec: { volumes } }),
      'leave',
      'leave',
    ],
    ['terminating', listed({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), 'evict', 'evict'],
  ] as const)('%s', (_, pod, strictly, laxly) => {
    expect(outcome(pod, strict)).toBe(strictly);
    expect(outcome(pod, lax)).toBe(laxly);
  });

  it('of a DaemonSet that is gone, only by force, whatever else was agreed to', () => {
    const pod = listed({ metadata: daemon });
    const refusal = 'refuse: DaemonSet deleted; would not be recreated (use --force)';
    expect(outcome(pod, { ...lax, force: false }, false)).toBe(refusal);
    expect(outcome(pod, lax, false)).toBe('evict: DaemonSet deleted; will not be recreated');
  });

  it.each([
    ['not yet', 600_000, 'evict'],
    ['for too long', 599_000, 'leave: terminating for longer than --skip-wait-for-delete-timeout; not waited for'],
  ] as const)('terminating %s', (_, skipAfterMs, want) => {
    const pod = listed({ metadata: { ...alone, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(outcome(pod, { ...lax, skipAfterMs }).replace(': no controller; will not be recreated', '')).toBe(want);
  });

  it('of a node with one pod that is refused, none; of the others all', () => {
    const pods = [
      listed({ metadata: { name: 'a' } }),
      listed({ metadata: { name: 'b', ...alone } }),
      listed({ metadata: { name: 'c' }, spec: { nodeName: 'n2' } }),
    ];
    const { evicted, refusals } = selectPods(pods, strict, { now, hasDaemonSet: () => true });
    expect(evicted.map(({ name }) => name)).toEqual(['c']);
    expect([...refusals.keys()]).toEqual(['n1']);
    expect([...(refusals.get('n1')?.values() ?? [])]).toEqual([['ns/b']]);
  });
});
