import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { compareQuantities, formatQuantity, parseQuantity, type Quantity, roundedToMilli } from '../../quantity.ts';
import { notNegative } from './field-checks.ts';
import { objectAt } from './read.ts';
import { labelKeyProblems } from './syntax.ts';

/** Pods of one workload repeat the same few texts. The limit keeps a client from filling the memory with odd ones. */
const maxRemembered = 4096;
const remembered = new Map<unknown, unknown>();

/** The canonical text of a quantity, no finer than thousandths; what is no quantity stays as it is. */
function canonical(source: unknown): unknown {
  const known = remembered.get(source);
  if (known !== undefined) return known;
  const quantity = parseQuantity(source);
  if (quantity === undefined) return source;
  const text = formatQuantity(roundedToMilli(quantity));
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(source, text);
  return text;
}

/** Writes every quantity of a resource list the canonical way. */
export function canonicalQuantities(parent: JsonObject | undefined, key: string): void {
  const list = objectAt(parent, key);
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const text = canonical(list[name]);
    if (text !== list[name]) list[name] = text;
  }
}

const quantityPattern = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';

const standardContainerResources = new Set(['cpu', 'memory', 'ephemeral-storage']);

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Only these may be asked for beyond what is limited. */
function canBeOvercommitted(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

export function quantityAt(list: JsonObject | undefined, name: string): Quantity | undefined {
  return list !== undefined && Object.hasOwn(list, name) ? parseQuantity(list[name]) : undefined;
}

export function quantityErrors(source: unknown, field: string, integral: boolean): readonly FieldError[] {
  const quantity = parseQuantity(source);
  if (quantity === undefined) return [invalid(field, source, `must match the regular expression '${quantityPattern}'`)];
  if (quantity.nanos < 0n) return [invalid(field, formatQuantity(quantity), notNegative)];
  if (integral && quantity.nanos % 1_000_000_000n !== 0n) {
    return [invalid(field, formatQuantity(quantity), 'must be an integer')];
  }
  return [];
}

function nameErrors(name: string, field: string): readonly FieldError[] {
  const problems = labelKeyProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(field, name, problem));
  if (name.includes('/') || standardContainerResources.has(name) || isHugePages(name)) return [];
  return [
    invalid(field, name, 'must be a standard resource type or fully qualified'),
    invalid(field, name, 'must be a standard resource for containers'),
  ];
}

function listErrors(list: JsonObject, path: string): readonly FieldError[] {
  return Object.entries(list).flatMap(([name, value]) => {
    const field = `${path}[${name}]`;
    return [...nameErrors(name, field), ...quantityErrors(value, field, !isNative(name))];
  });
}

/** Requests and limits of a container. */
export function resourceErrors(resources: JsonObject | undefined, path: string): readonly FieldError[] {
  const limits = objectAt(resources, 'limits');
  const requests = objectAt(resources, 'requests');
  const errors: FieldError[] = [];
  if (limits !== undefined) errors.push(...listErrors(limits, `${path}.limits`));
  if (requests === undefined) return errors;
  errors.push(...listErrors(requests, `${path}.requests`));
  for (const name of Object.keys(requests)) errors.push(...againstLimit(name, requests, limits, path));
  return errors;
}

function againstLimit(
  name: string,
  requests: JsonObject,
  limits: JsonObject | undefined,
  path: string,
): readonly FieldError[] {
  const request = quantityAt(requests, name);
  if (request === undefined) return [];
  const limit = quantityAt(limits, name);
  if (limit === undefined) {
    if (canBeOvercommitted(name)) return [];
    return [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(request, limit);
  const told = `${name} limit of ${formatQuantity(limit)}`;
  if (order !== 0 && !canBeOvercommitted(name)) {
    return [invalid(`${path}.requests`, formatQuantity(request), `must be equal to ${told}`)];
  }
  if (order <= 0) return [];
  return [invalid(`${path}.requests`, formatQuantity(request), `must be less than or equal to ${told}`)];
}
