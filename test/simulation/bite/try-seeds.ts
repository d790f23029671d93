// Runs the seeds that are given, and tells the first that fails. Bundled with one mistake by run.ts.
import { runSchedule } from '../schedule.ts';

for (const seed of process.argv.slice(2).map(Number)) {
  const { violation } = await runSchedule(seed);
  if (violation !== undefined) {
    process.stdout.write(JSON.stringify({ seed, ...violation }), () => process.exit(0));
    await new Promise(() => undefined);
  }
}
process.exit(0);
