import { describe, expect, it } from 'vitest';
import { maxListedPods, probeLeaseAnnotations, readProbeLease } from '../../src/api/probe-lease.ts';
import { formerProbeLeaseName, probeLeaseName } from '../../src/kube/probes/lease-name.ts';

const lease = {
  metadata: {
    annotations: {
      'holdfast.dev/node': 'node-a',
      'holdfast.dev/listed-by': 'agent_1',
      'holdfast.dev/disruptable-pods': 'u1 u2',
    },
  },
  spec: { holderIdentity: 'agent_1', leaseDurationSeconds: 40 },
};

describe('the lease of a node', () => {
  it('is read as it was written', () => {
    const annotations = probeLeaseAnnotations('node-a', 'agent_1', ['u2', 'u1']);
    expect(annotations).toEqual(lease.metadata.annotations);
    expect(readProbeLease({ ...lease, metadata: { annotations } })).toEqual({
      ok: true,
      value: { node: 'node-a', holder: 'agent_1', durationSeconds: 40, disruptable: new Set(['u1', 'u2']) },
    });
  });

  it('that lists no pod confirms no pod', () => {
    const empty = probeLeaseAnnotations('node-a', 'agent_1', []);
    const { 'holdfast.dev/disruptable-pods': _, ...unlisted } = empty;
    for (const annotations of [empty, unlisted]) {
      const read = readProbeLease({ ...lease, metadata: { annotations } });
      expect(read).toMatchObject({ ok: true, value: { disruptable: new Set() } });
    }
  });

  it('has room for so many pods and no more', () => {
    const uids = Array.from({ length: maxListedPods + 10 }, (_, i) => String(i).padStart(36, '0'));
    const annotations = probeLeaseAnnotations('n', 'agent_1', uids);
    expect(JSON.stringify(annotations).length).toBeLessThan(256 * 1024);
    const read = readProbeLease({ ...lease, metadata: { annotations } });
    expect(read.ok && read.value.disruptable.size).toBe(maxListedPods);
  });

  const unreadable: readonly (readonly [string, unknown, string])[] = [
    ['nothing', undefined, 'metadata'],
    ['no annotations', { ...lease, metadata: {} }, 'metadata.annotations[holdfast.dev/node]'],
    ['an annotation that is no text', { ...lease, metadata: { annotations: { a: 1 } } }, 'metadata.annotations[a]'],
    ['no spec', { metadata: lease.metadata }, 'spec'],
    ['no holder', { ...lease, spec: { leaseDurationSeconds: 40 } }, 'spec.holderIdentity'],
    ['an empty holder', { ...lease, spec: { ...lease.spec, holderIdentity: '' } }, 'spec.holderIdentity'],
    [
      'another holder than the one who wrote the list',
      { ...lease, spec: { ...lease.spec, holderIdentity: 'agent_2' } },
      'metadata.annotations[holdfast.dev/listed-by]',
    ],
    [
      'an unsigned list',
      { ...lease, metadata: { annotations: { ...lease.metadata.annotations, 'holdfast.dev/listed-by': '' } } },
      'metadata.annotations[holdfast.dev/listed-by]',
    ],
    ['no duration', { ...lease, spec: { holderIdentity: 'agent_1' } }, 'spec.leaseDurationSeconds'],
    ['a duration of 0', { ...lease, spec: { ...lease.spec, leaseDurationSeconds: 0 } }, 'spec.leaseDurationSeconds'],
  ];
  it.each(unreadable)('[I4] with %s vouches for nothing', (_name, object, field) => {
    expect(readProbeLease(object)).toMatchObject({ ok: false, errors: [{ field }] });
  });

  it('is called like the node, so that a policy can compare the two; before, it had a name of its own', () => {
    expect(probeLeaseName('node-a')).toBe('node-a');
    expect(formerProbeLeaseName('node-a')).toMatch(/^holdfast-probe-[0-9a-f]{16}$/);
    expect(formerProbeLeaseName('n'.repeat(253))).toHaveLength(31);
    expect(formerProbeLeaseName('node-a')).not.toBe(formerProbeLeaseName('node-b'));
  });
});
