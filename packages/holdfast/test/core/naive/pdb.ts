import { parseAmount } from '../../../../base/src/int-or-string.ts';
import { matches, parseSelector } from '../../../../base/src/labels/label-selector.ts';
import { hasProbe } from '../../../../base/src/probes/probe.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import { type GroupMinimum, type PdbScope, parsePdbScope } from '../../../src/api/pdb-scope.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { parseTakeover } from '../../../src/api/takeover.ts';
import type { BudgetRef } from '../../../src/core/verdict.ts';
import { type Expected, expectedGroups, expectedPods, expectedPodsOfPlain } from './expected.ts';
import { type Group, type Grouping, groupOf, membership } from './groups.ts';
import { isHealthy, isReady, works } from './health.ts';
import { nativeGroup } from './native.ts';
import { isCounted, isInDoubt } from './owners.ts';
import { groupMinima } from './pdb-minimum.ts';
import {
  type Amounts,
  type Answer,
  desiredOf,
  judge,
  type NaiveNumbers,
  numbersFrom,
  type UnhealthyRule,
  type Unit,
} from './rule.ts';
import { isTerminating, labelsOf, type NaiveState, namespaceOf, podsOf, reservationOf } from './state.ts';

export function pdbRef(pdb: PodDisruptionBudget): BudgetRef {
  return { kind: 'PodDisruptionBudget', namespace: namespaceOf(pdb), name: pdb.metadata.name };
}

export function selects(pdb: PodDisruptionBudget, pod: Pod): boolean {
  const source = pdb.spec?.selector;
  if (source === undefined || source === null || namespaceOf(pdb) !== namespaceOf(pod)) return false;
  const selector = parseSelector(source, 'spec.selector');
  return selector.ok && matches(selector.value, labelsOf(pod));
}

function selected(state: NaiveState, pdb: PodDisruptionBudget): readonly Pod[] {
  return podsOf(state, namespaceOf(pdb)).filter((pod) => selects(pdb, pod));
}

function unhealthyRule(pdb: PodDisruptionBudget): UnhealthyRule {
  const word = pdb.spec?.unhealthyPodEvictionPolicy ?? 'IfHealthyBudget';
  return word === 'AlwaysAllow' ? 'always' : word === 'IfHealthyBudget' ? 'ifHealthy' : 'never';
}

function amountsOf(pdb: PodDisruptionBudget): Amounts | undefined {
  const { maxUnavailable, minAvailable } = pdb.spec ?? {};
  if ((maxUnavailable === undefined) === (minAvailable === undefined)) return undefined;
  const amount = parseAmount(maxUnavailable ?? minAvailable, 'spec');
  if (!amount.ok) return undefined;
  return maxUnavailable === undefined ? { min: amount.value } : { max: amount.value };
}

type Reading =
  | { readonly mode: 'invalid' }
  | { readonly mode: 'plain'; readonly amounts: Amounts; readonly takeover: boolean }
  | { readonly mode: 'perPod'; readonly amounts: Amounts; readonly takeover: boolean }
  | {
      readonly mode: 'group';
      readonly amounts: Amounts;
      readonly takeover: boolean;
      readonly grouping: Grouping;
      readonly minimum?: GroupMinimum;
    };

/** P1, P8 */
function readPdb(state: NaiveState, pdb: PodDisruptionBudget): Reading {
  const scope = parsePdbScope(pdb);
  const takeover = parseTakeover(pdb);
  const amounts = amountsOf(pdb);
  if (!scope.ok || !takeover.ok || amounts === undefined) return { mode: 'invalid' };
  const common = { amounts, takeover: takeover.value };
  if (scope.value.kind === 'group') return { mode: 'group', ...common, ...explicitGrouping(scope.value) };
  const pods = selected(state, pdb);
  const native: Grouping = { by: 'native' };
  const isGrouped = (pod: Pod) => membership(state, pod, native) !== undefined || isUndivided(state, pod);
  if (scope.value.kind === 'automatic' && pods.some(isGrouped)) {
    return { mode: 'group', ...common, grouping: native };
  }
  return { mode: pods.some(hasProbe) ? 'perPod' : 'plain', ...common };
}

function explicitGrouping(scope: Extract<PdbScope, { kind: 'group' }>): { grouping: Grouping; minimum?: GroupMinimum } {
  const grouping: Grouping =
    scope.labelKey === undefined ? { by: 'convention' } : { by: 'label', label: scope.labelKey };
  return scope.minimum === undefined ? { grouping } : { grouping, minimum: scope.minimum };
}

