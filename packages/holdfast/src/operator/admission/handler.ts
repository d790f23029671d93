import type { Deadline } from './deadline.ts';
import type { AdmissionAnswer, ReviewRequest } from './wire/review.ts';

export interface CallContext {
  /** When it is over, the answer is not read any more, and nothing may be sent in the request's name. */
  readonly deadline: Deadline;
}

/** One admission webhook. */
export interface WebhookHandler {
  answer(request: ReviewRequest, context: CallContext): Promise<AdmissionAnswer>;
  /**
   * The answer when `answer` failed or was not there by the deadline. It is asked for at once and must not fail: whether doubt
   * means no (a protected pod) or yes (a pod without budgets) only the handler knows.
   */
  inDoubt(request: ReviewRequest, why: 'late' | 'failed'): AdmissionAnswer;
}
