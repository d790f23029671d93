import { matches } from '@holdfast/base/labels/label-selector';
import { badRequest } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import type { KubeObject } from '../objects.ts';
import { parseLabelSelector } from './label-selector-text.ts';

/** Longer selectors than any client has a use for are refused before they are parsed. */
const maxSelectorLength = 64 * 1024;

interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** Reads `a.b=c,d!=e`; a backslash keeps the next character as it is. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  if (text.length > maxSelectorLength)
    throw badRequest(`field selector is longer than ${maxSelectorLength} characters`);
  return splitTerms(text).map((term) => {
    const match = /^([^=!]+)(!=|==|=)([\s\S]*)$/.exec(term);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    return {
      field: match[1] as string,
      equal: match[2] !== '!=',
      value: (match[3] as string).replaceAll(/\\(.)/g, '$1'),
    };
  });
}

function splitTerms(text: string): string[] {
  return (text.match(/(?:\\.|[^,\\])+/g) ?? []).filter((term) => term !== '');
}

export type ObjectMatcher = (object: KubeObject) => boolean;

/** What of a collection a client wants; undefined: everything. */
export function matcherFor(
  type: ResourceType,
  labelSelector: string,
  fieldSelector: string,
): ObjectMatcher | undefined {
  const labels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
  const fields = fieldSelector === '' ? undefined : parseFieldSelector(fieldSelector);
  if (labels === undefined && fields === undefined) return undefined;
  for (const { field } of fields ?? []) checkField(type, field);
  return (object) =>
    (labels === undefined || matches(labels, object.metadata.labels ?? {})) &&
    (fields === undefined ||
      fields.every((wanted) => (fieldValue(type, object, wanted.field) === wanted.value) === wanted.equal));
}

function checkField(type: ResourceType, field: string): void {
  if (field === 'metadata.name' || (field === 'metadata.namespace' && type.namespaced)) return;
  if (type.custom?.selectableFields.includes(field)) return;
  const known = type.strategy.selectableFields?.(empty(type)) ?? {};
  if (Object.hasOwn(known, field)) return;
  if (Object.keys(known).length > 0) throw badRequest(`field label not supported: ${field}`);
  const place = type.namespaced ? ', "metadata.namespace"' : '';
  throw badRequest(`${JSON.stringify(field)} is not a known field selector: only "metadata.name"${place}`);
}

function empty(type: ResourceType): KubeObject {
  return { apiVersion: '', kind: type.kind, metadata: { name: '' } };
}

function fieldValue(type: ResourceType, object: KubeObject, field: string): string {
  if (field === 'metadata.name') return object.metadata.name;
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  if (type.custom?.selectableFields.includes(field)) return atPath(object, field.split('.'));
  return type.strategy.selectableFields?.(object)[field] ?? '';
}

function atPath(object: unknown, path: readonly string[]): string {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return '';
    value = (value as Record<string, unknown>)[step];
  }
  return value === undefined || value === null ? '' : String(value);
}

/** `metadata.name=x` narrows a list to one object, which need not be searched for. */
export function nameIn(fieldSelector: string): string | undefined {
  if (fieldSelector === '') return undefined;
  return parseFieldSelector(fieldSelector).find(({ field, equal }) => equal && field === 'metadata.name')?.value;
}
