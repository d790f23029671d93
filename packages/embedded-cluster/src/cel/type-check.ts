import type { Environment } from '@marcbachmann/cel-js';
import type { Schema } from '../kinds/schema.ts';

/** How the checker calls the type of a value. */
type TypeName = string;

const scalars: Readonly<Record<string, TypeName>> = {
  string: 'string',
  integer: 'int',
  number: 'double',
  boolean: 'bool',
};

/** Deeper fields are not looked into: schemas go in circles. */
const maxDepth = 16;

/**
 * Declares the types of what an expression can reach in an object with this schema, and answers the name of the object's own.
 * Only fields whose names stand in the expression are declared: it can be wrong about no others, and kinds have thousands.
 */
export function declareTypes(environment: Environment, schema: Schema, expression: string): TypeName {
  const words = new Set(expression.match(/\w+/g) ?? []);
  return declare(environment, schema, { name: 'Object', words, depth: maxDepth });
}

interface Place {
  readonly name: string;
  readonly words: ReadonlySet<string>;
  readonly depth: number;
}

function declare(environment: Environment, schema: Schema, place: Place): TypeName {
  if (place.depth === 0 || isOpen(schema)) return 'dyn';
  const inner = (part: Schema, step: string) =>
    declare(environment, part, { ...place, name: `${place.name}.${step}`, depth: place.depth - 1 });
  if (schema.type === 'array' || schema.items) return schema.items ? `list<${inner(schema.items, 'items')}>` : 'dyn';
  if (schema.properties) return declareObject(environment, schema.properties, place, inner);
  if (typeof schema.additionalProperties === 'object') {
    return `map<string, ${inner(schema.additionalProperties, 'values')}>`;
  }
  return scalars[schema.type ?? ''] ?? 'dyn';
}

/** What may be several things, or is kept as text and meant as something else, is not judged. */
function isOpen(schema: Schema): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true ||
    (schema.type === 'string' && schema.format !== undefined) ||
    schema.nullable === true ||
    schema.oneOf !== undefined
  );
}

function declareObject(
  environment: Environment,
  properties: Readonly<Record<string, Schema>>,
  { name, words }: Place,
  inner: (part: Schema, step: string) => TypeName,
): TypeName {
  const named = Object.entries(properties).filter(([field]) => words.has(field));
  const fields = Object.fromEntries(named.map(([field, part]) => [field, inner(part, field)]));
  environment.registerType({ name, schema: fields });
  return name;
}
