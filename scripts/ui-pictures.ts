// Takes the pictures of `holdfast ui` that the README shows, on the demo: a broken group, a drain that waits for it, and a what-if.
// Needs a chromium. `npm run picture:ui`; look at what it made before you commit it.
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../test/ui/support/browser.ts';
import { Demo } from '../test/ui/support/demo.ts';
import { UiProcess } from '../test/ui/support/ui-process.ts';

const folder = 'docs/images';
const viewport = { width: 1200, height: 700 };
/** Ages of a few seconds look like a test; these look like a day at work. */
const waitMs = 25_000;

const demo = await Demo.start();
const ui = await UiProcess.start(demo.kubeconfig);
const browser = await startBrowser();
try {
  const { page } = await visit(browser, ui.address, { viewport, colorScheme: 'light' });
  await breakGroup(page);
  await shoot(page, 'ui-overview');
  await page.getByRole('navigation').getByRole('link', { name: 'Drains' }).click();
  await page.getByText(/^blocked for/).waitFor();
  await shoot(page, 'ui-drains');
  await whatIf(page);
  await shoot(page, 'ui-what-if');
} finally {
  await browser.close();
  await ui.stop();
  await demo.stop();
}

async function breakGroup(page: Page): Promise<void> {
  await demo.setReady('inference', 'llm-0-1', false);
  await page.getByRole('heading', { level: 1, name: /^1 of 3 budgets blocks/ }).waitFor();
  void demo.drain(await demo.nodeOf('inference', 'llm-1'));
  await page.waitForTimeout(waitMs);
}

async function whatIf(page: Page): Promise<void> {
  await demo.setReady('inference', 'llm-0-1', true);
  await page.getByRole('heading', { level: 1, name: /^No drain is under way/ }).waitFor();
  await page.getByRole('link', { name: 'What if' }).click();
  for (const name of ['llm-0', 'llm-1']) {
    await page.getByRole('checkbox', { name: new RegExp(`^${await demo.nodeOf('inference', name)} `) }).check();
  }
  await page.getByLabel('Budget to edit').selectOption('pdb/inference/llm');
  const yaml = page.getByLabel('Changed objects as YAML');
  await page.waitForTimeout(1_000);
  await yaml.fill((await yaml.inputValue()).replace(/^.*budget-scope.*\n/m, ''));
  await page.getByRole('button', { name: 'Simulate both and compare' }).click();
  await page.getByRole('heading', { name: /^Compared/ }).waitFor({ timeout: 60_000 });
  await page.setViewportSize({ width: 1200, height: 760 });
  await page.getByRole('heading', { name: 'What would happen' }).scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${folder}/${name}.png`);
}
