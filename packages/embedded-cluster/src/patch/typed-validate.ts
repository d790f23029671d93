/** What an applied configuration must be so that its fields can be told apart. Scalars are left to validation. */

import type { Schema } from '../kinds/schema.ts';
import { splitApiVersion } from '../objects.ts';
import { elementOf, rootSchema, takesOtherFields, typeOf } from './fields/field-types.ts';
import { fieldElement, printElement } from './fields/path-element.ts';
import { printValue } from './go-format.ts';
import { isMap, type JsonMap } from './json-tree.ts';
import { fieldSchema, unwrap } from './strategic/strategic-schema.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Undefined: the configuration is fine. Otherwise the API server's text. */
export function configurationProblem(applied: JsonMap, schema: Schema | undefined): string | undefined {
  const problems = checkMap(applied, schema === undefined ? undefined : rootSchema(schema), '');
  if (problems.length === 0) return undefined;
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const list = texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
  return `failed to create typed patch object (${describe(applied)}): ${list}`;
}

/** `default/web; apps/v1, Kind=Deployment`. */
function describe(applied: JsonMap): string {
  const metadata = isMap(applied['metadata']) ? applied['metadata'] : {};
  const { group, version } = splitApiVersion(String(applied['apiVersion'] ?? ''));
  const text = (field: string) => (typeof metadata[field] === 'string' ? metadata[field] : '');
  return `${text('namespace')}/${text('name')}; ${group}/${version}, Kind=${String(applied['kind'] ?? '')}`;
}

function check(value: unknown, schema: Schema | undefined, path: string): Problem[] {
  const known = unwrap(schema);
  if (known === undefined || value === null || known['x-kubernetes-int-or-string'] === true) return [];
  if (known.type === 'object' || known.properties !== undefined) {
    if (!isMap(value)) return [{ path, message: `expected map, got ${printPointer(value)}` }];
    return checkMap(value, known, path);
  }
  if (known.type !== 'array' && known.items === undefined) return [];
  if (!Array.isArray(value)) return [{ path, message: `expected list, got ${printPointer(value)}` }];
  return checkList(value, schema, path);
}

function printPointer(value: unknown): string {
  return `&{${printValue(value)}}`;
}

function checkMap(map: JsonMap, schema: Schema | undefined, path: string): Problem[] {
  if (schema === undefined) return [];
  const problems: Problem[] = [];
  for (const key of Object.keys(map)) {
    const field = fieldSchema(schema, key);
    const below = path + printElement(fieldElement(key));
    if (field === undefined && !takesOtherFields(schema)) {
      return [...problems, { path: below, message: 'field not declared in schema' }];
    }
    problems.push(...check(map[key], field, below));
  }
  return problems;
}

function checkList(items: readonly unknown[], schema: Schema | undefined, path: string): Problem[] {
  const type = typeOf(schema, items);
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = type.kind === 'list' ? elementOf(type.list, item) : ({ ok: true, element: `i:${index}` } as const);
    if (!element.ok) return [...problems, { path, message: `element ${index}: ${element.problem}` }];
    const printed = printElement(element.element);
    if (seen.has(element.element)) problems.push({ path, message: `duplicate entries for key ${printed}` });
    seen.add(element.element);
    problems.push(...check(item, unwrap(schema)?.items, path + printed));
  }
  return problems;
}
