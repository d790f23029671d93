import { describe, it } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import { expectToHold } from './expect-to-hold.ts';

describe('random schedules of several replicas, beside a plain budget and the check that Kubernetes has for it', () => {
  it('[I1] [I3] [I9] [P2] [P3] [P9] overspend neither, while budgets of ours come and go', () => {
    expectToHold('plain', 1, runs({ short: 1_000, long: 25_000 }));
  }, 1_200_000);
});
