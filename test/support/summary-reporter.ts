import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed, N skipped` as the very last line, so that a machine can read how the run went. */
class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) countModule(module, counts);
    process.on('exit', () => {
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    });
  }
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

function countModule(module: TestModule, counts: Counts): void {
  let tests = 0;
  for (const test of module.children.allTests()) {
    tests += 1;
    const state = test.result().state;
    if (state === 'passed') counts.passed += 1;
    else if (state === 'failed') counts.failed += 1;
    else counts.skipped += 1;
  }
  // A file that could not even be loaded has no tests to fail: it is one failure all the same.
  if (tests === 0 && !module.ok()) counts.failed += 1;
}

export { SummaryReporter as default };
