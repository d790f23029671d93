import { type Fields, isObject, isUnset, sameJson } from '@holdfast/base/json';
import type { OwnerReference, StringMap } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import { classifyChange } from '../../core/pod-change.ts';
import { type DisruptionRequest, type Operation, requesterOf } from '../../core/request.ts';
import { announcesUpdate, type ChangeEffect, requestedChange } from './pod-updates.ts';
import type { ReviewRequest } from './wire/review.ts';

/** A disruption that a client asks for, and how. */
export interface AskedDisruption {
  readonly request: DisruptionRequest;
  /** We ask ourselves: the deletion of a takeover, or a repair of a rollout. */
  readonly own: boolean;
  /** EVICT: the deletion that the client asked for, which a takeover has to respect. */
  readonly eviction?: EvictionTerms;
}

/** What an admission request about a pod means to us. */
export type PodRequest =
  | ({ readonly kind: 'disruption' } & AskedDisruption)
  | { readonly kind: 'pass'; readonly why: 'notADisruption' | 'terminating' | 'harmless' }
  | { readonly kind: 'bad'; readonly problem: string };

export interface OperatorIdentity {
  /** The user that our own requests come from. */
  readonly username: string;
}

export function podRequestOf(review: ReviewRequest, identity: OperatorIdentity): PodRequest {
  if (review.group !== '' || review.resource !== 'pods') return pass('notADisruption');
  switch (`${review.operation} ${review.subResource}`) {
    case 'CREATE eviction':
      return evictionOf(review, identity);
    case 'DELETE ':
      return deletionOf(review, identity);
    case 'UPDATE ':
    case 'UPDATE resize':
      return updateOf(review, identity);
    case 'UPDATE status':
      return announcementOf(review, identity);
    default:
      return pass('notADisruption');
  }
}

function evictionOf(review: ReviewRequest, identity: OperatorIdentity): PodRequest {
  const { object } = review;
  const terms = evictionTerms(object);
  if (!terms.ok) return bad(terms.problem);
  // An Eviction has the name of its pod, and so has the path it was sent to.
  const named = reviewedPod('request.object', object);
  if (!named.ok) return bad(named.problem);
  const { name = '', namespace = '' } = named.value ?? {};
  if (isOther(name, review.name)) return bad('the Eviction names another pod than the request');
  if (isOther(namespace, review.namespace)) return bad('the Eviction names another namespace than the request');
  const eviction = terms.value;
  const asked = asking(review, identity, 'EVICT', name, {
    ...(eviction.uid === undefined ? {} : { uid: eviction.uid }),
    ...(eviction.resourceVersion === undefined ? {} : { resourceVersionPrecondition: true }),
    // A query parameter arrives in the review; a dry run that the body asks for is only there.
    ...(eviction.dryRun ? { dryRun: true } : {}),
  });
  return asked.kind === 'disruption' ? { ...asked, eviction } : asked;
}

/** Two names, of which either may be left out. */
function isOther(left: string, right: string): boolean {
  return left !== '' && right !== '' && left !== right;
}

/**
 * One DELETE may call several times, and the first call may show an old state of the pod. So nothing is concluded from that state
 * but what never changes back: which pod it is, and that it is going.
 */
function deletionOf(review: ReviewRequest, identity: OperatorIdentity): PodRequest {
  const old = reviewedPod('request.oldObject', review.oldObject);
  if (!old.ok) return bad(old.problem);
  if (old.value?.terminating === true) return pass('terminating');
  return asking(review, identity, 'DELETE', old.value?.name ?? '', withUid(old.value));
}

/** An update of a pod that is not terminating, as it was and as it is to be; or what is to be said instead. */
function updatedPod(review: ReviewRequest): { readonly old: ReviewedPod; readonly now: ReviewedPod } | PodRequest {
  const old = reviewedPod('request.oldObject', review.oldObject);
  if (!old.ok) return bad(old.problem);
  const now = reviewedPod('request.object', review.object);
  if (!now.ok) return bad(now.problem);
  if (old.value === undefined || now.value === undefined) return bad('an UPDATE needs object and oldObject');
  return old.value.terminating ? pass('terminating') : { old: old.value, now: now.value };
}

