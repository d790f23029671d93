import { type FieldError, forbidden, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import { duplicate, problemsOf, requiredText } from '../checks/field-checks.ts';
import { isThere, objectsAt, textAt } from '../checks/read.ts';
import { dnsLabelProblems } from '../checks/syntax.ts';

export interface CheckedVolumes {
  readonly errors: readonly FieldError[];
  /** Volumes without errors: only those can be mounted. */
  readonly names: ReadonlySet<string>;
}

export function checkVolumes(spec: JsonObject, path: string): CheckedVolumes {
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, volume] of objectsAt(spec, 'volumes').entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(volume, 'name');
    const own = [...sourceErrors(volume, at), ...nameErrors(name, `${at}.name`)];
    if (names.has(name)) own.push(duplicate(`${at}.name`, name));
    if (own.length === 0) names.add(name);
    else errors.push(...own);
  }
  return { errors, names };
}

function nameErrors(name: string, field: string): readonly FieldError[] {
  return name === '' ? [required(field, '')] : problemsOf(field, name, dnsLabelProblems);
}

function sourceErrors(volume: JsonObject, path: string): readonly FieldError[] {
  const given = Object.keys(volume).filter((key) => key !== 'name' && isThere(volume[key]));
  const [first, ...more] = given;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...oneSourceErrors(first, volume[first], `${path}.${first}`),
    ...more.map((key) => forbidden(`${path}.${key}`, 'may not specify more than 1 volume type')),
  ];
}

const requiredFields: ReadonlyMap<string, string> = new Map([
  ['configMap', 'name'],
  ['secret', 'secretName'],
  ['persistentVolumeClaim', 'claimName'],
  ['hostPath', 'path'],
  ['csi', 'driver'],
]);

function oneSourceErrors(kind: string, source: unknown, path: string): readonly FieldError[] {
  const field = requiredFields.get(kind);
  return field === undefined || !isJsonObject(source) ? [] : requiredText(source, field, path);
}
