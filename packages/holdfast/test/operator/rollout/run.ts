// npm run test:rollouts -- [stories] [first seed]: as many random stories as you like; prints the seed of a failure.
import { runStories } from './run-stories.ts';

const count = Number(process.argv[2] ?? 100_000);
const first = Number(process.argv[3] ?? 1);
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1) {
  console.error('usage: npm run test:rollouts -- [stories] [first seed]');
  process.exit(2);
}
const started = Date.now();
const outcome = await runStories(first, count, (done) =>
  console.log(`${done} stories, ${((Date.now() - started) / 1000).toFixed(0)} s`),
);
if (outcome.ok) {
  console.log(`${count} stories from seed ${first} end well: ${JSON.stringify(outcome.stats)}`);
} else {
  console.error(outcome.log.join('\n'));
  console.error(outcome.wrong.join('\n'));
  console.error(`seed ${outcome.seed} ends badly; again: npm run test:rollouts -- 1 ${outcome.seed}`);
  process.exit(1);
}
