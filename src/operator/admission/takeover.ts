import type { Effects, JudgedPod } from '../../core/verdict.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { resources } from '../resources.ts';
import type { Deadline } from './deadline.ts';
import type { EvictionTerms } from './pod-request.ts';

/**
 * By this, and by our name, API servers know the deletion with which we complete an eviction, and do not ask about it again. It is
 * what pods are deleted with anyway; our other deletions, the repairs of rollouts, do not name it and are judged.
 */
export const takeoverPropagation = 'Background';

/** What became of the deletion with which we complete an eviction. */
export type Completion =
  | { readonly kind: 'deleted' }
  /** The pod does not exist any more: the API server will say so itself. */
  | { readonly kind: 'gone' }
  /** The pod of that name is not the one that the verdict was about, or not as it was then. */
  | { readonly kind: 'moved'; readonly message: string }
  /** Another webhook, or our own permissions, refuse it. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It was not sent: too little of the request's time was left. */
  | { readonly kind: 'unsent'; readonly message: string }
  /** Whether it happened is not known; the reservation stays, and a client that asks again finds out. */
  | { readonly kind: 'unknown'; readonly message: string };

export interface Takeover {
  readonly namespace: string;
  /** The pod that was judged, and no other. */
  readonly target: JudgedPod;
  readonly onlyIf: Effects['onlyIf'];
  readonly terms: EvictionTerms | undefined;
}

/**
 * A deletion that is sent later than this before the deadline is hardly answered by it: the client would be told "not now" while
 * its pod is deleted.
 */
const shortestMs = 100;

/**
 * Deletes the judged pod in the eviction's place. The API server then finds it terminating, asks no budget and answers success. Without
 * any grace the pod would be gone at once and the eviction a 404, so there is always some; the API server ends it as it was asked.
 */
export async function takeOver(
  client: Pick<KubeClient, 'delete'>,
  { namespace, target, onlyIf, terms }: Takeover,
  deadline: Deadline,
): Promise<Completion> {
  const { leftMs } = deadline;
  if (leftMs < shortestMs) return { kind: 'unsent', message: `only ${Math.round(leftMs)} ms were left for it` };
  const { gracePeriodSeconds, propagationPolicy = takeoverPropagation } = terms ?? {};
  const body = {
    preconditions: { uid: target.uid, ...(onlyIf === undefined ? {} : { resourceVersion: onlyIf.resourceVersion }) },
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Math.max(1, gracePeriodSeconds) }),
    propagationPolicy,
  };
  const place = { namespace, name: target.pod };
  return completionOf(await client.delete(resources.pods, place, body, { deadlineMs: leftMs }));
}

function completionOf(outcome: Outcome<unknown>): Completion {
  if (outcome.ok) return { kind: 'deleted' };
  const { kind, message } = outcome.failure;
  switch (kind) {
    case 'notFound':
      return { kind: 'gone' };
    case 'conflict':
      return { kind: 'moved', message };
    case 'denied':
    case 'rejected':
    case 'tooManyRequests':
      return { kind: 'refused', message };
    default:
      return { kind: 'unknown', message };
  }
}
