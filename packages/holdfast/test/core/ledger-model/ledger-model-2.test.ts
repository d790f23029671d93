import { describe, it } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import { expectToHold } from './expect-to-hold.ts';

/** Two test files share a hundred thousand schedules, so that both cores work. */
const half = runs({ short: 1_500, long: 50_000 });

describe('random schedules of several replicas, the other half', () => {
  it('[I1] [I3] [I9] overspend nothing, reserve once, and end every reservation', () => {
    expectToHold('ours', half + 1, half);
  }, 1_200_000);
});
