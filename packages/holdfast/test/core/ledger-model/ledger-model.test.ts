import { describe, it } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import { expectToHold } from './expect-to-hold.ts';

describe('random schedules of several replicas', () => {
  it('[I1] [I2] [I3] [I5] [I9] [N5] [N6] [P9] [L1] [L2] [L4] [L5] [L6] [L7] overspend nothing, reserve once, and end every reservation', () => {
    expectToHold('ours', 1, runs({ short: 1_500, long: 50_000 }));
  }, 1_200_000);
});
