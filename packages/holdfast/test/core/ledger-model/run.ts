// npm run test:model -- [schedules] [first seed] [ours|plain]: as many random schedules of each stage as you like; prints the seed of a failure.
import { runSchedules } from './run-schedules.ts';
import type { Stage } from './schedule.ts';

const [countText = '1000000', firstText = '1', only] = process.argv.slice(2);
const count = Number(countText);
const first = Number(firstText);
const stages: readonly Stage[] = (['ours', 'plain'] as const).filter((stage) => only === undefined || only === stage);
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1 || stages.length === 0) {
  console.error('usage: npm run test:model -- [schedules] [first seed] [ours|plain]');
  process.exit(2);
}
for (const stage of stages) run(stage);

function run(stage: Stage): void {
  const started = Date.now();
  const outcome = runSchedules(stage, first, count, (done) =>
    console.log(`${stage}: ${done} schedules, ${((Date.now() - started) / 1000).toFixed(0)} s`),
  );
  if (outcome.ok) {
    console.log(
      `${stage}: ${count} schedules from seed ${first} hold the invariants: ${JSON.stringify(outcome.stats)}`,
    );
    return;
  }
  console.error(outcome.transcript.join('\n'));
  console.error(outcome.error);
  console.error(`seed ${outcome.seed} breaks an invariant; again: npm run test:model -- 1 ${outcome.seed} ${stage}`);
  process.exit(1);
}
