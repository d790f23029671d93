import { type Amount, resolveAmount } from '../../../src/api/int-or-string.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { RefusalCode } from '../../../src/api/reasons.ts';
import type { BudgetRef, ExpectedSource } from '../../../src/core/verdict.ts';
import type { Expected } from './expected.ts';

export interface NaiveCharge {
  readonly budget: BudgetRef;
  readonly unit: string;
  readonly unitKind: 'pod' | 'group';
  readonly effect: 'surplus' | 'breaks' | 'down';
  readonly available: number;
  /** Absent where it is not known and the answer did not depend on it. */
  readonly desired?: number;
  readonly expected?: number;
}

export interface NaiveRefusal {
  readonly code: RefusalCode;
  readonly budget?: BudgetRef;
}

/** Whether a pod of a unit that is down may go; a word that we do not know means never. */
export type UnhealthyRule = 'always' | 'ifHealthy' | 'never';

/** What one budget that is concerned answers. */
export interface Answer {
  readonly budget: BudgetRef;
  readonly refusal?: RefusalCode;
  readonly charge?: NaiveCharge;
  readonly always: boolean;
  readonly takeover?: boolean;
  /** A takeover takes the eviction from this budget's own counter (P9). */
  readonly counts?: boolean;
  /** The unit is down, and the pod is one of those that do not serve: the answer holds while that is so (N5). */
  readonly restsOnTarget?: boolean;
  /** Other pods that keep the group down by not being healthy, where that is what keeps it down (N5). */
  readonly restsOn?: readonly string[];
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

/** A unit as the rule sees it. */
export interface Unit {
  readonly name: string;
  readonly kind: 'pod' | 'group';
  readonly minimum: number;
  /** Its pods that count (N1), and those of them that are healthy. */
  readonly counted: readonly Pod[];
  readonly serving: readonly Pod[];
  /** Those that would count, were they not reserved on a condition (N6), and those of them that are healthy. */
  readonly inDoubt: readonly Pod[];
  readonly servingInDoubt: readonly Pod[];
}

/** N4 */
export function judge(
  budget: BudgetRef,
  unit: Unit,
  target: Pod,
  numbers: { available: number; desired: number | undefined; expected: Expected | undefined },
  unhealthy: UnhealthyRule,
): Answer {
  const { desired, expected } = numbers;
  const always = unhealthy === 'always';
  const without = unit.serving.filter((pod) => pod !== target).length;
  const brokenAnyway = unit.kind === 'group' && without + unit.servingInDoubt.length + 1 < unit.minimum;
  const isUp = unit.serving.length >= unit.minimum;
  const effects = possibleEffects(unit, target);
  const effect = effects.includes('breaks') ? 'breaks' : isUp ? 'surplus' : 'down';
  const available = numbers.available + (effect === 'breaks' && !isUp ? 1 : 0);
  const refused = refusalOf(effect, available, desired, unhealthy);
  const refusal = refused === 'BudgetExhausted' && !isUp ? 'DisruptionUnproven' : refused;
  if (refusal !== undefined) return { budget, always, brokenAnyway, refusal };
  const charge = {
    ...({ budget, unit: unit.name, unitKind: unit.kind, effect, available } as const),
    ...(desired === undefined ? {} : { desired }),
    ...(expected === undefined ? {} : { expected: expected.count }),
  };
  const restsOnTarget = effect === 'down' && !unit.serving.includes(target);
  const served = [...unit.serving, ...unit.servingInDoubt];
  const present = [...unit.counted, ...unit.inDoubt];
  const idle = present.filter((pod) => pod !== target && !served.includes(pod));
  const couldBeUp = present.length >= unit.minimum && served.length < unit.minimum;
  const restsOn = effect === 'down' && couldBeUp ? idle.map((pod) => pod.metadata.name) : [];
  return { budget, always, brokenAnyway, charge, restsOnTarget, restsOn };
}

/** N6: what the loss of the target may mean, for each number of pods in doubt that turn out to stay. */
function possibleEffects(unit: Unit, target: Pod): readonly NaiveCharge['effect'][] {
  const own = unit.serving.includes(target) ? 1 : 0;
  return Array.from({ length: unit.servingInDoubt.length + 1 }, (_, staying) => {
    const serving = unit.serving.length + staying;
    if (serving < unit.minimum) return 'down';
    return serving - own >= unit.minimum ? 'surplus' : 'breaks';
  });
}

/** The number that is desired need not be known where the answer does not depend on it. */
function refusalOf(
  effect: NaiveCharge['effect'],
  available: number,
  desired: number | undefined,
  unhealthy: UnhealthyRule,
): RefusalCode | undefined {
  if (effect === 'surplus' || (effect === 'down' && unhealthy === 'always')) return undefined;
  if (desired === undefined) return 'ExpectedUnknown';
  if (effect === 'breaks') return available - 1 >= desired ? undefined : 'BudgetExhausted';
  const isMet = unhealthy === 'ifHealthy' && available >= desired;
  return desired === 0 || isMet ? undefined : 'UnhealthyRefused';
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
