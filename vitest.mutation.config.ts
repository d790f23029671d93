import { defineConfig } from 'vitest/config';

/**
 * The tests that run for every mutant: the tables and the transcripts. The random ones (naive implementation, ledger schedules,
 * rollout convergence) would kill more, and take hours.
 */
export default defineConfig({
  test: {
    include: ['test/core/**/*.test.ts'],
    exclude: [
      'test/core/naive/**',
      'test/core/ledger-model/**',
      'test/core/**/*random*',
      'test/core/rollout/convergence.test.ts',
      'test/core/rollout/model-fidelity.test.ts',
    ],
    testTimeout: 20_000,
    // Tests share no state but a memo; loading every module again for every mutant would cost most of the time.
    isolate: false,
  },
});
