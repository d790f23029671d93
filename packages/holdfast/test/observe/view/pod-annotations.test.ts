import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../../test/support/builders.ts';
import type { StringMap } from '../../../../base/src/meta.ts';
import { annotation } from '../../../src/api/names.ts';
import { claimsOf } from '../../../src/core/groups/claims.ts';
import { healthBits } from '../../../src/core/health.ts';
import { keepPodAnnotation } from '../../../src/observe/view/pod-annotations.ts';

/** Labels with which each convention goes on to look at annotations. */
const claims: readonly StringMap[] = [
  {},
  { 'leaderworkerset.sigs.k8s.io/name': 'a', 'leaderworkerset.sigs.k8s.io/group-index': '0' },
  { 'jobset.sigs.k8s.io/job-key': 'k' },
  { 'rbg.workloads.x-k8s.io/role-instance-name': 'i' },
  { 'kueue.x-k8s.io/pod-group-name': 'g' },
];

function keysRead(labels: StringMap): ReadonlySet<string> {
  const read = new Set<string>();
  const note = (key: string | symbol) => {
    read.add(String(key));
    return undefined;
  };
  const annotations = new Proxy<StringMap>(
    {},
    {
      get: (_, key) => note(key),
      has: (_, key) => note(key) !== undefined,
      getOwnPropertyDescriptor: (_, key) => note(key),
    },
  );
  const plain = aPod('web-0').labels(labels).build();
  const spied = { ...plain, metadata: { ...plain.metadata, annotations } };
  claimsOf(spied);
  healthBits(spied);
  return read;
}

describe('annotations of pods', () => {
  it.each(claims.map((labels) => ({ labels })))('the engine finds all that it asks for, with $labels', ({ labels }) => {
    const read = [...keysRead(labels)];
    expect(read).toContain(annotation.disruptionProbe);
    expect(read.filter((key) => !keepPodAnnotation(key))).toEqual([]);
  });

  it('the test sees what each convention reads', () => {
    const read = new Set(claims.flatMap((labels) => [...keysRead(labels)]));
    for (const key of [
      'leaderworkerset.sigs.k8s.io/size',
      'jobset.sigs.k8s.io/replicatedjob-replicas',
      'rbg.workloads.x-k8s.io/role-size',
      'kueue.x-k8s.io/pod-group-total-count',
      'scheduling.volcano.sh/group-name',
    ]) {
      expect(read).toContain(key);
    }
  });

  it.each(['kubectl.kubernetes.io/last-applied-configuration', 'apps.kruise.io/container-launch', 'plain', ''])(
    'drops %j',
    (key) => {
      expect(keepPodAnnotation(key)).toBe(false);
    },
  );
});
