import { describe, expect, it } from 'vitest';
import { beyondHistory, dueRun } from '../../../src/controllers/cronjob/plan-cron-job.ts';
import { parseSchedule } from '../../../src/kinds/cron.ts';

const minute = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');

function due(text: string, nowMs: number, more: { lastScheduleMs?: number; startingDeadlineMs?: number } = {}) {
  const parsed = parseSchedule(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return dueRun({ schedule: parsed.schedule, timeZone: 'UTC', nowMs, createdMs: start, ...more });
}

describe('the run that is due', () => {
  it('waits for the next one', () => {
    expect(due('*/5 * * * *', start + 30_000)).toEqual({ kind: 'wait', nextMs: start + 5 * minute });
  });

  it('is the last of those that have passed', () => {
    expect(due('*/5 * * * *', start + 5 * minute)).toEqual({ kind: 'run', atMs: start + 5 * minute, missed: 1 });
    expect(due('*/5 * * * *', start + 19 * minute)).toEqual({ kind: 'run', atMs: start + 15 * minute, missed: 3 });
  });

  it('counts from the last one that was run', () => {
    const lastScheduleMs = start + 15 * minute;
    expect(due('*/5 * * * *', start + 19 * minute, { lastScheduleMs })).toEqual({
      kind: 'wait',
      nextMs: start + 20 * minute,
    });
  });

  it('is not one that is later than its deadline', () => {
    expect(due('0 * * * *', start + 70 * minute, { startingDeadlineMs: 5 * minute })).toEqual({
      kind: 'wait',
      nextMs: start + 120 * minute,
    });
    expect(due('0 * * * *', start + 63 * minute, { startingDeadlineMs: 5 * minute })).toMatchObject({ kind: 'run' });
  });

  it('is the last one also after a year of minutes', () => {
    expect(due('* * * * *', start + 525_600 * minute + 5)).toEqual({
      kind: 'run',
      atMs: start + 525_600 * minute,
      missed: 101,
    });
    expect(due('0 * * * *', start + 525_630 * minute)).toEqual({
      kind: 'run',
      atMs: start + 525_600 * minute,
      missed: 101,
    });
  });

  it('never comes where no day matches', () => {
    expect(due('0 0 31 2 *', start)).toEqual({ kind: 'wait', nextMs: undefined });
  });
});

it('throws away the oldest jobs beyond the limit', () => {
  const job = (name: string, startTime?: string) => ({
    metadata: { name },
    status: startTime === undefined ? {} : { startTime },
  });
  const jobs = [job('b', '2026-01-02'), job('a', '2026-01-01'), job('new'), job('c', '2026-01-03')];
  expect(beyondHistory(jobs, 2).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(beyondHistory(jobs, 4)).toEqual([]);
  expect(beyondHistory(jobs, undefined)).toEqual([]);
  expect(beyondHistory(jobs, 0)).toHaveLength(4);
});
