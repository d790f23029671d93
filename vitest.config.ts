import { defineConfig } from 'vitest/config';

/** All tests; those that take minutes run in `npm run test:long`, as CI does. */
const all = '{test,packages/*/test}/**/*.test.ts';
const long = '**/*.long.test.ts';
/**
 * Simulations, and the page, which offers them, run in processes of their own: virtual time moves when the process is idle (`untilIdle`), so a
 * second simulation or a cluster that another file left behind would keep it waiting. All other files change nothing of their process (no
 * environment, no exit code, no signals) and share it with the modules that were loaded into it: loading the same modules for each of several
 * hundred files took a quarter of the whole run.
 */
const alone = [
  'test/simulation/**/*.test.ts',
  'packages/holdfast/test/{cli/simulate,ui,cli/ui}/**/*.test.ts',
  'test/e2e/ui*.test.ts',
];
/** Suites that need more than Node: they have configurations of their own. */
const elsewhere = ['test/kubernetes/**', 'test/nodes/**'];

export default defineConfig({
  test: {
    setupFiles: ['./test/support/setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    // Property tests may think for a while on a loaded two-core machine; no test asserts on time.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // One more than most machines here have cores: many tests wait for timers and for other processes.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: [all], exclude: [...alone, ...elsewhere, long], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: [long] } },
    ],
  },
});
