import { type Amount, resolveAmount } from '../../../../base/src/int-or-string.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { RefusalCode } from '../../../src/api/refusals/reasons.ts';
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
  /** With as many healthy pods it is available; with fewer than `least` it is not. They differ where its size is not known. */
  readonly minimum: number;
  readonly least: number;
  /** Its pods that count (N1). */
  readonly counted: readonly Pod[];
  /** Those that would count, were they not reserved on a condition (N6). */
  readonly inDoubt: readonly Pod[];
  readonly isHealthy: (pod: Pod) => boolean;
  /** It is healthy or Ready (H5). */
  readonly works: (pod: Pod) => boolean;
}

export function isAvailable(unit: Unit): boolean {
  return unit.counted.filter(unit.isHealthy).length >= unit.minimum;
}

type State = NaiveCharge['effect'] | 'withheld';

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
  const { minimum, least, counted, inDoubt, works } = unit;
  const present = [...counted, ...inDoubt];
  const others = present.filter((pod) => pod !== target);
  const brokenAnyway = unit.kind === 'group' && others.filter(works).length + 1 < least;
  const isUp = isAvailable(unit);
  const states = possibleStates(unit, target);
  if (states.includes('withheld')) return { budget, always, brokenAnyway, refusal: 'UnitWithheld' };
  const effect = states.includes('breaks') ? 'breaks' : isUp ? 'surplus' : 'down';
  const available = numbers.available + (effect === 'breaks' && !isUp ? 1 : 0);
  const refused = refusalOf(effect, available, desired, unhealthy);
  const sizeUnknown = least < minimum && counted.filter(unit.isHealthy).length >= least;
  const doubt = sizeUnknown ? 'GroupSizeUnknown' : 'DisruptionUnproven';
  const refusal = refused === 'BudgetExhausted' && !isUp ? doubt : refused;
  if (refusal !== undefined) return { budget, always, brokenAnyway, refusal };
  const charge = {
    ...({ budget, unit: unit.name, unitKind: unit.kind, effect, available } as const),
    ...(desired === undefined ? {} : { desired }),
    ...(expected === undefined ? {} : { expected: expected.count }),
  };
  // A single pod is down when it is not healthy; a group is down because of pods that do not even work (H5).
  const keepsDown = (pod: Pod) => !(unit.kind === 'group' ? works(pod) : unit.isHealthy(pod));
  const restsOnTarget = effect === 'down' && (!counted.includes(target) || keepsDown(target));
  const couldBeUp = present.length >= least && present.filter((pod) => !keepsDown(pod)).length < least;
  const restsOn = effect === 'down' && couldBeUp ? others.filter(keepsDown).map((pod) => pod.metadata.name) : [];
  return { budget, always, brokenAnyway, charge, restsOnTarget, restsOn };
}

/** N6, U2: what the loss of the target may mean, for every choice of pods in doubt that stay, and for every possible minimum. */
function possibleStates(unit: Unit, target: Pod): readonly State[] {
  const minima = Array.from({ length: unit.minimum - unit.least + 1 }, (_, i) => unit.least + i);
  return choicesOf(unit.inDoubt).flatMap((staying) => {
    const pods = [...unit.counted, ...staying];
    return minima.map((minimum) => stateOf(unit, pods, target, minimum));
  });
}

function choicesOf(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const [first, ...rest] = pods;
  if (first === undefined) return [[]];
  return choicesOf(rest).flatMap((choice) => [choice, [first, ...choice]]);
}

function stateOf(unit: Unit, pods: readonly Pod[], target: Pod, minimum: number): State {
  const healthy = pods.filter(unit.isHealthy);
  if (healthy.length >= minimum) {
    return healthy.filter((pod) => pod !== target).length >= minimum ? 'surplus' : 'breaks';
  }
  return unit.kind === 'group' && pods.filter(unit.works).length >= minimum ? 'withheld' : 'down';
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
