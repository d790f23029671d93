import { isDeepStrictEqual } from 'node:util';
import { matches } from '../../../../base/src/labels/label-selector.ts';
import { controllerOf, type OwnerReference } from '../../../../base/src/meta.ts';
import { annotation } from '../../../src/api/names.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PodUnavailableBudget, ProtectOperation } from '../../../src/api/pub/pub.ts';
import { type PubRules, readPub } from '../../../src/api/pub/pub-read.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { BudgetRef } from '../../../src/core/verdict.ts';
import { labelGroup } from './groups.ts';
import { isHealthyForPub, worksForPub } from './health.ts';
import {
  type Counting,
  chainOf,
  endsUnknown,
  isCounted,
  isIdle,
  isInDoubt,
  type Link,
  linkKey,
  lookUp,
  rootOwner,
} from './owners.ts';
import { expectedOfPub } from './pub-expected.ts';
import { minimaOf } from './pub-minimum.ts';
import { type Answer, desiredOf, isAvailable, judge, type NaiveNumbers, numbersFrom, type Unit } from './rule.ts';
import { labelsOf, type NaiveState, namespaceOf, podsOf } from './state.ts';

type Target = PubRules['target'];
type Cover = 'yes' | 'no' | 'unknown';

export function pubRef(pub: PodUnavailableBudget): BudgetRef {
  return { kind: 'PodUnavailableBudget', namespace: namespaceOf(pub), name: pub.metadata.name };
}

/** U1 */
function cover(state: NaiveState, target: Target, pod: Pod): Cover {
  if (target.kind === 'nothing') return 'no';
  if (target.kind === 'selector') return matches(target.selector, labelsOf(pod)) ? 'yes' : 'no';
  const isTarget = (link: Link) =>
    link.group === target.group && link.kind === target.workloadKind && link.name === target.name;
  const root = rootOwner(state, pod);
  if (chainOf(state, pod).some(isTarget) || (root !== undefined && isTarget(root))) return 'yes';
  return endsUnknown(state, pod) ? 'unknown' : 'no';
}

/** The pods that count, also those that the budget does not protect. */
function podsUnder(state: NaiveState, pub: PodUnavailableBudget, rules: PubRules): readonly Pod[] {
  return podsOf(state, namespaceOf(pub)).filter((pod) => cover(state, rules.target, pod) === 'yes');
}

/** U2 */
function unitKey(state: NaiveState, rules: PubRules, pod: Pod): string {
  const group = rules.groups === undefined ? undefined : labelGroup(state, pod, rules.groups.labelKey);
  return group?.key ?? `pod|${pod.metadata.name}`;
}

function countingOf(rules: PubRules): Counting {
  return rules.totalReplicas === undefined ? 'wanted' : 'wantedOrIdle';
}

function unitOf(state: NaiveState, pub: PodUnavailableBudget, rules: PubRules, pod: Pod, now: number): Unit {
  const key = unitKey(state, rules, pod);
  const all = podsUnder(state, pub, rules);
  const pods = all.filter((other) => unitKey(state, rules, other) === key);
  const group = rules.groups === undefined ? undefined : labelGroup(state, pod, rules.groups.labelKey);
  return {
    name: group?.unit ?? pod.metadata.name,
    kind: group === undefined ? 'pod' : 'group',
    ...(group === undefined || rules.groups === undefined
      ? { minimum: 1, least: 1 }
      : minimaOf(state, rules.groups, pods, all)),
    counted: pods.filter((other) => isCounted(state, other, countingOf(rules))),
    inDoubt: pods.filter((other) => isInDoubt(state, other, countingOf(rules))),
    isHealthy: (other) => isHealthyForPub(state, other, rules.operations.has('UPDATE'), now),
    works: (other) => worksForPub(state, other, rules.operations.has('UPDATE'), now),
  };
}

function countUnits(state: NaiveState, pub: PodUnavailableBudget, rules: PubRules, now: number) {
  const pods = podsUnder(state, pub, rules);
  const units = new Map(pods.map((pod) => [unitKey(state, rules, pod), unitOf(state, pub, rules, pod, now)]));
  const expected = expectedOfPub(state, namespaceOf(pub), rules, pods);
  const amounts = {
    ...(rules.maxUnavailable === undefined ? {} : { max: rules.maxUnavailable }),
    ...(rules.minAvailable === undefined ? {} : { min: rules.minAvailable }),
  };
  const available = [...units.values()].filter(isAvailable).length;
  return { available, desired: desiredOf(amounts, expected), expected };
}

/** A budget that cannot be read as a whole is read part by part, to see what it may be about (U7). */
function readableTarget(pub: PodUnavailableBudget): Target | undefined {
  const { selector, targetRef } = pub.spec ?? {};
  const part = readPub({
    metadata: { name: pub.metadata.name },
    spec: {
      maxUnavailable: 0,
      ...(selector === undefined ? {} : { selector }),
      ...(targetRef === undefined ? {} : { targetRef }),
    },
  });
  return part.ok ? part.value.target : undefined;
}

/** What a budget that cannot be read guards, whatever it lists (U7). */
const guardedAnyway: ReadonlySet<ProtectOperation> = new Set(['EVICT', 'DELETE', 'UPDATE']);

function guards(pub: PodUnavailableBudget, operation: ProtectOperation): boolean {
  const rules = readPub(pub);
  return (rules.ok ? rules.value.operations : guardedAnyway).has(operation);
}

