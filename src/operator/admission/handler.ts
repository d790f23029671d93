import type { ReviewRequest } from './review.ts';
import type { AdmissionAnswer } from './review-answer.ts';

export interface CallContext {
  /** Aborted when the deadline has passed (`late`) or the client has left (`gone`): nobody will hear the answer. Made when it is read. */
  readonly signal: AbortSignal;
}

/** One admission webhook. */
export interface WebhookHandler {
  answer(request: ReviewRequest, context: CallContext): Promise<AdmissionAnswer>;
  /**
   * What is said when there is no answer in time, or `answer` failed. It is asked for at once and must not fail: whether doubt
   * means no (a protected pod) or yes (a pod without budgets) only the handler knows.
   */
  inDoubt(request: ReviewRequest, why: 'late' | 'failed'): AdmissionAnswer;
}
