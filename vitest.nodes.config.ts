import { defineConfig } from 'vitest/config';

/**
 * npm run test:nodes: Holdfast as its users install it, on nodes with kubelets and containers. One file at a time: they share the nodes, and
 * some of them drain or cut them off.
 */
export default defineConfig({
  test: {
    include: ['test/nodes/**/*.test.ts'],
    // It judges nothing, and writes bench/results/nodes.md.
    exclude: process.env['HOLDFAST_TEST_MEASURE'] === 'true' ? [] : ['test/nodes/measure.test.ts'],
    globalSetup: ['./test/nodes/global-setup.ts'],
    setupFiles: ['./test/support/setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
  },
});
