import { formatFieldErrors } from '@holdfast/base/field-errors';
import type { Condition } from '@holdfast/base/meta';
import type { PodUnavailableBudgetStatus } from '../../api/pub/pub.ts';
import type { ConditionCode } from '../../api/refusals/reasons.ts';
import { agree, counted } from '../../api/wording.ts';
import { labelOf } from '../label.ts';
import { isRemoval } from '../request.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import type { PubUnit } from '../world/pub/pub-unit.ts';
import type { World } from '../world/world.ts';
import { type Guard, keepTransition, statusTime } from './condition.ts';
import { neverText, uncountedText } from './status-words.ts';

/** Lists in a status are cut here; the numbers are always whole. */
const maxListed = 500;

/** The status that a PodUnavailableBudget should have (S1). `previous` keeps the times of what has not changed. */
export function pubStatus(
  world: World,
  namespace: string,
  name: string,
  guard: Guard,
  now: number,
  previous?: Partial<PodUnavailableBudgetStatus>,
): PodUnavailableBudgetStatus | undefined {
  world.advance(now);
  const state = world.namespace(namespace);
  const pub = state?.pubs.get(name);
  if (state === undefined || pub === undefined) return undefined;
  const time = statusTime(now);
  const total = pub.expected();
  const desired = pub.desired();
  const totalReplicas = total.known ? total.count : 0;
  return {
    observedGeneration: pub.generation,
    currentAvailable: pub.current,
    desiredAvailable: desired.known ? desired.count : 0,
    totalReplicas,
    // Where the desired number is not known, or pods are not counted, the budget refuses, so nothing is allowed.
    unavailableAllowed: desired.known && pub.uncounted === 0 ? allowed(pub, desired.count) : 0,
    unavailableReplicas: Math.max(0, totalReplicas - pub.available),
    ...reserved(state, pub),
    ...downGroups(pub, time, previous?.unavailablePodGroups ?? {}),
    conditions: conditionsOf(pub, guard).map((one) => keepTransition(one, previous?.conditions, time)),
  };
}

/** A budget that needs nothing lets all go, pods of workloads that are scaled to 0 among them: those are no supply for others. */
function allowed(pub: PubState, desired: number): number {
  return Math.max(0, (desired === 0 ? pub.current : pub.available) - desired);
}

function reserved(
  state: NamespaceState,
  pub: PubState,
): Pick<PodUnavailableBudgetStatus, 'disruptedPods' | 'unavailablePods'> {
  const disruptedPods: Record<string, string> = {};
  const unavailablePods: Record<string, string> = {};
  for (const { pod, uid, operation, time } of state.reservations.values()) {
    const record = state.pods.get(pod);
    if (record === undefined || record.uid !== uid || !pub.pods.has(record)) continue;
    const list = isRemoval(operation) ? disruptedPods : unavailablePods;
    list[pod] = time;
  }
  return { ...named('disruptedPods', disruptedPods), ...named('unavailablePods', unavailablePods) };
}

function downGroups(
  pub: PubState,
  time: string,
  before: Readonly<Record<string, string>>,
): Pick<PodUnavailableBudgetStatus, 'unavailablePodGroups'> {
  if (pub.rules?.groups === undefined) return {};
  const units = [...pub.units.values()];
  // A label value alone does not tell index 0 of one owner from index 0 of another.
  const severalOwners = new Set(units.map((unit) => unit.root)).size > 1;
  const nameOf = (unit: PubUnit): string =>
    severalOwners && unit.root !== undefined ? `${unit.root.name}/${unit.display}` : unit.display;
  const down = units.filter((unit) => !pub.isAvailable(unit)).map(nameOf);
  const entries = down.sort().map((name) => [name, before[name] ?? time] as const);
  return named('unavailablePodGroups', Object.fromEntries(entries));
}

function named<K extends string>(key: K, map: Record<string, string>): Partial<Record<K, Record<string, string>>> {
  const entries = Object.entries(map);
  if (entries.length === 0) return {};
  return { [key]: Object.fromEntries(entries.slice(0, maxListed)) } as Partial<Record<K, Record<string, string>>>;
}

/** `Enforced` is always there; the others only while something is wrong. */
function conditionsOf(pub: PubState, guard: Guard): readonly Condition[] {
  const conditions: Condition[] = [enforced(pub, guard)];
  const wrong = (type: ConditionCode | 'TooManyBudgets', message: string | undefined): void => {
    if (message !== undefined) conditions.push({ type, status: 'True', reason: type, message });
  };
  wrong('NeverSufficient', neverAllows(pub));
  wrong('MissingGroupLabel', missingLabel(pub));
  wrong('UnreachableMinReadyReplicas', unreachable(pub));
  wrong('MinReadyReplicasBelowSize', belowSize(pub));
  wrong('UnitsForgettable', forgettable(pub));
  wrong('WorkloadNotFound', notFound(pub));
  wrong('TooManyBudgets', pub.uncounted === 0 ? undefined : uncountedText(pub.uncounted));
  return conditions;
}

