import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Helm takes over nothing that other tests installed: the test of a release has the cluster before they do. */
class ReleaseFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isRelease = ({ moduleId }: TestSpecification) => moduleId.endsWith('test/e2e/chart.test.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(isRelease), ...sorted.filter((file) => !isRelease(file))];
  }
}

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
    sequence: { sequencer: ReleaseFirst },
  },
});
