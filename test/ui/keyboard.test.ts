import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, visit } from './support/browser.ts';
import { describeInBrowser } from './support/describe-in-browser.ts';
import { sampleModel } from './support/sample-model.ts';
import { ServedSample } from './support/served-sample.ts';

/** As far as a reader of the sample would ever have to press it. */
const maxStops = 80;

function focused(page: Page): Promise<string> {
  return page.evaluate(
    `(document.activeElement?.textContent || document.activeElement?.getAttribute('aria-label') || '').trim()`,
  );
}

/** Presses Tab until the focus is on something with this text. */
async function tabTo(page: Page, text: string | RegExp): Promise<void> {
  for (let stops = 0; stops < maxStops; stops++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (typeof text === 'string' ? now === text : text.test(now)) return;
  }
  throw new Error(`Tab does not reach ${text}`);
}

describeInBrowser('with the keyboard alone', () => {
  let browser: Browser;
  let served: ServedSample;

  beforeAll(async () => {
    browser = await startBrowser();
    served = await ServedSample.start(sampleModel(Date.now()));
  });

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it('the first stop skips the navigation', async () => {
    const { page } = await visit(browser, served.address);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.context().close();
  });

  it('a node is found among the tiles by arrows, opened, and its command copied', async () => {
    const { page } = await visit(browser, served.address, { permissions: ['clipboard-read', 'clipboard-write'] });
    await tabTo(page, /^node-1/);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toMatch(/^node-2/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toMatch(/^node-4/);
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toMatch(/^node-2/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Node node-2' }).waitFor();
    expect(await focused(page)).toBe('Node node-2');
    await page.getByRole('heading', { name: 'In a terminal' }).waitFor();
    await tabTo(page, 'Copy');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('holdfast explain node/node-2');
    await page.context().close();
  });

  it('a what-if is filled in and run', async () => {
    const { page } = await visit(browser, served.address);
    await tabTo(page, 'What if');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'What if' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: /Plan in waves/ }).isChecked()).toBe(true);
    await tabTo(page, 'Simulate');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Plan:/ }).waitFor();
    expect(served.asked?.what).toEqual({ kind: 'plan' });
    await page.context().close();
  });
});
