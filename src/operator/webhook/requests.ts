import { sameJson } from '../../api/json.ts';
import type { Pod } from '../../api/pod.ts';
import { classifyChange } from '../../core/pod-change.ts';
import { type DisruptionRequest, type Operation, requesterOf } from '../../core/request.ts';
import { announcesUpdate, type ChangeEffect, requestedChange } from './pod-updates.ts';
import { type EvictionTerms, evictionTerms, type ReviewedPod, reviewedPod } from './request-objects.ts';
import type { ReviewRequest } from './review.ts';

/** What an admission request about a pod means to us. */
export type PodRequest =
  | {
      readonly kind: 'judge';
      readonly request: DisruptionRequest;
      /** We ask ourselves: the deletion of a takeover, or a repair of a rollout. */
      readonly own: boolean;
      /** EVICT: the deletion that the client asked for, which a takeover has to respect. */
      readonly eviction?: EvictionTerms;
    }
  | { readonly kind: 'pass'; readonly why: 'notADisruption' | 'terminating' | 'harmless' }
  | { readonly kind: 'bad'; readonly problem: string };

export interface Identity {
  /** The user that our own requests come from. */
  readonly username: string;
}

export function podRequestOf(review: ReviewRequest, identity: Identity): PodRequest {
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

function evictionOf(review: ReviewRequest, identity: Identity): PodRequest {
  const object = review.object();
  if (!object.ok) return bad(object.problem);
  const terms = evictionTerms(object.value);
  if (!terms.ok) return bad(terms.problem);
  // An Eviction has the name of its pod, and so has the path it was sent to.
  const named = review.name === '' ? reviewedPod('request.object', object) : undefined;
  if (named?.ok === false) return bad(named.problem);
  const eviction = terms.value;
  const judged = judge(review, identity, 'EVICT', named?.value?.name ?? '', {
    ...(eviction.uid === undefined ? {} : { uid: eviction.uid }),
    ...(eviction.resourceVersion === undefined ? {} : { resourceVersionPrecondition: true }),
    // A query parameter arrives in the review; a dry run that the body asks for is only there.
    ...(eviction.dryRun ? { dryRun: true } : {}),
  });
  return judged.kind === 'judge' ? { ...judged, eviction } : judged;
}

/**
 * One DELETE may call several times, and the first call may show an old state of the pod. So nothing is concluded from that state
 * but what never changes back: which pod it is, and that it is going.
 */
function deletionOf(review: ReviewRequest, identity: Identity): PodRequest {
  const old = reviewedPod('request.oldObject', review.oldObject());
  if (!old.ok) return bad(old.problem);
  if (old.value?.terminating === true) return pass('terminating');
  return judge(review, identity, 'DELETE', old.value?.name ?? '', withUid(old.value));
}

function updateOf(review: ReviewRequest, identity: Identity): PodRequest {
  const old = reviewedPod('request.oldObject', review.oldObject());
  if (!old.ok) return bad(old.problem);
  const now = reviewedPod('request.object', review.object());
  if (!now.ok) return bad(now.problem);
  if (old.value === undefined || now.value === undefined) return bad('an UPDATE needs object and oldObject');
  if (old.value.terminating) return pass('terminating');
  const change = changeOf(old.value, now.value);
  if (change === 'harmless') return pass('harmless');
  return judge(review, identity, change.operation, old.value.name, {
    ...withUid(old.value),
    after: podAfter(now.value),
    ...(change.operation === 'UPDATE' ? { takesAway: change.takesAway } : {}),
    ...requestedChange(old.value.whole, change.does),
  });
}

/**
 * Controllers that update in place take the pod out of service first, by a readiness gate. That is where the disruption begins: the
 * update that follows is covered by the reservation for it. Nodes report, and disrupt nothing by it.
 */
function announcementOf(review: ReviewRequest, identity: Identity): PodRequest {
  const old = reviewedPod('request.oldObject', review.oldObject());
  if (!old.ok) return bad(old.problem);
  const now = reviewedPod('request.object', review.object());
  if (!now.ok) return bad(now.problem);
  if (old.value === undefined || now.value === undefined) return bad('an UPDATE needs object and oldObject');
  if (old.value.terminating) return pass('terminating');
  const isNode = requesterOf(review.username, review.groups).kind === 'kubelet';
  if (isNode || !announcesUpdate(old.value.whole, now.value.whole)) return pass('harmless');
  return judge(review, identity, 'UPDATE', old.value.name, {
    ...withUid(old.value),
    takesAway: true,
    ...requestedChange(old.value.whole, 'announcement'),
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

function podAfter(pod: ReviewedPod): Pod {
  const { name, labels, ownerReferences } = pod;
  return { metadata: { name, labels, ownerReferences } };
}

function withUid(pod: ReviewedPod | undefined): Pick<DisruptionRequest, 'uid'> {
  return pod?.uid === undefined ? {} : { uid: pod.uid };
}

/** @param otherName where the review has no name: a deletecollection shows each pod only as the old object */
function judge(
  review: ReviewRequest,
  identity: Identity,
  operation: Operation,
  otherName: string,
  more: Partial<DisruptionRequest>,
): PodRequest {
  const pod = review.name === '' ? otherName : review.name;
  if (pod === '') return bad('the review does not name the pod');
  if (review.namespace === '') return bad('the review does not name the namespace of the pod');
  return {
    kind: 'judge',
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