function updateOf(review: ReviewRequest, identity: OperatorIdentity): PodRequest {
  const pod = updatedPod(review);
  if ('kind' in pod) return pod;
  const { old, now } = pod;
  const change = changeOf(old, now);
  if (change === 'harmless') return pass('harmless');
  return asking(review, identity, change.operation, old.name, {
    ...withUid(old),
    after: podAfter(now),
    ...(change.operation === 'UPDATE' ? { takesAway: change.takesAway } : {}),
    ...(sameReferences(old, now) ? {} : { referencesChange: true }),
    ...requestedChange(old.whole, change.does),
  });
}

/**
 * Controllers that update in place take the pod out of service first, by a readiness gate. That is where the disruption begins: the
 * update that follows is covered by the reservation for it. Nodes report, and disrupt nothing by it.
 */
function announcementOf(review: ReviewRequest, identity: OperatorIdentity): PodRequest {
  const pod = updatedPod(review);
  if ('kind' in pod) return pod;
  const { old, now } = pod;
  const isNode = requesterOf(review.username, review.groups).kind === 'kubelet';
  if (isNode || !announcesUpdate(old.whole, now.whole)) return pass('harmless');
  return asking(review, identity, 'UPDATE', old.name, {
    ...withUid(old),
    takesAway: true,
    ...requestedChange(old.whole, 'announcement'),
  });
}

interface Change {
  readonly operation: 'UPDATE' | 'RESIZE';
  readonly takesAway: boolean;
  readonly does: ChangeEffect;
}

/** What a pod's own fields say (C1), and whether the change could move it from one budget or group to another (U6). */
function changeOf(old: ReviewedPod, now: ReviewedPod): Change | 'harmless' {
  const change = classifyChange(old.whole, now.whole);
  const stays = sameJson(old.labels, now.labels) && sameJson(old.ownerReferences, now.ownerReferences);
  if (change.kind === 'takesAway') return { operation: 'UPDATE', takesAway: true, does: change.ends };
  if (change.kind === 'harmless') return stays ? 'harmless' : { operation: 'UPDATE', takesAway: false, does: 'move' };
  // Both at once cannot be told in one request; the stricter one is never wrong.
  return { operation: stays ? 'RESIZE' : 'UPDATE', takesAway: !stays, does: 'resize' };
}

/** Whether a pod refers to the same owners. What else a reference says does not matter to the pod. */
function sameReferences(old: ReviewedPod, now: ReviewedPod): boolean {
  const named = ({ ownerReferences }: ReviewedPod) =>
    ownerReferences.map(({ apiVersion, kind, name, uid, controller }) => [
      apiVersion,
      kind,
      name,
      uid,
      controller === true,
    ]);
  return sameJson(named(old), named(now));
}

function podAfter(pod: ReviewedPod): Pod {
  const { name, labels, ownerReferences } = pod;
  return { metadata: { name, labels, ownerReferences } };
}

function withUid(pod: ReviewedPod | undefined): Pick<DisruptionRequest, 'uid'> {
  return pod?.uid === undefined ? {} : { uid: pod.uid };
}

/** @param otherName where the review has no name: a deletecollection shows each pod only as the old object */
function asking(
  review: ReviewRequest,
  identity: OperatorIdentity,
  operation: Operation,
  otherName: string,
  more: Partial<DisruptionRequest>,
): PodRequest {
  const pod = review.name === '' ? otherName : review.name;
  if (pod === '') return bad('the review does not name the pod');
  if (review.namespace === '') return bad('the review does not name the namespace of the pod');
  return {
    kind: 'disruption',
    own: review.username === identity.username,
    request: {
      operation,
      namespace: review.namespace,
      pod,
      requester: requesterOf(review.username, review.groups),
      dryRun: review.dryRun,
      ...more,
    },
  };
}

function pass(why: Extract<PodRequest, { readonly kind: 'pass' }>['why']): PodRequest {
  return { kind: 'pass', why };
}

function bad(problem: string): PodRequest {
  return { kind: 'bad', problem };
}

/** What admission needs to know of a pod in a review, checked; `whole` is the pod as it came. */
interface ReviewedPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly labels: StringMap;
  readonly ownerReferences: readonly OwnerReference[];
  readonly terminating: boolean;
  readonly whole: unknown;
}

