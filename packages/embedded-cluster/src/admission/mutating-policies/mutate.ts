import { isObject } from '@holdfast/base/json';
import { jsonOf, NotJson } from '../../cel/json-of.ts';
import { celValue } from '../../cel/values.ts';
import type { Schema } from '../../kinds/schema.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import { mergeConfiguration } from '../../patch/typed-merge.ts';
import { type Bindings, causeOf, withVariables } from '../policies/evaluate.ts';
import { evaluateConditions } from '../webhooks/match-conditions.ts';
import { applyPatchTo } from '../webhooks/webhook-patch.ts';
import { atomicsIn } from './atomics.ts';
import type { MutatingPolicy, Mutation } from './mutating-policy.ts';

export type Mutated =
  | { readonly kind: 'mutated'; readonly object: KubeObject }
  /** Its conditions do not hold. */
  | { readonly kind: 'untouched' }
  | { readonly kind: 'failed'; readonly message: string };

export interface MutationDraft {
  readonly object: KubeObject;
  readonly schema: Schema | undefined;
  /** What expressions may name, except for the object itself. */
  readonly inputs: Bindings;
  /** Brings a changed object into the shape that decoding would have given it. */
  complete(object: KubeObject): void;
}

/** Everything that a policy makes of an object, one mutation after the other. */
export function mutate(policy: MutatingPolicy, { object, schema, inputs, complete }: MutationDraft): Mutated {
  const conditions = evaluateConditions(policy.conditions, sceneOf(policy, inputs, object).bindings);
  if (conditions.kind === 'unmet') return { kind: 'untouched' };
  if (conditions.kind === 'error') return { kind: 'failed', message: conditions.message };
  let current = object;
  for (const mutation of policy.mutations) {
    const made = evaluate(mutation, policy, inputs, current);
    const next = typeof made === 'string' ? made : applied(mutation, made.value, current, schema);
    if (typeof next === 'string') return { kind: 'failed', message: next };
    complete(next);
    current = next;
  }
  return { kind: 'mutated', object: current };
}

/** Variables are about the object as it is now. */
function sceneOf(policy: MutatingPolicy, inputs: Bindings, object: KubeObject) {
  return withVariables(policy, { ...inputs, object: celValue(object) });
}

/** What the expression makes, or why it makes nothing. */
function evaluate(
  { compiled }: Mutation,
  policy: MutatingPolicy,
  inputs: Bindings,
  object: KubeObject,
): { readonly value: unknown } | string {
  const { bindings, failures } = sceneOf(policy, inputs, object);
  const result = compiled.ok ? compiled.program.evaluate(bindings) : compiled;
  if (!result.ok) return causeOf(result.message, failures);
  try {
    return { value: jsonOf(result.value) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return error.message;
  }
}

function applied(
  { kind }: Mutation,
  made: unknown,
  object: KubeObject,
  schema: Schema | undefined,
): KubeObject | string {
  return kind === 'configuration' ? withConfiguration(object, made, schema) : withPatch(object, made);
}

function withConfiguration(object: KubeObject, made: unknown, schema: Schema | undefined): KubeObject | string {
  if (!isObject(made)) return 'type mismatch: ApplyConfiguration.expression should evaluate to Object';
  const configuration = made as JsonObject;
  const atomics = atomicsIn(configuration, schema);
  if (atomics.length > 0) {
    const rule = 'may not mutate atomic arrays, maps or structs';
    return `error applying patch: invalid ApplyConfiguration: ${rule}: ${atomics.join(', ')}`;
  }
  return mergeConfiguration(object, configuration, schema) as KubeObject;
}

function withPatch(object: KubeObject, made: unknown): KubeObject | string {
  if (!Array.isArray(made) || !made.every(isObject)) {
    return 'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch';
  }
  const patched = applyPatchTo(object, made as JsonObject[]);
  return patched.ok ? patched.object : `JSON Patch: ${patched.reason}`;
}
