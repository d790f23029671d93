import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/operator/admission/deadline.ts';
import type { WebhookHandler } from '../../../src/operator/admission/handler.ts';
import { readReview } from '../../../src/operator/admission/wire/review.ts';
import { idleWhereObserved, observedHandler } from '../../../src/operator/handlers/observed.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { evictionWish, reviewText } from '../admission/reviews.ts';

const refusing: WebhookHandler = {
  answer: async () => ({ allowed: false, code: 422, reason: 'Invalid', message: 'spec is wrong', warnings: ['first'] }),
  inDoubt: () => ({ allowed: false, code: 503, reason: 'ServiceUnavailable', message: 'too late' }),
};
const changing: WebhookHandler = {
  answer: async () => ({ allowed: true, patch: [{ op: 'remove', path: '/spec' }] }),
  inDoubt: () => ({ allowed: true }),
};

function review() {
  const read = readReview(Buffer.from(reviewText(evictionWish())));
  if (!read.ok) throw new Error(read.problem);
  return read.request;
}

const context = { deadline: new Deadline(new TestClock(), 1_000) };

describe('[E1] a webhook in a namespace that is observed', () => {
  it('turns its refusal into a warning', async () => {
    const handler = observedHandler(refusing, () => true);
    expect(await handler.answer(review(), context)).toEqual({
      allowed: true,
      warnings: ['first', 'Holdfast would refuse this, and observe mode lets it pass: spec is wrong'],
    });
    expect(handler.inDoubt(review(), 'late').allowed).toBe(true);
  });

  it('refuses elsewhere', async () => {
    const handler = observedHandler(refusing, () => false);
    expect((await handler.answer(review(), context)).allowed).toBe(false);
  });

  it('changes nothing, and does so elsewhere', async () => {
    expect(await idleWhereObserved(changing, () => true).answer(review(), context)).toEqual({ allowed: true });
    expect(await idleWhereObserved(changing, () => false).answer(review(), context)).toHaveProperty('patch');
  });
});
