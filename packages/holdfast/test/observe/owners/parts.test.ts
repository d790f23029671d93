import { describe, expect, it } from 'vitest';
import { anOwner } from '../../../../../test/support/builders.ts';
import { table } from '../../../../../test/support/table.ts';
import type { OwnerState } from '../../../src/core/owner.ts';
import { anyUid } from '../../../src/core/world/owners/owner-node.ts';
import { Interner } from '../../../src/kube/projection/interner.ts';
import { isCoveredByWatch, mayChange } from '../../../src/observe/owners/covered-by-watch.ts';
import { ownerKeyOf, ownerNameOf, placeOf, placeOfKey } from '../../../src/observe/owners/owner-key.ts';
import { ownerStateOf, projectOwner, scaleReplicasOf } from '../../../src/observe/owners/owner-record.ts';
import { TouchedNamespaces } from '../../../src/observe/owners/touched-namespaces.ts';

describe('what is kept of an owner', () => {
  const metadata = { name: 'db', namespace: 'shop', uid: 'u', resourceVersion: '7' };
  const state = (object: object, scaled = true): OwnerState =>
    ownerStateOf(
      { group: 'apps', kind: 'StatefulSet' },
      'shop',
      projectOwner({ metadata, ...object }, scaled, new Interner()),
    );
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'leader', uid: 'l' };
  const bare = {
    apiVersion: 'apps/*',
    kind: 'StatefulSet',
    namespace: 'shop',
    name: 'db',
    uid: 'u',
    resourceVersion: '7',
  };
  table(
    [
      { name: 'is its scale', got: state({ spec: { replicas: 3 } }), want: { ...bare, replicas: 3 } },
      { name: 'is a scale of nothing', got: state({ spec: { replicas: 0 } }), want: { ...bare, replicas: 0 } },
      { name: 'is a scale of one where it says none', got: state({ spec: {} }), want: { ...bare, replicas: 1 } },
      { name: '[P7] is no scale of a kind that has none', got: state({ spec: { replicas: 3 } }, false), want: bare },
      {
        name: 'is that it is being deleted',
        got: state({ metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, false),
        want: { ...bare, deleting: true },
      },
      {
        name: '[O4] is that it is being deleted and leaves its pods, whatever else holds it',
        got: state(
          {
            metadata: {
              ...metadata,
              deletionTimestamp: '2026-01-01T00:00:00Z',
              finalizers: ['example.com/mine', 'orphan'],
            },
          },
          false,
        ),
        want: { ...bare, orphaning: true },
      },
      {
        name: '[O4] is that it is being deleted with its pods by foreground deletion',
        got: state(
          {
            metadata: {
              ...metadata,
              deletionTimestamp: '2026-01-01T00:00:00Z',
              finalizers: ['example.com/mine', 'foregroundDeletion'],
            },
          },
          false,
        ),
        want: { ...bare, deleting: true },
      },
      {
        name: '[O4] is nothing of a finalizer while it is not being deleted',
        got: state({ metadata: { ...metadata, finalizers: ['orphan'] } }, false),
        want: bare,
      },
      {
        name: '[O1] is its controller, among others that own it',
        got: state(
          {
            metadata: {
              ...metadata,
              ownerReferences: [
                { ...owner, uid: 'x' },
                { ...owner, controller: true },
              ],
            },
          },
          false,
        ),
        want: { ...bare, controller: { ...owner, controller: true } },
      },
      {
        name: '[O1] is none where it has no controller',
        got: state({ metadata: { ...metadata, ownerReferences: [owner] } }, false),
        want: bare,
      },
    ],
    ({ got, want }) => expect(got).toEqual(want),
  );

  it.each([{}, { metadata: 'x' }, { metadata: { name: 'db' } }, { metadata: { uid: 'u' } }])(
    'is nothing of what is no object: %j',
    (object) => expect(() => projectOwner(object, true, new Interner())).toThrow(SyntaxError),
  );

  it('[X4] of a scale that leaves its number out is zero', () => {
    expect([scaleReplicasOf({ spec: {} }), scaleReplicasOf({}), scaleReplicasOf({ spec: { replicas: 2 } })]).toEqual([
      0, 0, 2,
    ]);
  });
});

describe('an owner of a watched kind needs no look-up', () => {
  const shown = anOwner('StatefulSet', 'db', 1, { uid: 'a' });
  table(
    [
      { name: 'when it is known and shown', uid: 'a', state: 'known', shown, want: true },
      { name: 'not when it is known and another is shown', uid: 'b', state: 'known', shown, want: false },
      { name: 'not when it is known and nothing is shown', uid: 'a', state: 'known', shown: undefined, want: false },
      { name: 'when it is gone and another is shown', uid: 'b', state: 'gone', shown, want: true },
      { name: 'not when it is gone and shown all the same', uid: 'a', state: 'gone', shown, want: false },
      { name: 'when any of its name is known and one is shown', uid: anyUid, state: 'known', shown, want: true },
      {
        name: 'when all of its name are gone and none is shown',
        uid: anyUid,
        state: 'gone',
        shown: undefined,
        want: true,
      },
      { name: 'not when all of its name are gone and one is shown', uid: anyUid, state: 'gone', shown, want: false },
      { name: 'not when it is unknown', uid: 'b', state: 'unknown', shown, want: false },
    ] as const,
    ({ uid, state, shown: one, want }) => expect(isCoveredByWatch({ uid, state }, one)).toBe(want),
  );

  it('and one of another kind may change unless this very object is gone', () => {
    const all = (['known', 'unknown', 'gone'] as const).flatMap((state) => [
      mayChange({ uid: 'a', state }),
      mayChange({ uid: anyUid, state }),
    ]);
    expect(all).toEqual([true, true, true, true, false, true]);
  });
});

describe('keys', () => {
  it('keep unchecked names apart', () => {
    const place = { namespace: 'shop', group: '', kind: 'A/b', name: 'c"/d' };
    expect(placeOfKey(ownerKeyOf(place))).toEqual(place);
    expect(ownerKeyOf(place)).not.toBe(ownerKeyOf({ ...place, kind: 'A', name: 'b/c"/d' }));
    for (const group of ['', 'apps']) expect(placeOf(ownerNameOf({ ...place, group }))).toEqual({ ...place, group });
  });
});

it('namespaces are told once for everything that happens in one go', async () => {
  const told: string[] = [];
  const touched = new TouchedNamespaces({ budgets: () => {}, namespace: (name) => void told.push(name) });
  for (const name of ['a', 'b', 'a']) touched.add(name);
  expect(told).toEqual([]);
  await Promise.resolve();
  expect(told).toEqual(['a', 'b']);
  touched.add('a');
  await Promise.resolve();
  expect(told).toEqual(['a', 'b', 'a']);
});
