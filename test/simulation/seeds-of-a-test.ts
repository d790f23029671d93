import { expect } from 'vitest';
import { runSchedule } from './schedule.ts';

/**
 * `npm run test:simulation -- 100000` goes on from here; see docs/testing.md for what it has found. Each test file runs in a process of its
 * own, so that all cores are used. Files are numbered from 1.
 */
export async function runSeedsOfTest(file: number, schedules: number): Promise<void> {
  const first = 1 + (file - 1) * schedules;
  let disruptions = 0;
  for (let seed = first; seed < first + schedules; seed += 1) {
    const { violation, transcript, disruptions: count } = await runSchedule(seed);
    if (violation !== undefined) {
      expect.fail(`${transcript.join('\n')}\nseed ${seed} breaks ${violation.clause}: ${violation.message}`);
    }
    disruptions += count;
  }
  // Schedules in which nothing may go would hold every promise.
  expect(disruptions).toBeGreaterThan(schedules);
}
