import type { CelProgram } from '../../cel/cel.ts';
import { problemAt } from '../../cel/messages.ts';
import type { Schema } from '../../kinds/schema.ts';
import { escapedName } from '../../schema/cel-values.ts';

/** Rules at the root see the type and the name of the object, whether or not the schema mentions them. */
export function withTypeAndMetadata(schema: Schema): Schema {
  const text: Schema = { type: 'string' };
  const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

/** The first field that a rule names and the schema does not, as the compiler of the real server refuses it. */
export function undefinedField(program: CelProgram, schema: Schema, optionalOldSelf: boolean): string | undefined {
  for (const { variable, names, at } of program.selects) {
    const typed = variable === 'self' || (variable === 'oldSelf' && !optionalOldSelf);
    if (typed && !isDefined(schema, names)) {
      return problemAt(at, `undefined field '${names.at(-1) ?? ''}'`, program.expression);
    }
  }
  return undefined;
}

/** Where the schema leaves open what there is, every field may be. */
function isDefined(schema: Schema, names: readonly string[]): boolean {
  let current: Schema = schema;
  for (const name of names) {
    if (isOpen(current)) return true;
    const additional = current.additionalProperties;
    const property = Object.entries(current.properties ?? {}).find(([key]) => escapedName(key) === name)?.[1];
    const next = property ?? (typeof additional === 'object' ? additional : undefined);
    if (!next) return false;
    current = next;
  }
  return true;
}

function isOpen(schema: Schema): boolean {
  return (
    schema.type !== 'object' ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true ||
    schema.additionalProperties === true
  );
}
