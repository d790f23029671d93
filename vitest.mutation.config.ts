import { defineConfig } from 'vitest/config';

/**
 * The tests that run for every mutant: the tables and the transcripts. The random ones (naive implementation, ledger schedules,
 * rollout convergence) would kill more, and take hours.
 */
export default defineConfig({
  test: {
    include: ['packages/holdfast/test/core/**/*.test.ts'],
    exclude: [
      'packages/holdfast/test/core/naive/**',
      'packages/holdfast/test/core/ledger-model/**',
      'packages/holdfast/test/core/**/*random*',
      'packages/holdfast/test/core/rollout/convergence.test.ts',
      'packages/holdfast/test/core/rollout/model-fidelity.test.ts',
    ],
    testTimeout: 20_000,
    // Tests share no state but a memo; loading every module again for every mutant would cost most of the time.
    isolate: false,
  },
});
