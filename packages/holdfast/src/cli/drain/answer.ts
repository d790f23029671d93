import type { EvictionAnswer } from '../../core/drain/course-pod.ts';
import type { Failure, Outcome } from '../../kube/outcome/failure.ts';

/** The outcome of an eviction request; undefined: the drain was stopped. */
export function evictionAnswerOf(outcome: Outcome<unknown>): EvictionAnswer | undefined {
  return outcome.ok ? { kind: 'accepted' } : afterFailure(outcome.failure);
}

function afterFailure(failure: Failure): EvictionAnswer | undefined {
  const message = messageOf(failure);
  switch (failure.kind) {
    case 'notFound':
      return { kind: 'gone' };
    case 'tooManyRequests':
      return { kind: 'refused', message, ...retryAfter(failure) };
    case 'retry':
      return { kind: 'failed', message, ...after(failure.retryAfterMs) };
    // Another client wrote at the same time, or another pod has the name now: the next list of the node's pods tells.
    case 'conflict':
      return { kind: 'failed', message };
    case 'denied':
    case 'alreadyExists':
    case 'gone':
    case 'rejected':
      return mayChange(failure) ? { kind: 'refused', message } : { kind: 'impossible', message };
    case 'aborted':
      return undefined;
  }
}

/** The header, else what a refusal of ours says in its causes. A header of 0 says nothing but "not now". */
function retryAfter(failure: Extract<Failure, { kind: 'tooManyRequests' }>): { retryAfterMs?: number } {
  return after(failure.retryAfterMs !== undefined && failure.retryAfterMs > 0 ? failure.retryAfterMs : hintMs(failure));
}

/** No server means to say longer than an hour. */
const maxRetryMs = 3_600_000;

function after(ms: number | undefined): { retryAfterMs?: number } {
  return ms === undefined ? {} : { retryAfterMs: Math.min(ms, maxRetryMs) };
}

function hintMs({ status }: Failure): number | undefined {
  const hint = status?.details?.causes?.find(({ reason }) => reason === 'RetryHint')?.message;
  const seconds = /(\d{1,6}) seconds?$/.exec(hint ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** Webhooks of others say "not now" with 403 or 400, too: Kruise's does. And a pod goes with its namespace. */
function mayChange({ message, status }: Failure): boolean {
  const byWebhook = /^admission webhook "[^"]*" denied the request/.test(message);
  return byWebhook || (status?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false);
}

/** API servers name the webhook that refused, and keep the numbers of their own check in a cause. */
function messageOf({ message, status }: Failure): string {
  const short = message.replace(/^admission webhook "[^"]*holdfast\.dev" denied the request: /, '');
  const numbers = status?.details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')?.message;
  return numbers === undefined || short.includes(numbers) ? short : numbers;
}
