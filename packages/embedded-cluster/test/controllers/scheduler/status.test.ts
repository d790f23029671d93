import type { Condition } from 'kubernetes-types/meta/v1.js';
import { describe, expect, it } from 'vitest';
import { type GroupProgress, groupConditions } from '../../../src/controllers/scheduler/scheduling-status.ts';
import { timestamp } from '../../../src/time/clock.ts';

const now = Date.UTC(2026, 0, 1, 12);
const failed = (message: string): GroupProgress => ({ kind: 'unschedulable', message });
const scheduled: GroupProgress = { kind: 'scheduled' };

function condition(fields: Partial<Condition>): Condition {
  return {
    type: 'PodGroupInitiallyScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: 'm',
    lastTransitionTime: timestamp(now - 60_000),
    ...fields,
  };
}

describe('the condition of a group', () => {
  it('is there after the first try', () => {
    expect(groupConditions(undefined, failed('m'), 3, now)).toEqual([
      condition({ observedGeneration: 3, lastTransitionTime: timestamp(now) }),
    ]);
    expect(groupConditions([], scheduled, undefined, now)).toEqual([
      condition({ status: 'True', reason: 'Scheduled', message: '', lastTransitionTime: timestamp(now) }),
    ]);
  });

  it('is not written again for the same', () => {
    expect(groupConditions([condition({})], failed('m'), undefined, now)).toBeUndefined();
  });

  it('keeps its time when only the message changes', () => {
    expect(groupConditions([condition({})], failed('n'), undefined, now)).toEqual([condition({ message: 'n' })]);
  });

  it('turns true, next to the conditions of others, and stays true', () => {
    const other = condition({ type: 'Other' });
    const after = groupConditions([condition({}), other], scheduled, undefined, now);
    expect(after?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Other=False',
      'PodGroupInitiallyScheduled=True',
    ]);
    expect(groupConditions(after, failed('m'), undefined, now)).toBeUndefined();
  });
});
