import { test } from 'vitest';
import { runs } from '../support/effort.ts';
import { runSeedsOfTest } from './seeds-of-a-test.ts';

test('[I1] [I5] [I6] [I9] [I14] the whole stack keeps its promises in random schedules', async () => {
  await runSeedsOfTest(2, runs({ short: 15, long: 100 }));
}, 3_600_000);
