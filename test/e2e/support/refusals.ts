import { expect } from 'vitest';
import type { Answer } from '../../support/kube-http.ts';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export function causesOf({ body }: Answer): readonly Cause[] {
  return (body.details?.['causes'] ?? []) as readonly Cause[];
}

/** What an API server says for us when something may not be disrupted now (I8). */
export function expectNotNow(answer: Answer): void {
  expect(`${answer.code} ${answer.text}`).toMatch(/^429 /);
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'TooManyRequests', code: 429 });
  expect(answer.body.details?.['retryAfterSeconds'] ?? 0).toBe(0);
  expect(answer.headers['retry-after']).toBeUndefined();
  expect(causesOf(answer).map(({ reason }) => reason)).toContain('DisruptionBudget');
}

/** Our codes for what blocks. */
export function blockersOf(answer: Answer): readonly (string | undefined)[] {
  return causesOf(answer)
    .filter(({ reason }) => reason === 'DisruptionBudget')
    .map(({ field }) => field);
}

export function expectDone(answer: Answer): void {
  expect(answer.code, answer.text).toBeLessThan(300);
}

/**
 * Done, or gone already: a pod that ends before the API server looks again is a 404 after a takeover, and one that was replaced by
 * then a 409, because its eviction is bound to its uid (P9).
 */
export function isDone({ code, text }: Answer): boolean {
  const wasReplaced = code === 409 && text.includes('the UID in the precondition');
  return wasReplaced || code < 300 || code === 404;
}

/** Whatever else an API server says is no answer to a request for a disruption. */
export function isDoneOrNotNow(answer: Answer): boolean {
  return isDone(answer) || answer.code === 429;
}
