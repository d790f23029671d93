import { describe } from 'vitest';
import { executable } from './browser.ts';

const missing =
  'there is no chromium: the tests of the page in a browser are skipped (apt-get install chromium, or name one in HOLDFAST_CHROMIUM)';

if (executable === undefined) {
  // CI sets it: a page that no browser has shown is not tested.
  if (process.env['HOLDFAST_NEEDS_BROWSER'] === '1') throw new Error(missing);
  process.stderr.write(`${missing}\n`);
}

/** For suites that need a browser; without one they are skipped, and one line says so. */
export const describeInBrowser = describe.skipIf(executable === undefined);
