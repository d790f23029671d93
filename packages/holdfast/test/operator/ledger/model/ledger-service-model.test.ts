import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../../test/support/effort.ts';
import { commands } from './commands.ts';
import { Life, type LifeStats } from './life.ts';

const lives = runs({ short: 60, long: 1_000 });

describe('three ledger services over one API server', () => {
  it('[I1] [I3] [I5] [I9] [L5] [L6] [L7] [N5] [N6] overspend nothing, reserve once, and end every reservation', async () => {
    const total: LifeStats = { admitted: 0, refused: 0, stopped: 0, writes: 0, crashes: 0, returned: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(), commands, async (seed, story) => {
        const life = new Life(seed);
        await life.run(story);
        for (const key of Object.keys(total) as (keyof LifeStats)[]) total[key] += life.stats[key];
      }),
      { numRuns: lives },
    );
    // A model in which nothing happens proves nothing.
    expect(total.admitted).toBeGreaterThan(lives * 3);
    expect(total.refused).toBeGreaterThan(lives * 3);
    expect(total.stopped).toBeGreaterThan(lives / 10);
    expect(total.writes).toBeGreaterThan(lives * 4);
    expect(total.crashes).toBeGreaterThan(lives / 2);
    expect(total.returned).toBeGreaterThan(lives / 10);
  }, 600_000);
});
