import { answerObserved } from '../admission/answers.ts';
import type { WebhookHandler } from '../admission/handler.ts';
import type { AdmissionAnswer, ReviewRequest } from '../admission/wire/review.ts';

/** A webhook that refuses nothing where requests are only observed: what it would refuse becomes a warning. */
export function observedHandler(handler: WebhookHandler, isObserved: (namespace: string) => boolean): WebhookHandler {
  const unless = ({ namespace }: ReviewRequest, answer: AdmissionAnswer): AdmissionAnswer => {
    if (answer.allowed || !isObserved(namespace)) return answer;
    const { message } = answer;
    const observed = answerObserved(message);
    return { ...observed, warnings: [...(answer.warnings ?? []), ...(observed.warnings ?? [])] };
  };
  return {
    answer: async (review, context) => unless(review, await handler.answer(review, context)),
    inDoubt: (review, why) => unless(review, handler.inDoubt(review, why)),
  };
}

/** A webhook that only changes objects, and leaves them as they are where requests are only observed. */
export function idleWhereObserved(handler: WebhookHandler, isObserved: (namespace: string) => boolean): WebhookHandler {
  const pass: AdmissionAnswer = { allowed: true };
  return {
    answer: async (review, context) => (isObserved(review.namespace) ? pass : handler.answer(review, context)),
    inDoubt: (review, why) => (isObserved(review.namespace) ? pass : handler.inDoubt(review, why)),
  };
}