type GroupReading = Extract<Reading, { mode: 'group' }>;

/** P5: a gang of several replicas of which the pod names none. */
function isUndivided(state: NaiveState, pod: Pod): boolean {
  return nativeGroup(state, pod).kind === 'undivided';
}

/** P4: every group of which a pod is selected. */
function reachedGroups(state: NaiveState, pdb: PodDisruptionBudget, reading: GroupReading): readonly Group[] {
  const groups = selected(state, pdb).flatMap((pod) => groupOf(state, pod, reading.grouping) ?? []);
  return [...new Map(groups.map((group) => [group.key, group])).values()];
}

interface Counted {
  readonly available: number;
  readonly desired: number | undefined;
  readonly expected: Expected | undefined;
}

function serving(state: NaiveState, pods: readonly Pod[], now: number): readonly Pod[] {
  return pods.filter((pod) => isCounted(state, pod) && isHealthy(state, pod, now));
}

function countGroups(state: NaiveState, pdb: PodDisruptionBudget, reading: GroupReading, now: number): Counted {
  const groups = reachedGroups(state, pdb, reading);
  const isUp = (group: Group) =>
    serving(state, group.pods, now).length >= groupMinima(state, group, reading.minimum, groups).minimum;
  const expected = expectedGroups(state, namespaceOf(pdb), groups);
  return { available: groups.filter(isUp).length, desired: desiredOf(reading.amounts, expected), expected };
}

function countPods(state: NaiveState, pdb: PodDisruptionBudget, amounts: Amounts, now: number): Counted {
  const pods = selected(state, pdb);
  const expected = expectedPods(state, pods);
  return { available: serving(state, pods, now).length, desired: desiredOf(amounts, expected), expected };
}

/** P3. The target counts although its own eviction was admitted before. */
function countPlain(state: NaiveState, pdb: PodDisruptionBudget, amounts: Amounts, target?: Pod): Counted {
  const pods = selected(state, pdb);
  const isAdmitted = (pod: Pod) => pod !== target && wasAdmitted(pdb, pod);
  const healthy = pods.filter(
    (pod) => isReady(pod) && !isTerminating(pod) && reservationOf(state, pod) === undefined && !isAdmitted(pod),
  );
  const expected = amounts.min?.kind === 'count' ? { count: pods.length } : expectedPodsOfPlain(state, pods);
  return { available: healthy.length, desired: desiredOf(amounts, expected), expected };
}

function wasAdmitted(pdb: PodDisruptionBudget, pod: Pod): boolean {
  return pod.metadata.name in (pdb.status?.disruptedPods ?? {});
}

/** Whether a budget judges the pod by itself, or is the built-in check's business unless entangled, or neither (P1, P4, P5). */
export function sayOf(state: NaiveState, pdb: PodDisruptionBudget, pod: Pod): 'judges' | 'builtIn' | 'none' {
  const reading = readPdb(state, pdb);
  if (reading.mode !== 'group') {
    if (!selects(pdb, pod)) return 'none';
    return reading.mode === 'plain' ? 'builtIn' : 'judges';
  }
  const own = membership(state, pod, reading.grouping);
  if (own !== undefined) {
    return reachedGroups(state, pdb, reading).some((group) => group.key === own.key) ? 'judges' : 'none';
  }
  return selects(pdb, pod) ? 'judges' : 'none';
}

export function answerOfPdb(state: NaiveState, pdb: PodDisruptionBudget, pod: Pod, now: number): Answer {
  const reading = readPdb(state, pdb);
  const budget = pdbRef(pdb);
  const unhealthy = unhealthyRule(pdb);
  const always = unhealthy === 'always';
  // What cannot be read may have turned the takeover off (P9).
  if (reading.mode === 'invalid') return { budget, always: false, takeover: false, refusal: 'BudgetInvalid' };
  const { takeover } = reading;
  if (reading.mode === 'plain') {
    const answer = answerOfPlain(state, pdb, reading.amounts, pod);
    return {
      ...(answer.charge === undefined || isFreeByPolicy(answer, pdb, pod) ? answer : byCounter(answer, pdb, pod)),
      takeover,
    };
  }
  if (reading.mode !== 'group') {
    const unit = unitOf(state, [pod], { name: pod.metadata.name, kind: 'pod', minimum: 1, least: 1 }, now);
    return { ...judge(budget, unit, pod, countPods(state, pdb, reading.amounts, now), unhealthy), takeover };
  }
  const group = groupOf(state, pod, reading.grouping);
  // Left out of a mixed selection, it is judged as the built-in check would (P5).
  if (group === undefined && reading.grouping.by === 'native' && !isUndivided(state, pod)) {
    return { ...answerOfPlain(state, pdb, reading.amounts, pod), takeover };
  }
  if (group === undefined) return { budget, always, takeover, refusal: 'GroupNotResolved' };
  const minima = groupMinima(state, group, reading.minimum, reachedGroups(state, pdb, reading));
  const unit = unitOf(state, group.pods, { name: group.unit, kind: 'group', ...minima }, now);
  return { ...judge(budget, unit, pod, countGroups(state, pdb, reading, now), unhealthy), takeover };
}

