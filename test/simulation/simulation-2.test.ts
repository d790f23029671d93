import { test } from 'vitest';
import { runSeedsOfTest } from './seeds-of-a-test.ts';

test('[I1] [I5] [I6] [I9] [I14] the whole stack keeps its promises in random schedules', async () => {
  await runSeedsOfTest(2);
}, 900_000);
