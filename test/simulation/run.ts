// npm run test:simulation -- [schedules] [first seed]: random schedules of the whole stack, on all cores; prints the seed and the
// transcript of the first that fails. HOLDFAST_KEEP_GOING=true lists all that fail. HOLDFAST_PROCESSES: how many at the same time.
import { availableParallelism } from 'node:os';
import { ProcessRunner } from './process-runner.ts';
import { runSchedule } from './schedule.ts';
import { type Outcome, spread } from './spread.ts';

const count = Number(process.argv[2] ?? 1_000);
const first = Number(process.argv[3] ?? 1);
const processes = Number(process.env['HOLDFAST_PROCESSES'] ?? availableParallelism());
if (!(Number.isSafeInteger(count) && Number.isSafeInteger(first) && count >= 1 && processes >= 1)) {
  console.error('usage: npm run test:simulation -- [schedules] [first seed]');
  process.exit(2);
}
const keepGoing = process.env['HOLDFAST_KEEP_GOING'] === 'true';
const started = Date.now();
let done = 0;
let disruptions = 0;
let failed = 0;

function note(outcome: Outcome): 'stop' | undefined {
  done += 1;
  disruptions += outcome.disruptions;
  const { seed, violation, transcript } = outcome;
  if (violation !== undefined) {
    failed += 1;
    if (keepGoing) console.log(`${seed}: ${violation.clause} ${violation.message}`);
    else {
      console.error(transcript.join('\n'));
      console.error(`seed ${seed} breaks ${violation.clause}: ${violation.message}`);
      console.error(`again: npm run test:simulation -- 1 ${seed}`);
      return 'stop';
    }
  }
  if (done % 100 === 0) {
    console.log(`${done} schedules, ${disruptions} disruptions, ${((Date.now() - started) / 1000).toFixed(0)} s`);
  }
  return undefined;
}

if (count === 1) note(await runSchedule(first, 'warn'));
else {
  const runners = Array.from({ length: Math.min(processes, count) }, () => new ProcessRunner());
  await spread({ first, count, runners, onOutcome: note });
  for (const runner of runners) runner.close();
}
console.log(`${done} schedules from seed ${first}, ${disruptions} disruptions: ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