/** What an Eviction says about the deletion it asks for. */
export interface EvictionTerms {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Undefined: the review has no such object. */
function reviewedPod(field: string, whole: unknown): Checked<ReviewedPod | undefined> {
  if (isUnset(whole)) return { ok: true, value: undefined };
  const metadata = isObject(whole) ? whole['metadata'] : undefined;
  if (!isObject(metadata)) return wrong(`${field}.metadata must be an object`);
  const { name, namespace, uid, labels, ownerReferences, deletionTimestamp } = metadata;
  if (!isOptionalText(name)) return wrong(`${field}.metadata.name must be a string`);
  if (!isOptionalText(namespace)) return wrong(`${field}.metadata.namespace must be a string`);
  if (!isOptionalText(uid)) return wrong(`${field}.metadata.uid must be a string`);
  if (!isUnset(labels) && !isStringMap(labels)) return wrong(`${field}.metadata.labels must be a map of strings`);
  if (!isUnset(ownerReferences) && !isOwners(ownerReferences)) {
    return wrong(`${field}.metadata.ownerReferences must be a list of owners`);
  }
  return {
    ok: true,
    value: {
      name: name ?? '',
      namespace: namespace ?? '',
      uid: uid ?? undefined,
      labels: labels ?? {},
      ownerReferences: ownerReferences ?? [],
      terminating: !isUnset(deletionTimestamp),
      whole,
    },
  };
}

export function evictionTerms(eviction: unknown): Checked<EvictionTerms> {
  if (!isObject(eviction)) return wrong('request.object must be an Eviction');
  const options = eviction['deleteOptions'];
  if (isUnset(options)) return { ok: true, value: { dryRun: false } };
  if (!isObject(options)) return wrong('request.object.deleteOptions must be an object');
  const { dryRun, gracePeriodSeconds: grace, propagationPolicy: policy, preconditions } = options;
  if (!isUnset(dryRun) && !Array.isArray(dryRun)) return wrong('request.object.deleteOptions.dryRun must be a list');
  if (!isUnset(grace) && !Number.isInteger(grace)) {
    return wrong('request.object.deleteOptions.gracePeriodSeconds must be an integer');
  }
  if (!isOptionalText(policy)) return wrong('request.object.deleteOptions.propagationPolicy must be a string');
  const wanted = preconditionsOf(preconditions);
  if (!wanted.ok) return wanted;
  return {
    ok: true,
    value: {
      // A word that the API server does not know is refused by it afterwards, so nothing happens then, either.
      dryRun: Array.isArray(dryRun) && dryRun.length > 0,
      ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
      ...(isUnset(policy) ? {} : { propagationPolicy: policy }),
      ...wanted.value,
    },
  };
}

function preconditionsOf(source: unknown): Checked<Pick<EvictionTerms, 'uid' | 'resourceVersion'>> {
  if (isUnset(source)) return { ok: true, value: {} };
  const field = 'request.object.deleteOptions.preconditions';
  if (!isObject(source)) return wrong(`${field} must be an object`);
  const { uid, resourceVersion } = source;
  if (!isOptionalText(uid)) return wrong(`${field}.uid must be a string`);
  if (!isOptionalText(resourceVersion)) return wrong(`${field}.resourceVersion must be a string`);
  return {
    ok: true,
    value: { ...(isUnset(uid) ? {} : { uid }), ...(isUnset(resourceVersion) ? {} : { resourceVersion }) },
  };
}

function wrong<T>(problem: string): Checked<T> {
  return { ok: false, problem };
}

function isOptionalText(value: unknown): value is string | undefined | null {
  return isUnset(value) || typeof value === 'string';
}

function isStringMap(value: unknown): value is StringMap {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

function isOwners(value: unknown): value is readonly OwnerReference[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && isOwner(one));
}

function isOwner(owner: Fields): boolean {
  const named = ['apiVersion', 'kind', 'name', 'uid'].every((key) => typeof owner[key] === 'string');
  return named && (isUnset(owner['controller']) || typeof owner['controller'] === 'boolean');
}
