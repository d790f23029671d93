import type { Strategy } from '../kinds/strategy.ts';
import { clone } from '../objects.ts';
import { timestamp } from '../time/clock.ts';
import type { Crd } from './crd.ts';
import { applyCrdDefaults, recordStorageVersion } from './crd-defaults.ts';
import { beginCrdDeletion } from './crd-deletion.ts';
import { validateCrd, validateCrdUpdate } from './validation/crd-validation.ts';

/** The rules of CustomResourceDefinition objects. Clients write the spec; the status is the server's. */
export const crdStrategy: Strategy = {
  applyDefaults: applyCrdDefaults,
  prepareForCreate(draft) {
    delete draft['status'];
    recordStorageVersion(draft, []);
  },
  prepareForUpdate(draft, old) {
    draft['status'] = clone(old['status']);
    recordStorageVersion(draft, (old as Crd).status?.storedVersions ?? []);
  },
  validate: (object) => validateCrd(object as Crd),
  validateUpdate: (object, old) => validateCrdUpdate(object as Crd, old as Crd),
  requiresResourceVersion: true,
  beginDeletion: (draft, nowMs) => beginCrdDeletion(draft as Crd, timestamp(nowMs)),
};
