import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * npm run test:long: tests that take minutes (`*.long.test.ts`), and tests with random runs (those that import test/support/effort.ts), with as
 * many runs as they are worth.
 */
const include = ['test', ...readdirSync('packages').map((name) => join('packages', name, 'test'))]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => file.endsWith('.long.test.ts') || readFileSync(file, 'utf8').includes('/effort.ts'));
if (include.length === 0) throw new Error('no test takes long');

export default defineConfig({
  test: {
    include,
    env: { HOLDFAST_LONG: 'true' },
    setupFiles: ['./test/support/setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // One more than most machines here have cores: a few files take minutes, and a core would be idle while the other ends with one of them.
    maxWorkers: 3,
  },
});
