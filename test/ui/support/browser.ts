import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chosen = process.env['HOLDFAST_CHROMIUM'];
/** Where a chromium is; undefined: there is none. */
export const executable = (chosen === undefined ? places : [chosen]).find((path) => existsSync(path));

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
