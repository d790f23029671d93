import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe } from 'vitest';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chosen = process.env['HOLDFAST_CHROMIUM'];
const executable = (chosen === undefined ? places : [chosen]).find((path) => existsSync(path));

const missing =
  'there is no chromium: the tests of the page in a browser are skipped (apt-get install chromium, or name one in HOLDFAST_CHROMIUM)';

if (executable === undefined) {
  // CI sets it: a page that no browser has shown is not tested.
  if (process.env['HOLDFAST_NEEDS_BROWSER'] === '1') throw new Error(missing);
  process.stderr.write(`${missing}\n`);
}

/** For suites that need a browser; without one they are skipped, and one line says so. */
export const describeInBrowser = describe.skipIf(executable === undefined);

/** The sandbox needs rights that containers do not have; the only pages that it shows are ours. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(executable === undefined ? {} : { executablePath: executable }),
    args: ['--no-sandbox'],
  });
}

export const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** A page, and everything that must not have happened on it. */
export interface Visit {
  readonly page: Page;
  /** Errors of scripts, refusals by the content security policy, and requests that left the machine. */
  readonly faults: readonly string[];
}

/** @param address with the token, as `holdfast ui` prints it */
export async function visit(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: sizes.desk, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/content security policy|trusted/i.test(message.text())) faults.push(`policy: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, faults };
}
