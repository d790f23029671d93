import { defineConfig } from 'vitest/config';

/**
 * The suites that run on any Kubernetes, on a real one: npm run test:kubernetes. One file at a time: they share the cluster, and
 * one operator at a time protects it.
 */
export default defineConfig({
  test: {
    include: ['kubernetes', 'conformance', 'e2e', 'deploy'].map((folder) => `test/${folder}/**/*.test.ts`),
    globalSetup: ['./test/kubernetes/global-setup.ts'],
    setupFiles: ['./test/support/setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
