// npm run test:model -- [schedules] [first seed]: as many random schedules as you like; prints the seed of a failure.
import { runSchedules } from './run-schedules.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const first = Number(process.argv[3] ?? 1);
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1) {
  console.error('usage: npm run test:model -- [schedules] [first seed]');
  process.exit(2);
}
const started = Date.now();
const outcome = runSchedules(first, count, (done) =>
  console.log(`${done} schedules, ${((Date.now() - started) / 1000).toFixed(0)} s`),
);
if (outcome.ok) {
  console.log(`${count} schedules from seed ${first} hold the invariants: ${JSON.stringify(outcome.stats)}`);
} else {
  console.error(outcome.transcript.join('\n'));
  console.error(outcome.error);
  console.error(`seed ${outcome.seed} breaks an invariant; again: npm run test:model -- 1 ${outcome.seed}`);
  process.exit(1);
}
