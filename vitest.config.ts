import { defineConfig } from 'vitest/config';

/**
 * Suites that change nothing of their process: no environment, no exit code, no signals. Their files share a process and the modules that were
 * loaded into it; loading the same modules for each of several hundred files took a quarter of the whole run.
 */
const sharing = [
  'packages/{base,embedded-cluster}/test/**/*.test.ts',
  'packages/holdfast/test/{agent,api,core,kube,operator,telemetry}/**/*.test.ts',
];
// Those that take minutes run in `npm run test:long`, as CI does.
const long = '**/*.long.test.ts';

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
      { extends: true, test: { name: 'shared', include: sharing, exclude: [long], isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['{test,packages/*/test}/**/*.test.ts'],
          exclude: [...sharing, 'test/kubernetes/**', 'test/nodes/**', long],
        },
      },
    ],
  },
});
