import { expect, test } from 'vitest';
import { type Outcome, type Runner, spread } from './spread.ts';

/** Takes as many turns for a seed as `turns` says; seeds in `failing` fail. */
function runner(turns: (seed: number) => number, failing: readonly number[] = []): Runner {
  return {
    async run(seed) {
      for (let turn = 0; turn < turns(seed); turn += 1) await Promise.resolve();
      const violation = failing.includes(seed) ? { clause: 'I1', at: 0, message: `seed ${seed}` } : undefined;
      return { seed, violation, transcript: [], disruptions: 1 };
    },
  };
}

async function seedsTold(runners: readonly Runner[], count: number): Promise<readonly number[]> {
  const told: number[] = [];
  const onOutcome = ({ seed, violation }: Outcome) => {
    told.push(seed);
    return violation === undefined ? undefined : 'stop';
  };
  await spread({ first: 5, count, runners, onOutcome });
  return told;
}

test('outcomes are told in the order of the seeds, whichever runner is faster', async () => {
  const slow = runner((seed) => 100 - seed * 5);
  expect(await seedsTold([slow, slow, runner(() => 1)], 8)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
});

test('it stops at the lowest seed that fails, although a higher one failed before', async () => {
  const failing = [7, 9];
  const slowAtSeven = runner((seed) => (seed === 7 ? 500 : 1), failing);
  for (const count of [1, 2, 3]) {
    const runners = Array.from({ length: count }, () => slowAtSeven);
    expect(await seedsTold(runners, 100)).toEqual([5, 6, 7]);
  }
});
