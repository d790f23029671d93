import { dimensions } from './holes.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What something is for one choice of a variant in each dimension. Undefined: it is not there. */
export interface Member<T = Json | undefined> {
  readonly choice: readonly number[];
  readonly value: T;
}

export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'sometimes'; readonly expression: string };

/** Whether a member is of one variant of one dimension. */
export interface Split {
  readonly dimension: number;
  readonly variant: number;
  readonly when: string;
}

export function isOf({ dimension, variant }: Split, { choice }: Member<unknown>): boolean {
  return choice[dimension] === variant;
}

/** The question whose answer tells most about what the members are. */
export function bestSplit(members: readonly Member<unknown>[]): Split {
  const keys = members.map(({ value }) => JSON.stringify(value) ?? 'absent');
  let best: { readonly split: Split; readonly purity: number } | undefined;
  for (const split of splits) {
    const answers = members.map((member) => isOf(split, member));
    const yes = keys.filter((_, index) => answers[index]);
    const no = keys.filter((_, index) => !answers[index]);
    if (yes.length === 0 || no.length === 0) continue;
    const purity = agreement(yes) + agreement(no);
    if (best === undefined || purity > best.purity + 1e-9) best = { split, purity };
  }
  if (best === undefined) throw new Error('the same values of an installation give different manifests');
  return best.split;
}

const splits: readonly Split[] = dimensions.flatMap((variants, dimension) =>
  variants.map(({ when }, variant) => ({ dimension, variant, when })),
);

/** The more of them are the same, the more; at most as many as there are. */
function agreement(keys: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + count * count, 0) / keys.length;
}

/** When the members are true, in words of Go's templates. */
export function conditionOf(members: readonly Member<boolean>[]): Condition {
  if (members.every(({ value }) => value)) return { kind: 'always' };
  if (members.every(({ value }) => !value)) return { kind: 'never' };
  const split = bestSplit(members);
  const yes = conditionOf(members.filter((member) => isOf(split, member)));
  const no = conditionOf(members.filter((member) => !isOf(split, member)));
  return { kind: 'sometimes', expression: branch(split.when, yes, no) };
}

function branch(when: string, yes: Condition, no: Condition): string {
  const [is, isNot] = [wrapped(when), wrapped(negated(when))];
  if (yes.kind === 'always') return no.kind === 'sometimes' ? `or ${is} ${wrapped(no.expression)}` : when;
  if (yes.kind === 'never') return no.kind === 'sometimes' ? `and ${isNot} ${wrapped(no.expression)}` : negated(when);
  if (no.kind === 'never') return `and ${is} ${wrapped(yes.expression)}`;
  if (no.kind === 'always') return `or ${isNot} ${wrapped(yes.expression)}`;
  return `or (and ${is} ${wrapped(yes.expression)}) (and ${isNot} ${wrapped(no.expression)})`;
}

function negated(when: string): string {
  const inner = /^not \((.*)\)$/.exec(when)?.[1] ?? /^not (\$\S+)$/.exec(when)?.[1];
  return inner ?? `not ${wrapped(when)}`;
}

function wrapped(expression: string): string {
  return /^\$\S+$/.test(expression) ? expression : `(${expression})`;
}
