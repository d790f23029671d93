import { celValue } from '../../cel/values.ts';
import { evaluateConditions } from '../webhooks/match-conditions.ts';
import type { Policy, PolicyFrame, Validation } from './policy.ts';

/** What a policy says to a request: everything that it does not agree with. */
export interface Objection {
  readonly message: string;
  readonly reason: string;
}

export type Bindings = Readonly<Record<string, unknown>>;

/** Errors count as objections, unless the policy ignores them. */
export function evaluatePolicy(policy: Policy, inputs: Bindings): readonly Objection[] {
  const { bindings, failures } = withVariables(policy, inputs);
  const outcome = evaluateConditions(policy.conditions, bindings);
  if (outcome.kind === 'unmet') return [];
  if (outcome.kind === 'error') return policy.ignoreFailures ? [] : [{ message: outcome.message, reason: 'Invalid' }];
  return policy.validations.flatMap((validation) =>
    objectionsOf(validation, { bindings, failures }, policy.ignoreFailures),
  );
}

export interface Scene {
  readonly bindings: Bindings;
  /** Why variables have no value, by their names. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Each may name those before it. One that fails is not there, so that only who names it fails, too. */
export function withVariables({ variables }: PolicyFrame, inputs: Bindings): Scene {
  const failures = new Map<string, string>();
  const values = new Map<string, unknown>();
  const bindings: Record<string, unknown> = { ...inputs, variables: values };
  for (const { name, compiled } of variables) {
    const result = compiled.ok ? compiled.program.evaluate(bindings) : compiled;
    if (result.ok) values.set(name, celValue(result.value));
    else failures.set(name, result.message);
  }
  return { bindings, failures };
}

function objectionsOf(
  validation: Validation,
  { bindings, failures }: Scene,
  ignoreFailures: boolean,
): readonly Objection[] {
  const { expression, compiled, reason } = validation;
  const result = compiled.ok ? compiled.program.evaluate(bindings) : compiled;
  if (result.ok && result.value === true) return [];
  if (result.ok && result.value === false) return [{ message: messageOf(validation, bindings), reason }];
  if (ignoreFailures) return [];
  const why = result.ok ? 'must evaluate to bool' : causeOf(result.message, failures);
  return [{ message: `expression '${expression}' resulted in error: ${why}`, reason: 'Invalid' }];
}

/** A variable that is missed because it failed is told by that failure. */
export function causeOf(message: string, failures: ReadonlyMap<string, string>): string {
  const missed = /^no such key: (.+)$/.exec(message)?.[1] ?? '';
  const failure = failures.get(missed);
  return failure === undefined ? message : `composited variable "${missed}" fails to evaluate: ${failure}`;
}

function messageOf({ expression, message, messageProgram }: Validation, bindings: Bindings): string {
  const told = messageProgram?.ok ? messageProgram.program.evaluate(bindings) : undefined;
  const text = told?.ok && typeof told.value === 'string' ? told.value.trim() : '';
  // What is empty or has several lines is no message; the real server passes over it, too.
  if (text !== '' && !text.includes('\n')) return text;
  return message ?? `failed expression: ${expression}`;
}
