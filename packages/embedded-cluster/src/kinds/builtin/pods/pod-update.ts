/** What an update of a pod may change, and how it is told otherwise. */

import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject } from '../../../objects.ts';
import { maxInt32 } from '../checks/field-checks.ts';
import { isThere, numberAt, objectsAt, textAt } from '../checks/read.ts';
import { structDiff } from '../checks/struct-diff.ts';
import { outOfRange } from '../checks/syntax.ts';
import { addedTolerationErrors, tolerationErrors } from './scheduling-validation.ts';

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

export function podSpecUpdateErrors(now: JsonObject, before: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['containers', 'initContainers']) {
    if (objectsAt(now, key).length !== objectsAt(before, key).length) {
      errors.push(forbidden(`spec.${key}`, 'pod updates may not add or remove containers'));
      return errors;
    }
    errors.push(...imageErrors(objectsAt(now, key), `spec.${key}`));
  }
  const deadline = deadlineErrors(now, before);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(...listErrors(now, before));
  if (sameJson(now, before)) return errors;
  const kept = withChangesUndone(now, before);
  if (sameJson(kept, before)) return errors;
  const detail = `pod updates may not change fields other than ${changeable}\n${structDiff(before, kept)}\n`;
  return [...errors, forbidden('spec', detail)];
}

function imageErrors(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  return containers.flatMap((container, index) => {
    const field = `${path}[${index}].image`;
    const image = textAt(container, 'image');
    if (image === '') return [required(field, '')];
    return image.trim() === image ? [] : [invalid(field, image, 'must not have leading or trailing whitespace')];
  });
}

function deadlineErrors(now: JsonObject, before: JsonObject): { errors: readonly FieldError[]; stop: boolean } {
  const field = 'spec.activeDeadlineSeconds';
  const value = numberAt(now, 'activeDeadlineSeconds');
  const old = numberAt(before, 'activeDeadlineSeconds');
  if (value === undefined) {
    if (old === undefined) return { errors: [], stop: false };
    return { errors: [invalid(field, null, 'must not update from a positive integer to nil value')], stop: false };
  }
  if (value < 0 || value > maxInt32) return { errors: [invalid(field, value, outOfRange(0, maxInt32))], stop: true };
  if (old !== undefined && old < value) {
    return { errors: [invalid(field, value, 'must be less than or equal to previous value')], stop: true };
  }
  return { errors: [], stop: false };
}

function listErrors(now: JsonObject, before: JsonObject): readonly FieldError[] {
  const tolerations = objectsAt(now, 'tolerations');
  const added = addedTolerationErrors(tolerations, objectsAt(before, 'tolerations'), 'spec.tolerations');
  const known = new Set(objectsAt(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return [
    ...(added.length > 0 ? added : tolerationErrors(tolerations, 'spec.tolerations')),
    ...objectsAt(now, 'schedulingGates').flatMap((gate, index) => {
      const name = textAt(gate, 'name');
      if (known.has(name)) return [];
      const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
      return [forbidden(`spec.schedulingGates[${index}].name`, detail)];
    }),
  ];
}

/** The new spec with every change taken back that is allowed. What still differs is forbidden. */
function withChangesUndone(now: JsonObject, before: JsonObject): JsonObject {
  const kept: JsonObject = { ...now };
  for (const key of ['containers', 'initContainers']) {
    const old = objectsAt(before, key);
    if (!isThere(now[key])) continue;
    kept[key] = objectsAt(now, key).map((container, index) => ({ ...container, image: old[index]?.['image'] }));
  }
  for (const key of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) kept[key] = before[key];
  const grace = numberAt(before, 'terminationGracePeriodSeconds') ?? 0;
  if (grace < 0 && now['terminationGracePeriodSeconds'] === 1) kept['terminationGracePeriodSeconds'] = grace;
  if (objectsAt(before, 'schedulingGates').length > 0) {
    kept['nodeSelector'] = before['nodeSelector'];
    kept['affinity'] = before['affinity'];
  }
  return kept;
}