function enforced(pub: PubState, guard: Guard): Condition {
  const no = (reason: string, message: string): Condition => ({ type: 'Enforced', status: 'False', reason, message });
  if (guard.kind === 'off') return no('NotGuarded', guard.message);
  if (guard.kind === 'observed') return no('Observed', `the budget is observed, not enforced: ${guard.message}`);
  if (pub.rules === undefined)
    return no(
      'BudgetInvalid',
      `the budget is not valid, so it refuses every pod that it may cover: ${formatFieldErrors(pub.errors)}`,
    );
  const desired = pub.desired();
  if (!desired.known) {
    return no(
      'ExpectedUnknown',
      `the budget refuses every disruption that takes a pod or a group down: ${desired.why}`,
    );
  }
  return {
    type: 'Enforced',
    status: 'True',
    reason: 'Enforced',
    message: 'the budget decides on voluntary disruptions of its pods',
  };
}

/** Of a budget without pods nothing is said: they may come. */
function neverAllows(pub: PubState): string | undefined {
  const desired = pub.desired();
  if (pub.rules === undefined || !desired.known || desired.count === 0 || pub.pods.size === 0) return undefined;
  return neverText(pub.remedy(desired.count), desired.count, pub.rules.groups === undefined ? 'pod' : 'group');
}

function missingLabel(pub: PubState): string | undefined {
  const key = pub.rules?.groups?.labelKey;
  if (key === undefined) return undefined;
  const without = [...pub.pods]
    .filter((pod) => pod.live && labelOf(pod.labels, key) === undefined)
    .map((pod) => pod.name);
  if (without.length === 0) return undefined;
  const have = agree(without.length, 'has', 'have');
  const are = agree(without.length, 'is a unit of its own', 'are units of their own');
  return `${counted(without.length, 'pod')} ${have} no label ${key}, so ${agree(without.length, 'it', 'they')} ${are}: ${someOf(without)}`;
}

function unreachable(pub: PubState): string | undefined {
  if (pub.rules?.groups === undefined) return undefined;
  const units = [...pub.units.values()];
  const largest = Math.max(0, ...units.map((unit) => unit.statedSize ?? unit.live));
  if (units.length === 0 || largest >= pub.minimum) return undefined;
  const what = units.length === 1 ? 'its only group has' : `the largest of ${units.length} groups has`;
  return `minReadyReplicas is ${pub.minimum}, and ${what} ${counted(largest, 'pod')}; it counts as the full size of a group`;
}

/** It is legal, and often not meant: a group of a LeaderWorkerSet is recreated as a whole when one of its pods goes. */
function belowSize(pub: PubState): string | undefined {
  if (pub.rules?.groups === undefined) return undefined;
  const short = [...pub.units.values()].filter((unit) => (unit.statedSize ?? 0) > pub.minimum);
  const [first] = short.map((unit) => unit.display).sort();
  const size = short.find((unit) => unit.display === first)?.statedSize;
  if (first === undefined || size === undefined) return undefined;
  return `minReadyReplicas is ${pub.minimum}, and group ${first} has ${size} pods: ${counted(size - pub.minimum, 'pod')} of it may be disrupted at no cost, although its owner may recreate the whole group for one of them`;
}

/** Nothing states how many units there should be: the total shrinks with each that goes and does not come back (I11). */
function forgettable(pub: PubState): string | undefined {
  const { maxUnavailable, minAvailable } = pub.rules ?? {};
  // An integer minAvailable wants its number, whatever the total is.
  if (maxUnavailable === undefined && minAvailable?.kind !== 'percent') return undefined;
  const expected = pub.expected();
  if (!expected.known || expected.source !== 'seen' || expected.count === 0) return undefined;
  return pub.rules?.groups === undefined
    ? 'nothing states how many pods there should be: a pod that is deleted and not replaced is forgotten, and the budget needs fewer'
    : 'nothing states how many groups there should be: a group is forgotten when its last pod is deleted, and the budget needs fewer';
}

function notFound(pub: PubState): string | undefined {
  const owner = pub.targetOwner;
  return owner?.state === 'gone' ? `${owner.display} does not exist, so the budget protects no pods of it` : undefined;
}

const maxNames = 5;

function someOf(names: readonly string[]): string {
  const shown = [...names].sort().slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown}, ...` : shown;
}
