import { defineConfig } from 'vitest/config';

/** Tests that need a real API server: npm run test:kubernetes. */
export default defineConfig({
  test: {
    include: ['test/kubernetes/**/*.test.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
