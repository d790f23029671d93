import type { ScheduleResult } from './schedule.ts';

/** What is told of a schedule from process to process. */
export type Outcome = Pick<ScheduleResult, 'seed' | 'violation' | 'transcript' | 'disruptions'>;

/** Runs one schedule at a time. */
export interface Runner {
  run(seed: number): Promise<Outcome>;
}

export interface SpreadTerms {
  readonly first: number;
  readonly count: number;
  readonly runners: readonly Runner[];
  /** Called in the order of the seeds, whichever runner is faster. 'stop' ends it. */
  readonly onOutcome: (outcome: Outcome) => 'stop' | undefined;
}

/** Runs schedules on several runners at the same time. The first outcome that stops it is the same for any number of runners. */
export async function spread({ first, count, runners, onOutcome }: SpreadTerms): Promise<void> {
  let next = first;
  let due = first;
  let isStopped = false;
  const early = new Map<number, Outcome>();
  const tell = () => {
    for (let outcome = early.get(due); outcome !== undefined && !isStopped; outcome = early.get(due)) {
      early.delete(due);
      due += 1;
      isStopped = onOutcome(outcome) === 'stop';
    }
  };
  const work = async (runner: Runner) => {
    while (!isStopped && next < first + count) {
      const seed = next;
      next += 1;
      early.set(seed, await runner.run(seed));
      tell();
    }
  };
  await Promise.all(runners.map(work));
}
