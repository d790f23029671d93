import { Environment } from '@marcbachmann/cel-js';
import type { Schema } from '../kinds/schema.ts';
import { spent, withinStepBudget } from './budget.ts';
import { registerLibrary } from './library/library.ts';
import { registerJsonPatch } from './library/library-json-patch.ts';
import { type Loop, loopsOf } from './loops.ts';
import { compilationMessage, evaluationMessage, problemAt } from './messages.ts';
import { type FieldSelection, identifiers, meter, redirectCalls, selections } from './metering.ts';
import { withoutObjectLiterals } from './object-literals.ts';
import { declareTypes } from './type-check.ts';
import { celValue, markConverted } from './values.ts';

export type CelCompiled =
  | { readonly ok: true; readonly program: CelProgram }
  | { readonly ok: false; readonly message: string };

/** `cost` counts steps of the evaluation, for callers that bound many evaluations together. */
export type CelResult =
  | { readonly ok: true; readonly value: unknown; readonly cost: number }
  | { readonly ok: false; readonly message: string; readonly cost: number };

export interface CelProgram {
  readonly expression: string;
  /** As far as it can be told without values: 'bool', 'string', 'dyn', ... */
  readonly type: string;
  /** The variables that it reads, of those it may. */
  readonly reads: ReadonlySet<string>;
  /** The fields that it names, for callers that know which there are. */
  readonly selects: readonly FieldSelection[];
  /** Its loops, for callers that know how long what they go over may be. */
  readonly loops: readonly Loop[];
  /** JSON integers are CEL's int. Convert large bindings once with celValue when several programs read them. */
  evaluate(bindings: Readonly<Record<string, unknown>>): CelResult;
}

/** The real server bounds expressions by their estimated cost; a length is cheaper and does the same for the parser. */
export const maxExpressionLength = 64 * 1024;

const base = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 20_000, maxDepth: 200 },
});
registerLibrary(base);

const mutating = base.clone();
registerJsonPatch(mutating);

const environments = new Map<string, Environment>();

/** Few sets of variables exist: what admission and CRDs bind. */
function environmentFor(variables: readonly string[], from: Environment): Environment {
  const key = `${from === mutating} ${variables.join(' ')}`;
  const known = environments.get(key);
  if (known) return known;
  const environment = from.clone();
  for (const variable of variables) environment.registerVariable(variable, 'dyn');
  environments.set(key, environment);
  return environment;
}

export function compileCel(expression: string, variables: readonly string[]): CelCompiled {
  if (expression.length > maxExpressionLength) {
    return { ok: false, message: `compilation failed: expression is longer than ${maxExpressionLength} characters` };
  }
  if (expression.trim() === '') return { ok: false, message: 'expression is not specified' };
  return compileIn(environmentFor(variables, base), { expression, text: expression, place: (offset) => offset });
}

/** An expression of a mutating policy, which may make up objects. */
export function compileMutation(expression: string, variables: readonly string[]): CelCompiled {
  if (expression.length > maxExpressionLength || expression.trim() === '') return compileCel(expression, variables);
  const rewritten = withoutObjectLiterals(expression);
  if (!rewritten.ok) return { ok: false, message: problemAt(rewritten.offset, rewritten.message, expression) };
  return compileIn(environmentFor(variables, mutating), { expression, ...rewritten });
}

/**
 * What is wrong with an expression about objects of this schema, or undefined. Only of `objects` the types are known; of the other
 * variables anything is believed.
 */
export function typeProblem(
  expression: string,
  schema: Schema,
  variables: { readonly objects: readonly string[]; readonly others: readonly string[] },
): string | undefined {
  try {
    const environment = base.clone();
    const type = declareTypes(environment, schema, expression);
    for (const name of variables.objects) environment.registerVariable(name, type);
    for (const name of variables.others) environment.registerVariable(name, 'dyn');
    const parsed = environment.parse(expression);
    redirectCalls(parsed.ast);
    const checked = parsed.check();
    return checked.valid || aboutNull(checked.error) ? undefined : compilationMessage(checked.error, expression);
  } catch {
    // What cannot be parsed was refused when it was written.
    return undefined;
  }
}

/** Whether something is there may be asked of everything, which the checker does not know of objects. */
function aboutNull(error: unknown): boolean {
  return error instanceof Error && /\bnull\b/.test(error.message.split('\n')[0] ?? '');
}

interface Source {
  readonly expression: string;
  /** What is parsed for it. */
  readonly text: string;
  /** Where in the expression a place in that is. */
  place(offset: number): number;
}

function compileIn(environment: Environment, { expression, text, place }: Source): CelCompiled {
  try {
    const parsed = environment.parse(text);
    redirectCalls(parsed.ast);
    const loops = loopsOf(parsed.ast);
    const checked = parsed.check();
    if (!checked.valid) return { ok: false, message: compilationMessage(checked.error, expression, place) };
    meter(parsed.ast);
    return {
      ok: true,
      program: programOf(
        {
          expression,
          type: checked.type ?? 'dyn',
          reads: identifiers(parsed.ast),
          selects: selections(parsed.ast),
          loops,
        },
        parsed,
      ),
    };
  } catch (error) {
    return { ok: false, message: compilationMessage(error, expression, place) };
  }
}

function programOf(
  about: Omit<CelProgram, 'evaluate'>,
  run: (bindings: Record<string, unknown>) => unknown,
): CelProgram {
  return {
    ...about,
    evaluate(bindings) {
      try {
        const values: Record<string, unknown> = {};
        for (const [name, value] of Object.entries(bindings)) values[name] = celValue(value);
        return { ok: true, value: markConverted(withinStepBudget(() => run(values))), cost: spent() };
      } catch (error) {
        return { ok: false, message: evaluationMessage(error), cost: spent() };
      }
    },
  };
}

/** How many programs are kept; the oldest go first. */
const maxPrograms = 2_000;

/** Compiles each text once. Policies and schemas are read again and again, and compiling costs far more than evaluating. */
export class CelCache {
  readonly #programs = new Map<string, CelCompiled>();

  compile(expression: string, variables: readonly string[]): CelCompiled {
    const key = `${variables.join(' ')}\n${expression}`;
    const known = this.#programs.get(key);
    if (known) return known;
    const compiled = compileCel(expression, variables);
    this.#programs.set(key, compiled);
    if (this.#programs.size > maxPrograms) {
      for (const oldest of this.#programs.keys()) {
        this.#programs.delete(oldest);
        break;
      }
    }
    return compiled;
  }
}
