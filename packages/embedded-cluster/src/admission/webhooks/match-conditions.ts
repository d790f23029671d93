import { CelCache, type CelCompiled } from '../../cel/cel.ts';

/** What an expression may name. */
export const matchConditionVariables = ['object', 'oldObject', 'request'] as const;

/** A configuration is read again for each of its versions, and most of them change a certificate alone. */
const programs = new CelCache();

export function compileMatchCondition(expression: string): CelCompiled {
  return programs.compile(expression, matchConditionVariables);
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
  readonly compiled: CelCompiled;
}

export type ConditionsOutcome =
  | { readonly kind: 'met' }
  | { readonly kind: 'unmet' }
  | { readonly kind: 'error'; readonly message: string };

/** One condition that is false settles it, whatever errors the others have. */
export function evaluateConditions(
  conditions: readonly MatchCondition[],
  bindings: Readonly<Record<string, unknown>>,
): ConditionsOutcome {
  const errors: string[] = [];
  for (const { expression, compiled } of conditions) {
    const result = compiled.ok ? compiled.program.evaluate(bindings) : compiled;
    if (!result.ok) errors.push(`expression '${expression}' resulted in error: ${result.message}`);
    else if (result.value === false) return { kind: 'unmet' };
    else if (result.value !== true) errors.push(`expression '${expression}' resulted in error: must evaluate to bool`);
  }
  if (errors.length === 0) return { kind: 'met' };
  return { kind: 'error', message: errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]` };
}
