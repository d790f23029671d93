import { defineConfig } from 'vitest/config';

/** All tests; those that take minutes run in `npm run test:long`, as CI does. */
const all = '{test,packages/*/test}/**/*.test.ts';
const long = '**/*.long.test.ts';
/**
 * Files of one project share a process and the modules that were loaded into it: loading the same modules for each of several hundred files took
 * a quarter of the whole run. They change nothing of their process: no environment, no exit code, no signals.
 *
 * Units apart from the others: virtual time moves when the process is idle (`untilIdle`), and a cluster that another file left behind keeps it
 * waiting. For the same reason simulations, and the page, which offers them, have a process for each file.
 */
const units = ['packages/{base,dashboard,embedded-cluster}/test/**/*.test.ts'].concat(
  'packages/holdfast/test/{agent,api,core,groups,install,kube,observe,operator,telemetry,ui}/**/*.test.ts',
);
const alone = [
  'test/simulation/**/*.test.ts',
  'packages/holdfast/test/cli/{simulate,ui}/**/*.test.ts',
  'test/ui/**/*.test.ts',
  'test/e2e/ui*.test.ts',
  // They measure what load does to answers, and must not have that of other files in their process.
  'test/{faults,hostile}/**/*.test.ts',
  'test/e2e/webhook-*.test.ts',
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
      { extends: true, test: { name: 'units', include: units, exclude: [long], isolate: false } },
      {
        extends: true,
        test: { name: 'shared', include: [all], exclude: [...units, ...alone, ...elsewhere, long], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: [long] } },
    ],
  },
});
