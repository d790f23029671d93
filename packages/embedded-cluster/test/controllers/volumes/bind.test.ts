import { describe, expect, it } from 'vitest';
import {
  boundStatus,
  namingClaim,
  takenVolume,
  type Volume,
  type VolumeClaim,
  volumeFor,
  volumePhase,
} from '../../../src/controllers/volumes/bind.ts';

function volume(name: string, spec: object = {}, labels: Record<string, string> = {}): Volume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], ...spec },
  };
}

function claim(spec: object = {}): VolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'web', uid: 'u1' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

const forData = { claimRef: { name: 'data', namespace: 'web' } };

describe('the volume of a claim', () => {
  const cases: { what: string; of: VolumeClaim; among: Volume[]; want: string | undefined; waits?: boolean }[] = [
    { what: 'is one that will do', of: claim(), among: [volume('a')], want: 'a' },
    {
      what: 'is the smallest that will do',
      of: claim(),
      among: [
        volume('a'),
        volume('b', { capacity: { storage: '1Gi' } }),
        volume('c', { capacity: { storage: '1Mi' } }),
      ],
      want: 'b',
    },
    { what: 'has its class', of: claim({ storageClassName: 'fast' }), among: [volume('a')], want: undefined },
    {
      what: 'has its class of attributes',
      of: claim({ volumeAttributesClassName: 'gold' }),
      among: [volume('a'), volume('b', { volumeAttributesClassName: 'gold' })],
      want: 'b',
    },
    {
      what: 'can be used as it wants',
      of: claim({ accessModes: ['ReadWriteMany'] }),
      among: [volume('a')],
      want: undefined,
    },
    { what: 'is of its mode', of: claim({ volumeMode: 'Block' }), among: [volume('a')], want: undefined },
    {
      what: 'is among those that it selects',
      of: claim({ selector: { matchLabels: { tier: 'fast' } } }),
      among: [volume('a'), volume('b', {}, { tier: 'fast' })],
      want: 'b',
    },
    {
      what: 'is not one of another claim',
      of: claim(),
      among: [volume('a', { claimRef: { name: 'x', namespace: 'web' } })],
      want: undefined,
    },
    { what: 'is the one that is kept for it', of: claim(), among: [volume('a'), volume('b', forData)], want: 'b' },
    {
      what: 'is not one that was kept for another of its name',
      of: claim(),
      among: [volume('a', { claimRef: { ...forData.claimRef, uid: 'u0' } })],
      want: undefined,
    },
    { what: 'is the one that it names', of: claim({ volumeName: 'b' }), among: [volume('a'), volume('b')], want: 'b' },
    {
      what: 'is not taken from another',
      of: claim({ volumeName: 'a' }),
      among: [volume('a', { claimRef: { name: 'x', namespace: 'web' } }), volume('b')],
      want: undefined,
    },
    {
      what: 'waits for a pod where the class says so',
      of: claim(),
      among: [volume('a')],
      waits: true,
      want: undefined,
    },
    { what: 'does not wait if it is kept for it', of: claim(), among: [volume('a', forData)], waits: true, want: 'a' },
  ];
  it.each(cases)('$what', ({ of, among, want, waits = false }) => {
    expect(volumeFor(of, among, waits)?.metadata.name).toBe(want);
  });
});

describe('a claim and its volume', () => {
  it('name each other, and say who chose', () => {
    const taken = takenVolume(volume('a'), claim());
    expect(taken?.spec.claimRef).toMatchObject({ kind: 'PersistentVolumeClaim', name: 'data', uid: 'u1' });
    expect(taken?.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
    expect(takenVolume(taken as Volume, claim())).toBeUndefined();
    expect(takenVolume(volume('a', forData), claim())?.metadata.annotations).toBeUndefined();
    const both = { 'pv.kubernetes.io/bound-by-controller': 'yes', 'pv.kubernetes.io/bind-completed': 'yes' };
    expect(namingClaim(claim(), 'a')).toMatchObject({ spec: { volumeName: 'a' }, metadata: { annotations: both } });
    const alone = { 'pv.kubernetes.io/bind-completed': 'yes' };
    expect(namingClaim(claim({ volumeName: 'a' }), 'a').metadata.annotations).toEqual(alone);
    expect(boundStatus(volume('a', { volumeAttributesClassName: 'gold' }))).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      capacity: { storage: '2Gi' },
      currentVolumeAttributesClassName: 'gold',
    });
  });

  it.each([
    ['Available', volume('a'), undefined],
    ['Available', volume('a', forData), undefined],
    ['Available', volume('a', forData), claim()],
    ['Bound', volume('a', forData), claim({ volumeName: 'a' })],
    ['Released', volume('a', { claimRef: { ...forData.claimRef, uid: 'u0' } }), claim({ volumeName: 'a' })],
    ['Released', volume('a', { claimRef: { ...forData.claimRef, uid: 'u1' } }), undefined],
  ])('make the volume %s', (want, of, by) => {
    expect(volumePhase(of, by)).toBe(want);
  });
});
