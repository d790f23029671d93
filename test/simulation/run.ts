// npm run test:simulation -- [schedules] [first seed]: random schedules of the whole stack, on all cores; prints the seed and the
// transcript of the first that fails, and how to go on with a run that was stopped. HOLDFAST_KEEP_GOING=true goes on after one that
// fails. HOLDFAST_PROCESSES: how many at the same time.
import { availableParallelism } from 'node:os';
import { ProcessRunner } from './process-runner.ts';
import { RunRecord } from './run-record.ts';
import { runSchedule } from './schedule.ts';
import { type Outcome, spread } from './spread.ts';

const count = Number(process.argv[2] ?? 1_000);
const first = Number(process.argv[3] ?? 1);
const processes = Number(process.env['HOLDFAST_PROCESSES'] ?? availableParallelism());
if (!(Number.isSafeInteger(count) && Number.isSafeInteger(first) && count >= 1 && processes >= 1)) {
  console.error('usage: npm run test:simulation -- [schedules] [first seed]');
  process.exit(2);
}
const started = Date.now();
const keepGoing = process.env['HOLDFAST_KEEP_GOING'] === 'true';
const record = new RunRecord({ first, count, keepGoing, elapsed: () => Date.now() - started });
const runners = Array.from({ length: Math.min(processes, count) }, () => new ProcessRunner());

function note(outcome: Outcome): 'stop' | undefined {
  const { lines, isOver } = record.note(outcome);
  for (const line of lines) console.log(line);
  return isOver ? 'stop' : undefined;
}

function end(exitCode: number): void {
  for (const runner of runners) runner.close();
  for (const line of record.summary()) console.log(line);
  process.exit(exitCode);
}

process.once('SIGINT', () => end(130));
process.once('SIGTERM', () => end(143));
// In this process a debugger can follow it, and warnings of the operator are in its transcript.
if (count === 1) note(await runSchedule(first, 'warn'));
else await spread({ first, count, runners, onOutcome: note });
end(record.exitCode);
