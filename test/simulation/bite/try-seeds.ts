// Runs the seeds that are given until one fails, and tells which, and what it took. Bundled with one mistake by run.ts.
import { runSchedule } from '../schedule.ts';
import type { Tried } from './tried.ts';

async function tried(seeds: readonly number[]): Promise<Tried> {
  let schedules = 0;
  let noticed: Tried['noticed'];
  for (const seed of seeds) {
    const { violation } = await runSchedule(seed);
    schedules += 1;
    if (violation === undefined) continue;
    noticed = { seed, clause: violation.clause };
    break;
  }
  const { user, system } = process.cpuUsage();
  return { schedules, cpuSeconds: (user + system) / 1e6, ...(noticed === undefined ? {} : { noticed }) };
}

const result = await tried(process.argv.slice(2).map(Number));
process.stdout.write(JSON.stringify(result), () => process.exit(0));
