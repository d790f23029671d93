import type { Loop, Way } from '../../cel/loops.ts';
import type { Schema } from '../../kinds/schema.ts';
import { escapedName } from '../../schema/cel-values.ts';

/**
 * What a rule costs at the least, by its loops alone: as many steps as they can have, in an object as large as a request may be.
 * The real server estimates every step of a rule, and a loop as more than one step for each element. So what is too much here is
 * too much there, and not the other way round.
 */

/** What the real server lets a rule cost, and the size of a request that it thinks of. */
const maxCost = 10_000_000;
const maxRequestBytes = 3 * 1024 * 1024;

/** How often a rule may be asked in one object: by limits that are set around it, or as often as its value fits in. */
export type Cardinality = number | 'unbounded';

export function costProblem(loops: readonly Loop[], schema: Schema, cardinality: Cardinality): string | undefined {
  const once = 1 + stepsOf(loops, new Map([['self', schema]]));
  const times = cardinality === 'unbounded' ? Math.floor(maxRequestBytes / (minBytes(schema) + 1)) : cardinality;
  const factor = (once * times) / maxCost;
  if (factor <= 1) return undefined;
  const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return (
    `estimated rule cost exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, ` +
    'maxProperties, and maxLength where arrays, maps, and strings are declared)'
  );
}

/** One level deeper: in the elements of a list or a map. */
export function within(cardinality: Cardinality, limit: number | undefined): Cardinality {
  return cardinality === 'unbounded' || limit === undefined ? 'unbounded' : cardinality * limit;
}

type Scope = ReadonlyMap<string, Schema>;

/** A loop over something unknown counts as none. */
function stepsOf(loops: readonly Loop[], scope: Scope): number {
  return loops.reduce((sum, { over, binds, inner }) => {
    const schema = over && schemaAt(over, scope);
    const elements = schema && elementsOf(schema);
    if (!elements) return sum;
    const bound = new Map(scope).set(binds, elements.schema);
    return sum + elements.count * (1 + stepsOf(inner, bound));
  }, 0);
}

function schemaAt({ variable, steps }: Way, scope: Scope): Schema | undefined {
  return steps.reduce<Schema | undefined>((schema, step) => {
    if (!schema) return undefined;
    const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    if (step === '[]') return schema.items ?? additional;
    return Object.entries(schema.properties ?? {}).find(([key]) => escapedName(key) === step)?.[1] ?? additional;
  }, scope.get(variable));
}

/** A loop over a map goes over its keys. */
function elementsOf(schema: Schema): { readonly count: number; readonly schema: Schema } | undefined {
  const { items, additionalProperties: values } = schema;
  const most = (bytes: number) => Math.floor((maxRequestBytes - 2) / bytes);
  if (items) return { count: schema.maxItems ?? most(minBytes(items) + 1), schema: items };
  if (typeof values !== 'object') return undefined;
  return { count: schema.maxProperties ?? most(minBytes(values) + 6), schema: { type: 'string' } };
}

/** The shortest JSON of a value, or a little more: a number that is too large makes the estimate too small, which does no harm. */
function minBytes(schema: Schema): number {
  if (schema.properties === undefined) return schema.type === 'boolean' ? 5 : 2 + (schema.minLength ?? 0);
  return (schema.required ?? []).reduce((sum, name) => {
    const property = schema.properties?.[name];
    return sum + name.length + 4 + (property && property.default === undefined ? minBytes(property) : 2);
  }, 2);
}
