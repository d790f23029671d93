import { describe, expect } from 'vitest';
import { table } from '../../../test/support/table.ts';
import { apiGroupOf, controllerOf } from '../src/meta.ts';

describe('apiGroupOf', () => {
  table(
    [
      { name: 'gives the part before the slash', apiVersion: 'apps/v1', want: 'apps' },
      { name: 'gives the empty string for the core group', apiVersion: 'v1', want: '' },
    ],
    ({ apiVersion, want }) => {
      expect(apiGroupOf(apiVersion)).toBe(want);
    },
  );
});

describe('controllerOf', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '1' };
  table(
    [
      { name: 'is nothing without owners', owners: undefined, want: undefined },
      {
        name: 'is nothing when no owner is in control',
        owners: [owner, { ...owner, controller: false }],
        want: undefined,
      },
      {
        name: 'is the owner in control, wherever it stands',
        owners: [owner, { ...owner, uid: '2', controller: true }],
        want: { ...owner, uid: '2', controller: true },
      },
    ],
    ({ owners, want }) => {
      expect(controllerOf({ name: 'p', ...(owners === undefined ? {} : { ownerReferences: owners }) })).toEqual(want);
    },
  );
});
