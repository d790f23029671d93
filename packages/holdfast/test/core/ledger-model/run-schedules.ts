import { nothingYet, Schedule, type ScheduleStats, type Stage } from './schedule.ts';

export type Outcome =
  | { readonly ok: true; readonly stats: ScheduleStats }
  | { readonly ok: false; readonly seed: number; readonly error: string; readonly transcript: readonly string[] };

const stepsPerSchedule = 60;

/** Runs schedules with the seeds from `first` on; stops at the first that breaks an invariant, and tells its story. */
export function runSchedules(
  stage: Stage,
  first: number,
  count: number,
  progress: (done: number) => void = () => {},
): Outcome {
  const total: ScheduleStats = { ...nothingYet };
  for (let seed = first; seed < first + count; seed += 1) {
    const schedule = new Schedule(seed, stage);
    const error = failureOf(schedule);
    if (error !== undefined) return { ok: false, seed, error, transcript: replay(stage, seed) };
    for (const key of Object.keys(total) as (keyof ScheduleStats)[]) total[key] += schedule.stats[key];
    if ((seed - first) % 10_000 === 9_999) progress(seed - first + 1);
  }
  return { ok: true, stats: total };
}

function failureOf(schedule: Schedule): string | undefined {
  try {
    schedule.run(stepsPerSchedule);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function replay(stage: Stage, seed: number): readonly string[] {
  const schedule = new Schedule(seed, stage, true);
  failureOf(schedule);
  return schedule.transcript;
}
