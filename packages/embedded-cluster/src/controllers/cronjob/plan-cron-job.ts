import type { Schedule } from '../../kinds/cron.ts';
import { nextTime } from '../../kinds/cron-time.ts';

export interface Moment {
  readonly schedule: Schedule;
  readonly timeZone: string;
  readonly nowMs: number;
  readonly createdMs: number;
  readonly lastScheduleMs?: number | undefined;
  /** A run that is later than this is not started at all. */
  readonly startingDeadlineMs?: number | undefined;
}

export type Due =
  | { readonly kind: 'wait'; readonly nextMs: number | undefined }
  /** `missed`: how many times have passed, of which this is the last. */
  | { readonly kind: 'run'; readonly atMs: number; readonly missed: number };

/** Counting further is of no use: missed jobs beyond these are never run. */
const maxMissed = 100;
const minuteMs = 60_000;

/** The last time that has come and was not run, or when the next one comes. */
export function dueRun(moment: Moment): Due {
  const { schedule, timeZone, nowMs, createdMs, lastScheduleMs = createdMs, startingDeadlineMs } = moment;
  const earliest =
    startingDeadlineMs === undefined ? lastScheduleMs : Math.max(lastScheduleMs, nowMs - startingDeadlineMs);
  const next = (after: number) => nextTime(schedule, after, timeZone);
  let following = next(earliest);
  if (following === undefined || following > nowMs) return { kind: 'wait', nextMs: following };
  for (let missed = 1; missed <= maxMissed; missed += 1) {
    const at = following;
    following = next(at);
    if (following === undefined || following > nowMs) return { kind: 'run', atMs: at, missed };
  }
  return { kind: 'run', atMs: lastBefore(next, following, nowMs), missed: maxMissed + 1 };
}

/** Looks back twice as far each time, because what was missed in a year of minutes is not worth walking through. */
function lastBefore(next: (after: number) => number | undefined, known: number, nowMs: number): number {
  for (let back = minuteMs; nowMs - back > known; back *= 2) {
    const found = next(nowMs - back);
    if (found !== undefined && found <= nowMs) return walk(next, found, nowMs);
  }
  return walk(next, known, nowMs);
}

function walk(next: (after: number) => number | undefined, from: number, nowMs: number): number {
  let at = from;
  for (let following = next(at); following !== undefined && following <= nowMs; following = next(at)) at = following;
  return at;
}

export function missedTooMany(missed: number): boolean {
  return missed > maxMissed;
}

interface Dated {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly startTime?: string };
}

/** The oldest beyond the limit; jobs that never started are the newest. */
export function beyondHistory<T extends Dated>(jobs: readonly T[], limit: number | undefined): readonly T[] {
  if (limit === undefined || jobs.length <= limit) return [];
  const startOf = ({ status }: T) => status?.startTime ?? '9999';
  const byAge = [...jobs].sort((a, b) => {
    const order = startOf(a).localeCompare(startOf(b));
    return order === 0 ? a.metadata.name.localeCompare(b.metadata.name) : order;
  });
  return byAge.slice(0, jobs.length - limit);
}