function unitOf(
  state: NaiveState,
  pods: readonly Pod[],
  about: Pick<Unit, 'name' | 'kind' | 'minimum' | 'least'>,
  now: number,
): Unit {
  return {
    ...about,
    counted: pods.filter((pod) => isCounted(state, pod)),
    inDoubt: pods.filter((pod) => isInDoubt(state, pod)),
    isHealthy: (pod) => isHealthy(state, pod, now),
    works: (pod) => works(state, pod, now),
  };
}

/** P3. A pod that is not Ready and not let go for that may still go where a Ready one may, as in Kubernetes. */
function answerOfPlain(state: NaiveState, pdb: PodDisruptionBudget, amounts: Amounts, pod: Pod): Answer {
  const budget = pdbRef(pdb);
  const unhealthy = unhealthyRule(pdb);
  const always = unhealthy === 'always';
  const { available, desired, expected } = countPlain(state, pdb, amounts, pod);
  const allowed = desired !== undefined && (expected?.count ?? 0) > 0 ? Math.max(0, available - desired) : 0;
  const isMet = unhealthy === 'ifHealthy' && desired !== undefined && desired > 0 && available >= desired;
  const unhealthyMayGo = !isReady(pod) && (always || isMet);
  if (!unhealthyMayGo && desired === undefined) return { budget, always, refusal: 'ExpectedUnknown' };
  if (!unhealthyMayGo && allowed === 0) {
    return { budget, always, refusal: isReady(pod) ? 'BudgetExhausted' : 'UnhealthyRefused' };
  }
  const effect = isReady(pod) ? 'breaks' : 'down';
  const charge = {
    ...({ budget, unit: pod.metadata.name, unitKind: 'pod', effect, available } as const),
    ...(desired === undefined ? {} : { desired }),
    ...(expected === undefined ? {} : { expected: expected.count }),
  };
  return { budget, always, charge, restsOnTarget: effect === 'down' };
}

/** P3: a pod that is not Ready and that the policy lets go takes nothing from the counter. */
function isFreeByPolicy({ always, charge }: Answer, pdb: PodDisruptionBudget, pod: Pod): boolean {
  if (isReady(pod) || charge === undefined) return false;
  const { available, desired = 0 } = charge;
  return always || (unhealthyRule(pdb) === 'ifHealthy' && desired > 0 && available >= desired);
}

/** P3: what the API server stored has the last word, where it is known. */
function byCounter(answer: Answer, pdb: PodDisruptionBudget, pod: Pod): Answer {
  const { disruptionsAllowed, observedGeneration = 0 } = pdb.status ?? {};
  const isCounted = observedGeneration >= (pdb.metadata.generation ?? 0) && (disruptionsAllowed ?? 0) > 0;
  if (disruptionsAllowed === undefined || wasAdmitted(pdb, pod) || isCounted) return { ...answer, counts: true };
  return { budget: answer.budget, always: answer.always, refusal: 'NotCountedYet' };
}

/** A plain PDB that is only ever asked with others (P9). */
export function isPlain(state: NaiveState, pdb: PodDisruptionBudget): boolean {
  return readPdb(state, pdb).mode === 'plain';
}

export function numbersOfPdb(state: NaiveState, pdb: PodDisruptionBudget, now: number): NaiveNumbers {
  const reading = readPdb(state, pdb);
  if (reading.mode === 'invalid') return { mode: 'invalid', available: 0 };
  const counted =
    reading.mode === 'group'
      ? countGroups(state, pdb, reading, now)
      : reading.mode === 'perPod'
        ? countPods(state, pdb, reading.amounts, now)
        : countPlain(state, pdb, reading.amounts);
  return numbersFrom(reading.mode, counted.available, counted.desired, counted.expected);
}
