import { expect, test } from 'vitest';
import { runSchedule } from './schedule.ts';

/** `npm run test:simulation -- 100000` goes on from here; see docs/testing.md for what it has found. */
const schedules = 60;

test('[I1] [I5] [I6] [I9] [I14] the whole stack keeps its promises in random schedules', async () => {
  let disruptions = 0;
  for (let seed = 1; seed <= schedules; seed += 1) {
    const { violation, transcript, disruptions: count } = await runSchedule(seed);
    if (violation !== undefined) {
      expect.fail(`${transcript.join('\n')}\nseed ${seed} breaks ${violation.clause}: ${violation.message}`);
    }
    disruptions += count;
  }
  // Schedules in which nothing may go would hold every promise.
  expect(disruptions).toBeGreaterThan(schedules);
}, 600_000);
