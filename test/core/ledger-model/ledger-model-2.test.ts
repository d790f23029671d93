import { describe, expect, it } from 'vitest';
import { runSchedules } from './run-schedules.ts';

/** Together with the first half, in a file of its own so that both cores work. */
const half = 50_000;

describe('random schedules of several replicas', () => {
  it('[I1] [I2] [I3] [I5] [I9] [N5] [L1] [L2] [L4] [L6] never overspend, reserve twice, or forget a reservation (seeds 50,001 to 100,000)', () => {
    const outcome = runSchedules(half + 1, half);
    if (!outcome.ok) expect.fail(`seed ${outcome.seed}: ${outcome.error}\n${outcome.transcript.join('\n')}`);
    // A model in which nothing happens proves nothing.
    expect(outcome.stats.admitted).toBeGreaterThan(half);
    expect(outcome.stats.refused).toBeGreaterThan(half);
    expect(outcome.stats.conflicts).toBeGreaterThan(half / 2);
    expect(outcome.stats.crashes).toBeGreaterThan(half / 2);
    expect(outcome.stats.returned).toBeGreaterThan(half / 10);
  }, 280_000);
});
