import type { DisruptionRequest } from '../../core/request.ts';
import type { Effects } from '../../core/verdict.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { resources } from '../resources.ts';
import type { EvictionTerms } from './request-objects.ts';
import { takeoverPropagation } from './takeover-mark.ts';

/** What became of the deletion with which we complete an eviction. */
export type Completion =
  | { readonly kind: 'deleted' }
  /** It is not there any more: the API server will say so itself. */
  | { readonly kind: 'gone' }
  /** It is not the pod that the verdict was about, or not as it was then. */
  | { readonly kind: 'moved'; readonly message: string }
  /** Somebody says no: another webhook, or our own permissions. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Whether it happened is not known; the reservation stands, and whoever asks again finds out. */
  | { readonly kind: 'unknown'; readonly message: string };

export interface Deletion {
  readonly request: DisruptionRequest;
  readonly uid: string;
  readonly onlyIf: Effects['onlyIf'];
  readonly terms: EvictionTerms | undefined;
}

/** A request that is admitted is over after 35 seconds at most (ADR 0007): a deletion must not come later than that. */
const longestMs = 10_000;

/**
 * Deletes the pod in the eviction's place. The API server then finds it terminating, asks no budget and answers success. Without
 * any grace the pod would be gone at once and the eviction a 404, so there is always some; the API server ends it as it was asked.
 */
export async function completeEviction(
  client: Pick<KubeClient, 'delete'>,
  { request, uid, onlyIf, terms }: Deletion,
  leftMs: number,
): Promise<Completion> {
  const { gracePeriodSeconds, propagationPolicy = takeoverPropagation } = terms ?? {};
  const body = {
    preconditions: { uid, ...(onlyIf === undefined ? {} : { resourceVersion: onlyIf.resourceVersion }) },
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Math.max(1, gracePeriodSeconds) }),
    propagationPolicy,
  };
  const place = { namespace: request.namespace, name: request.pod };
  const outcome = await client.delete(resources.pods, place, body, { deadlineMs: Math.min(leftMs, longestMs) });
  return completionOf(outcome);
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
