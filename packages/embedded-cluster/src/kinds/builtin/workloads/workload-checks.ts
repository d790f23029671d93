/** What Deployments, ReplicaSets, StatefulSets and DaemonSets have in common. */

import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import { notNegativeFields } from '../checks/field-checks.ts';
import { isEmptySelector, selectorErrors } from '../checks/labels.ts';
import { numberAt } from '../checks/read.ts';

export function workloadSelectorErrors(selector: unknown, kind: string): readonly FieldError[] {
  if (!isJsonObject(selector)) return [required('spec.selector', '')];
  return [...selectorErrors(selector, 'spec.selector'), ...emptySelectorErrors(selector, kind)];
}

export function emptySelectorErrors(selector: JsonObject, kind: string): readonly FieldError[] {
  if (!isEmptySelector(selector)) return [];
  return [invalid('spec.selector', selector, `empty selector is invalid for ${kind}`)];
}

/** Counts in a status: none negative, and none larger than the number of replicas. */
export function replicaStatusErrors(
  status: JsonObject,
  parts: readonly string[],
  counts: readonly string[],
  readyWord: string,
): readonly FieldError[] {
  const errors = [...notNegativeFields(status, 'status', counts)];
  const replicas = numberAt(status, 'replicas') ?? 0;
  for (const part of parts) {
    const value = numberAt(status, part) ?? 0;
    if (value > replicas) errors.push(invalid(`status.${part}`, value, 'cannot be greater than status.replicas'));
  }
  const available = numberAt(status, 'availableReplicas') ?? 0;
  if (available > (numberAt(status, 'readyReplicas') ?? 0)) {
    errors.push(invalid('status.availableReplicas', available, `cannot be greater than ${readyWord}`));
  }
  return errors;
}

export function collisionErrors(status: JsonObject, before: JsonObject): readonly FieldError[] {
  const count = numberAt(status, 'collisionCount') ?? 0;
  if (count >= (numberAt(before, 'collisionCount') ?? 0)) return [];
  return [invalid('status.collisionCount', count, 'cannot be decremented')];
}

/** A new object starts without what only controllers report. */
export function emptyStatus(draft: KubeObject): void {
  draft['status'] = {};
}
