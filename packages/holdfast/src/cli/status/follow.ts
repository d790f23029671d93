import { sleep } from '../../kube/time/clock.ts';
import { Problem } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import type { StatusReport } from './report.ts';

/** Where what is seen goes. */
export interface Viewer {
  show(report: StatusReport, before: StatusReport | undefined): void;
  /** A look failed that may succeed the next time: during maintenance, API servers restart. */
  failed(problem: Problem): void;
}

/** Looks again and again, until the signal. Looking never takes more than half of the time, however large the cluster is. */
export async function follow(
  { clock, signal }: Pick<Session, 'clock' | 'signal'>,
  intervalMs: number,
  look: () => Promise<StatusReport>,
  viewer: Viewer,
): Promise<void> {
  let before: StatusReport | undefined;
  while (!signal.aborted) {
    const begun = clock.monotonic();
    try {
      const report = await look();
      viewer.show(report, before);
      before = report;
    } catch (error) {
      if (signal.aborted) return;
      // What fails at the first look is a wrong question, most likely.
      if (before === undefined || !(error instanceof Problem)) throw error;
      viewer.failed(error);
    }
    await sleep(clock, Math.max(intervalMs, clock.monotonic() - begun), signal);
  }
}
