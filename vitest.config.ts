import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those that take minutes run in `npm run test:long`, as CI does.
    exclude: ['test/kubernetes/**', 'test/nodes/**', 'test/**/*.long.test.ts'],
    setupFiles: ['./test/support/setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    // Property tests may think for a while on a loaded two-core machine; no test asserts on time.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // One more than most machines here have cores: many tests wait for timers and for other processes.
    maxWorkers: 3,
  },
});
