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
 * Done, not now, or gone already: whatever else an API server says is no answer to a request for a disruption. A pod that was
 * replaced before the API server looked again is gone, too: its eviction is bound to its uid (P9).
 */
export function isDoneOrNotNow({ code, text }: Answer): boolean {
  const wasReplaced = code === 409 && text.includes('the UID in the precondition');
  return wasReplaced || [200, 201, 202, 404, 429].includes(code);
}
