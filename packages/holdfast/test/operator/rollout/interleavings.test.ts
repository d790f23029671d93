import { expect, test } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import { runStories } from './run-stories.ts';

/** `npm run test:rollouts` tells more of them. */
const count = Number(process.env['HOLDFAST_STORIES'] ?? runs({ short: 600, long: 3_000 }));

test('[R1] [R2] [R3] whatever happens between two calls, a rollout ends in the newest template, one removal at a time and none of a ready replica', async () => {
  const outcome = await runStories(1, count);
  if (!outcome.ok) expect.fail(`seed ${outcome.seed}: ${outcome.wrong.join('\n')}\n${outcome.log.join('\n')}`);
  // Stories in which nothing is to repair, or no operator is killed, would prove nothing.
  expect(outcome.stats.repairs).toBeGreaterThan(count / 3);
  expect(outcome.stats.scaleDowns).toBeGreaterThan(count / 20);
  expect(outcome.stats.kills).toBeGreaterThan(count);
  expect(outcome.stats.refusals).toBeGreaterThan(count / 20);
}, 1_200_000);
