/** The spec of a PersistentVolumeClaim, also inside a StatefulSet. */

import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../objects.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import { oneOfIfThere, optionalText } from './checks/field-checks.ts';
import { selectorErrors } from './checks/labels.ts';
import { ensureObject, fillInText, objectAt, textsAt } from './checks/read.ts';
import { canonicalQuantities, quantityErrors } from './checks/resource-lists.ts';
import { dnsSubdomainProblems } from './checks/syntax.ts';

export function claimDefaults(claim: JsonObject): void {
  const spec = ensureObject(claim, 'spec');
  if (spec !== undefined) {
    fillInText(spec, 'volumeMode', 'Filesystem');
    const resources = ensureObject(spec, 'resources');
    canonicalQuantities(resources, 'requests');
    canonicalQuantities(resources, 'limits');
  }
  const status = ensureObject(claim, 'status');
  if (status !== undefined) fillInText(status, 'phase', 'Pending');
}

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] as const;
const oneNeeded = 'at least 1 access mode is required';
const volumeModes = ['Block', 'Filesystem'] as const;

export function accessModeErrors(spec: JsonObject, path: string, missing = oneNeeded): readonly FieldError[] {
  const modes = textsAt(spec, 'accessModes');
  const field = `${path}.accessModes`;
  if (modes.length === 0) return [required(field, missing)];
  const errors: FieldError[] = modes
    .filter((mode) => !(accessModes as readonly string[]).includes(mode))
    .map((mode) => notSupported(field, mode, accessModes));
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    errors.push(forbidden(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

export function claimSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...accessModeErrors(spec, path),
    ...selectorErrors(spec['selector'], `${path}.selector`),
    ...storageErrors(spec, `${path}.resources[storage]`),
    ...optionalText(spec, 'storageClassName', path, dnsSubdomainProblems),
    ...oneOfIfThere(spec, 'volumeMode', path, volumeModes),
  ];
}

function storageErrors(spec: JsonObject, field: string): readonly FieldError[] {
  const requests = objectAt(objectAt(spec, 'resources'), 'requests');
  const source = requests?.['storage'];
  if (source === undefined) return [required(field, '')];
  const quantity = parseQuantity(source);
  if (quantity !== undefined && quantity.nanos <= 0n) {
    return [invalid(field, formatQuantity(quantity), 'must be greater than zero')];
  }
  return quantityErrors(source, field, true);
}
