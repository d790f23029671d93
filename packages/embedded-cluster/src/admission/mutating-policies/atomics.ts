import type { Schema } from '../../kinds/schema.ts';
import type { JsonObject } from '../../objects.ts';
import { rootSchema, typeOf } from '../../patch/fields/field-types.ts';
import { isMap } from '../../patch/json-tree.ts';
import { fieldSchema } from '../../patch/strategic/strategic-schema.ts';

/**
 * The paths of what can only be replaced as a whole. Who means to set one field of it would take away all the others, so
 * that configurations may not have any.
 */
export function atomicsIn(configuration: JsonObject, schema: Schema | undefined): readonly string[] {
  return inMap(configuration, rootSchema(schema), '');
}

function inMap(map: JsonObject, schema: Schema | undefined, path: string): readonly string[] {
  return Object.entries(map).flatMap(([key, value]) => inValue(value, fieldSchema(schema, key), `${path}.${key}`));
}

function inValue(value: unknown, schema: Schema | undefined, path: string): readonly string[] {
  const type = typeOf(schema, value);
  if (type.kind === 'atomic') return isMap(value) || Array.isArray(value) ? [path] : [];
  if (type.kind === 'map' && isMap(value)) return inMap(value, type.schema, path);
  if (type.kind !== 'list' || !Array.isArray(value)) return [];
  return value.flatMap((item, index) => inValue(item, type.list.item, `${path}[${index}]`));
}
