/** LimitRanges and ResourceQuotas. */

import { type FieldError, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { duplicate, unchanged } from './checks/field-checks.ts';
import { ensureObject, objectAt, objectsAt, specOf, textAt } from './checks/read.ts';
import { canonicalQuantities, quantityErrors } from './checks/resource-lists.ts';

const rangeParts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function copyMissing(limit: JsonObject, source: string, target: string): void {
  const from = objectAt(limit, source);
  if (from === undefined || Object.keys(from).length === 0) return;
  const to = ensureObject(limit, target);
  if (to === undefined) return;
  for (const name of Object.keys(from)) {
    if (!Object.hasOwn(to, name)) to[name] = from[name];
  }
}

/** Containers without limits get the largest allowed; without requests, their limit, or the smallest allowed. */
function limitDefaults(limit: JsonObject): void {
  for (const part of rangeParts) canonicalQuantities(limit, part);
  if (textAt(limit, 'type') !== 'Container') return;
  copyMissing(limit, 'max', 'default');
  copyMissing(limit, 'default', 'defaultRequest');
  copyMissing(limit, 'min', 'defaultRequest');
}

function rangeErrors(range: KubeObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(specOf(range), 'limits').flatMap((limit, index) => {
    const path = `spec.limits[${index}]`;
    const type = textAt(limit, 'type');
    const errors: FieldError[] = type === '' ? [required(`${path}.type`, '')] : [];
    if (seen.has(type)) errors.push(duplicate(`${path}.type`, type));
    seen.add(type);
    return [...errors, ...rangeParts.flatMap((part) => amountsErrors(limit, part, `${path}.${part}`))];
  });
}

function amountsErrors(parent: JsonObject, key: string, path: string): readonly FieldError[] {
  return Object.entries(objectAt(parent, key) ?? {}).flatMap(([name, value]) =>
    quantityErrors(value, `${path}[${name}]`, false),
  );
}

export const limitRangeStrategy: Strategy = {
  createOnUpdate: true,
  applyDefaults(range) {
    for (const limit of objectsAt(objectAt(range, 'spec'), 'limits')) limitDefaults(limit);
  },
  validate: rangeErrors,
};

export const resourceQuotaStrategy: Strategy = {
  applyDefaults(quota) {
    canonicalQuantities(ensureObject(quota, 'spec'), 'hard');
    const status = ensureObject(quota, 'status');
    canonicalQuantities(status, 'hard');
    canonicalQuantities(status, 'used');
  },
  prepareForCreate(draft) {
    draft['status'] = {};
  },
  validate: (quota) => amountsErrors(specOf(quota), 'hard', 'spec.hard'),
  validateUpdate: (quota, old) => unchanged('spec.scopes', specOf(quota)['scopes'], specOf(old)['scopes']),
};