function isLeftAlone(pod: Pod, rules: PubRules | undefined): boolean {
  if (pod.metadata.annotations?.[annotation.pubNoProtect] === 'true') return true;
  return rules?.ignored !== undefined && matches(rules.ignored, labelsOf(pod));
}

/**
 * U6: whether the request takes the pod away from this budget's unit. Of a budget that cannot be read it cannot be told
 * which changes move a pod (I4).
 */
function takesFromUnit(
  state: NaiveState,
  request: DisruptionRequest,
  coverOf: (pod: Pod) => Cover,
  keyOf: ((pod: Pod) => string) | undefined,
  pod: Pod,
): boolean {
  if (request.operation !== 'UPDATE' || request.takesAway !== false) return true;
  if (request.after === undefined) return false;
  if (leavesOwner(state, request, pod)) return true;
  if (keyOf === undefined) return pointsElsewhere(request.after, pod);
  return coverOf(request.after) !== coverOf(pod) || keyOf(request.after) !== keyOf(pod);
}

/** U6: an owner that exists and is not being deleted is all that keeps the garbage collector away. */
function dropsEveryOwner(state: NaiveState, { operation, after, referencesChange }: DisruptionRequest): boolean {
  if (operation !== 'UPDATE' || after === undefined || referencesChange !== true) return false;
  const owners = after.metadata.ownerReferences ?? [];
  return owners.length > 0 && !owners.some((owner) => isAlive(state, namespaceOf(after), owner));
}

function isAlive(state: NaiveState, namespace: string, owner: OwnerReference): boolean {
  const link = lookUp(state, { ...owner, namespace }, owner.uid);
  return link.status === 'known' && !link.deleting && !link.leavesPods;
}

/** U6: taken away from its workload, which may hand it from one of its ReplicaSets to another. */
function leavesOwner(state: NaiveState, request: DisruptionRequest, pod: Pod): boolean {
  const { after = pod, requester } = request;
  if (dropsEveryOwner(state, request)) return true;
  const [before, now] = [controllerOf(pod.metadata), controllerOf(after.metadata)];
  if (before === undefined || isDeepStrictEqual(before, now)) return false;
  if (now === undefined) return requester?.kind !== 'workloadController';
  const top = (one: Pod) => chainOf(state, one).map(linkKey).at(-1);
  return !isAlive(state, namespaceOf(pod), now) || top(pod) !== top(after);
}

function pointsElsewhere(after: Pod, before: Pod): boolean {
  const signs = ({ metadata }: Pod) => JSON.stringify([metadata.labels ?? {}, metadata.ownerReferences ?? []]);
  return signs(after) !== signs(before);
}

/** P2: whether a budget that judges evictions covers the pod, also when it leaves this one alone. */
export function coversEvictions(state: NaiveState, pub: PodUnavailableBudget, pod: Pod): boolean {
  if (namespaceOf(pub) !== namespaceOf(pod) || !guards(pub, 'EVICT')) return false;
  const read = readPub(pub);
  const target = read.ok ? read.value.target : readableTarget(pub);
  return target === undefined || cover(state, target, pod) === 'yes';
}

/** Nothing when the budget has no say in this request. */
export function answerOfPub(
  state: NaiveState,
  pub: PodUnavailableBudget,
  request: DisruptionRequest,
  pod: Pod,
  now: number,
): Answer | undefined {
  const read = readPub(pub);
  const rules = read.ok ? read.value : undefined;
  const target = rules?.target ?? readableTarget(pub);
  if (namespaceOf(pub) !== namespaceOf(pod) || isLeftAlone(pod, rules)) return undefined;
  const deleted = dropsEveryOwner(state, request) && guards(pub, 'DELETE');
  if (!guards(pub, request.operation) && !deleted) return undefined;
  // X4: of a pod whose workload is scaled to 0 only a budget with a total of its own has a say.
  if (isIdle(state, pod) && rules?.totalReplicas === undefined) return undefined;
  const coverOf = (one: Pod): Cover => (target === undefined ? 'yes' : cover(state, target, one));
  const keyOf = rules === undefined ? undefined : (one: Pod): string => unitKey(state, rules, one);
  const covered = coverOf(pod);
  if (covered === 'no' || !takesFromUnit(state, request, coverOf, keyOf, pod)) return undefined;
  const budget = pubRef(pub);
  const takeover = rules !== undefined && pub.metadata.annotations?.[annotation.takeover] === undefined;
  if (covered === 'unknown') return { budget, always: false, takeover, refusal: 'OwnerNotResolved' };
  if (rules === undefined) return { budget, always: false, takeover, refusal: 'BudgetInvalid' };
  const observed = pub.status?.observedGeneration ?? 0;
  if ((pub.metadata.generation ?? 0) > observed)
    return { budget, always: true, takeover, refusal: 'BudgetNotObserved' };
  const unit = unitOf(state, pub, rules, pod, now);
  return { ...judge(budget, unit, pod, countUnits(state, pub, rules, now), 'always'), takeover };
}

export function numbersOfPub(state: NaiveState, pub: PodUnavailableBudget, now: number): NaiveNumbers {
  const rules = readPub(pub);
  if (!rules.ok) return { mode: 'invalid', available: 0 };
  const { available, desired, expected } = countUnits(state, pub, rules.value, now);
  return numbersFrom('pub', available, desired, expected);
}
