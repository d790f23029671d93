import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../../base/src/json.ts';
import type { ReviewRequest } from '../../../src/operator/admission/wire/review.ts';
import { projectionHandler } from '../../../src/operator/handlers/projection.ts';

const key = 'holdfast.dev/disruptions-allowed';
const condition = (status: string, lastTransitionTime: string) => ({
  type: 'DisruptionAllowed',
  status,
  reason: status === 'True' ? 'SufficientPods' : 'InsufficientPods',
  lastTransitionTime,
});

function review(change: Partial<Pick<ReviewRequest, 'operation' | 'subResource' | 'object' | 'oldObject'>> = {}) {
  return {
    group: 'policy',
    resource: 'poddisruptionbudgets',
    subResource: 'status',
    operation: 'UPDATE',
    object: budget(13, condition('True', '2026-01-01T00:00:09Z')),
    oldObject: budget(0, condition('False', '2026-01-01T00:00:01Z'), '0'),
    ...change,
  } as ReviewRequest;
}

function budget(disruptionsAllowed: number, shown: object, annotation?: string): Fields {
  return {
    metadata: { name: 'llm', ...(annotation === undefined ? {} : { annotations: { [key]: annotation } }) },
    status: { disruptionsAllowed, conditions: [{ type: 'Other', status: 'True' }, shown] },
  };
}

const answerTo = (asked: ReviewRequest) => projectionHandler().answer(asked, undefined as never);

describe('a status that the disruption controller writes', () => {
  it('[S3] gets the number of units, and a condition that follows it and keeps its time', async () => {
    expect(await answerTo(review())).toEqual({
      allowed: true,
      patch: [
        { op: 'add', path: '/status/disruptionsAllowed', value: 0 },
        { op: 'replace', path: '/status/conditions/1', value: condition('False', '2026-01-01T00:00:01Z') },
      ],
    });
  });

  it('[S3] gets a new time when the condition changes', async () => {
    const oldObject = budget(0, condition('False', '2026-01-01T00:00:01Z'), '2');
    expect(await answerTo(review({ oldObject }))).toMatchObject({
      patch: [{ value: 2 }, { value: condition('True', '2026-01-01T00:00:09Z') }],
    });
  });

  it.each([
    ['a budget without the annotation', { oldObject: budget(0, condition('False', 'x')) }],
    ['an annotation that is no number', { oldObject: budget(0, condition('False', 'x'), 'banana') }],
    ['a write of the budget itself', { subResource: '' }],
    ['a creation', { operation: 'CREATE' as const }],
    ['an object that is none', { object: 'text' }],
    ['a status that is none', { object: { metadata: {}, status: 7 } }],
  ])('[S3] is left alone: %s', async (_name, change) => {
    expect(await answerTo(review(change as Partial<ReviewRequest>))).toEqual({ allowed: true });
  });

  it('[S3] gets the number alone where it has no such condition', async () => {
    const object = { metadata: {}, status: { disruptionsAllowed: 13 } };
    expect(await answerTo(review({ object }))).toEqual({
      allowed: true,
      patch: [{ op: 'add', path: '/status/disruptionsAllowed', value: 0 }],
    });
  });
});
