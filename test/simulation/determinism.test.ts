import { expect, test } from 'vitest';
import { runSchedule } from './schedule.ts';

test('a schedule is its seed: what ran before it in the process changes nothing', async () => {
  // Seeds with three replicas, with replicas that are stopped and killed, and with LeaderWorkerSets.
  for (const [seed, other] of [
    [5, 9],
    [14, 6],
  ] as const) {
    const before = await runSchedule(seed, 'warn');
    const between = await runSchedule(other, 'warn');
    const after = await runSchedule(seed, 'warn');
    expect(after.transcript).toEqual(before.transcript);
    expect(after.history.digest()).toBe(before.history.digest());
    expect(between.history.digest()).not.toBe(before.history.digest());
  }
}, 300_000);
