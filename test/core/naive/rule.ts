import { type Amount, resolveAmount } from '../../../src/api/int-or-string.ts';
import type { RefusalCode } from '../../../src/api/reasons.ts';
import type { BudgetRef, ExpectedSource } from '../../../src/core/verdict.ts';
import type { Expected } from './expected.ts';

export interface NaiveCharge {
  readonly budget: BudgetRef;
  readonly unit: string;
  readonly unitKind: 'pod' | 'group';
  readonly effect: 'surplus' | 'breaks' | 'down';
  readonly available: number;
  readonly desired: number;
  readonly expected?: number;
}

export interface NaiveRefusal {
  readonly code: RefusalCode;
  readonly budget?: BudgetRef;
}

/** What one budget that is concerned answers. */
export interface Answer {
  readonly budget: BudgetRef;
  readonly refusal?: RefusalCode;
  readonly charge?: NaiveCharge;
  /** Its unhealthy rule is "always". */
  readonly always: boolean;
  readonly takeover?: boolean;
  /** The group of the pod would be down even if the pod itself were healthy (I10). */
  readonly brokenAnyway?: boolean;
}

export interface NaiveNumbers {
  readonly mode: 'group' | 'perPod' | 'plain' | 'pub' | 'invalid';
  readonly available: number;
  readonly desired?: number;
  readonly expected?: number;
  readonly source?: ExpectedSource;
}

export interface Amounts {
  readonly max?: Amount;
  readonly min?: Amount;
}

/** N3. Nothing when the expected number is needed and unknown. */
export function desiredOf({ max, min }: Amounts, expected: Expected | undefined): number | undefined {
  const wanted: (number | undefined)[] = [];
  if (min?.kind === 'count') wanted.push(min.count);
  if (min?.kind === 'percent') wanted.push(expected && resolveAmount(min, expected.count));
  if (max !== undefined) wanted.push(expected && Math.max(0, expected.count - resolveAmount(max, expected.count)));
  const known = wanted.filter((value) => value !== undefined);
  return known.length < wanted.length ? undefined : Math.max(0, ...known);
}

/** A unit as the rule sees it: how many of its pods serve, and whether the target is one of them. */
export interface Unit {
  readonly name: string;
  readonly kind: 'pod' | 'group';
  readonly minimum: number;
  readonly serving: number;
  readonly targetServes: boolean;
}

/** N4 */
export function judge(
  budget: BudgetRef,
  unit: Unit,
  numbers: { available: number; desired: number | undefined; expected: Expected | undefined },
  always: boolean,
): Answer {
  const { available, desired, expected } = numbers;
  const without = unit.serving - (unit.targetServes ? 1 : 0);
  const brokenAnyway = unit.kind === 'group' && without + 1 < unit.minimum;
  if (desired === undefined) return { budget, always, brokenAnyway, refusal: 'ExpectedUnknown' };
  const isUp = unit.serving >= unit.minimum;
  const effect = isUp ? (without >= unit.minimum ? 'surplus' : 'breaks') : 'down';
  const mayGoDown = always || desired === 0 || available >= desired;
  const allowed = { surplus: true, breaks: available - 1 >= desired, down: mayGoDown }[effect];
  if (!allowed) {
    return { budget, always, brokenAnyway, refusal: effect === 'down' ? 'UnhealthyRefused' : 'BudgetExhausted' };
  }
  const charge = { budget, unit: unit.name, unitKind: unit.kind, effect, available, desired } as const;
  return {
    budget,
    always,
    brokenAnyway,
    charge: expected === undefined ? charge : { ...charge, expected: expected.count },
  };
}

export function numbersFrom(
  mode: NaiveNumbers['mode'],
  available: number,
  desired: number | undefined,
  expected: Expected | undefined,
): NaiveNumbers {
  return {
    mode,
    available,
    ...(desired === undefined ? {} : { desired }),
    ...(expected === undefined ? {} : { expected: expected.count }),
    ...(expected?.source === undefined ? {} : { source: expected.source }),
  };
}
