import { describe, it } from 'vitest';
import { expectToHold, half } from './expect-to-hold.ts';

describe('random schedules of several replicas, the other half', () => {
  it('[I1] [I3] [I9] overspend nothing, reserve once, and end every reservation', () => {
    expectToHold('ours', half + 1, half);
  }, 1_200_000);
});
