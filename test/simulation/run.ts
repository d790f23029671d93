// npm run test:simulation -- [schedules] [first seed]: random schedules of the whole stack; prints the seed and story of a failure.
import { runSchedule } from './schedule.ts';

const count = Number(process.argv[2] ?? 1_000);
const first = Number(process.argv[3] ?? 1);
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1) {
  console.error('usage: npm run test:simulation -- [schedules] [first seed]');
  process.exit(2);
}
const started = Date.now();
let disruptions = 0;
const failures: number[] = [];
const keepGoing = process.env['HOLDFAST_KEEP_GOING'] === 'true';
for (let seed = first; seed < first + count; seed += 1) {
  const result = await runSchedule(seed, count === 1 ? 'warn' : 'error');
  disruptions += result.disruptions;
  if (result.violation !== undefined) {
    failures.push(seed);
    if (keepGoing) console.log(`${seed}: ${result.violation.clause} ${result.violation.message}`);
    else {
      console.error(result.transcript.join('\n'));
      console.error(`seed ${seed} breaks ${result.violation.clause}: ${result.violation.message}`);
      console.error(`again: npm run test:simulation -- 1 ${seed}`);
      process.exit(1);
    }
  }
  if ((seed - first) % 100 === 99) {
    console.log(
      `${seed - first + 1} schedules, ${disruptions} disruptions, ${((Date.now() - started) / 1000).toFixed(0)} s`,
    );
  }
}
console.log(`${count} schedules from seed ${first}, ${disruptions} disruptions: ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
