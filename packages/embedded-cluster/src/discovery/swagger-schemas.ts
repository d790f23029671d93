import type { RawSchema } from '../kinds/schema.ts';
import type { JsonObject } from '../objects.ts';
import { isJsonObject } from '../schema/json-values.ts';

/** Schemas in the words of OpenAPI 2, which has no alternatives and no null. */

const alternatives = ['allOf', 'anyOf', 'oneOf', 'not'];

/** Of a custom kind. Clients do not get along with fields beside unknown ones, so that those are left out. */
export function swaggerSchema(raw: RawSchema): JsonObject {
  if (typeof raw['$ref'] === 'string') return swaggerReference(raw['$ref']);
  const { nullable, ...schema } = raw;
  for (const key of alternatives) delete schema[key];
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (nullable === true || open) {
    delete schema['items'];
    delete schema['properties'];
  }
  const untyped = nullable === true || (open && schema['type'] === 'object');
  if (untyped || (schema['type'] === 'array' && schema['items'] === undefined)) delete schema['type'];
  return withParts(schema, swaggerSchema);
}

/** Of a built-in kind: an alternative there is a number that may be text. */
export function swaggerDefinition(raw: RawSchema): JsonObject {
  if (typeof raw['$ref'] === 'string') return swaggerReference(raw['$ref']);
  const { default: _, ...schema } = raw;
  const either = schema['oneOf'] !== undefined;
  for (const key of alternatives) delete schema[key];
  return withParts(either ? { type: 'string', ...schema } : schema, swaggerDefinition);
}

export function swaggerReference(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

function withParts(schema: JsonObject, convert: (part: RawSchema) => JsonObject): JsonObject {
  const { properties, items, additionalProperties: additional } = schema;
  const required = requiredOf(schema);
  const { required: _, ...rest } = schema;
  return {
    ...rest,
    ...(required.length > 0 ? { required } : {}),
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, of]) => [key, convert(of as RawSchema)]),
          ),
        }
      : {}),
    ...(isJsonObject(items) ? { items: convert(items) } : {}),
    ...(isJsonObject(additional) ? { additionalProperties: convert(additional) } : {}),
  };
}

/** What may be null cannot be required of those who do not know null. */
function requiredOf({ required, properties }: JsonObject): readonly unknown[] {
  if (!Array.isArray(required)) return [];
  const fields = isJsonObject(properties) ? properties : {};
  const mayBeNull = (name: string) =>
    Object.hasOwn(fields, name) && (fields[name] as { nullable?: boolean }).nullable === true;
  return required.filter((name) => !mayBeNull(String(name)));
}
