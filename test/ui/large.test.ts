import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, visit } from './support/browser.ts';
import { screenshot, violations } from './support/checks.ts';
import { describeInBrowser } from './support/describe-in-browser.ts';
import { largeModel } from './support/sample-model.ts';
import { ServedSample } from './support/served-sample.ts';

/** More elements than these would be one for each node or budget. */
const maxElements = 4_000;

describeInBrowser('5,000 nodes and 2,000 budgets', () => {
  let browser: Browser;
  let served: ServedSample;

  beforeAll(async () => {
    browser = await startBrowser();
    served = await ServedSample.start(largeModel(Date.now()));
  });

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it('are a page of bounded size, which says the whole first', async () => {
    const { page } = await visit(browser, served.address);
    await page
      .getByRole('heading', { name: '20 of 2,000 budgets block, 4,450 of 5,000 nodes can be drained now' })
      .waitFor();
    expect(await page.locator('*').count()).toBeLessThan(maxElements);
    await screenshot(page, 'large-overview');
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  it('are found by state and by name', async () => {
    const { page } = await visit(browser, served.address);
    await page.getByRole('button', { name: '50 blocked' }).click();
    await page.getByRole('region', { name: /^50 nodes/ }).waitFor();
    await page.getByLabel('Find nodes by name or zone').fill('node-4907');
    await page.getByRole('link', { name: /node-4907/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Node node-4907' }).waitFor();
    await page.context().close();
  });

  it('change on the page when one node changes', async () => {
    const { page } = await visit(browser, served.address);
    const { nodes } = served.model;
    const [first] = nodes;
    await page.getByRole('button', { name: '50 blocked' }).waitFor();
    if (first !== undefined) served.change({ nodes: [{ ...first, state: 'blocked', stuck: 3 }, ...nodes.slice(1)] });
    await page.getByRole('button', { name: '51 blocked' }).waitFor();
    await page.getByRole('link', { name: /node-0000/ }).waitFor();
    await page.context().close();
  });

  it('can all be chosen for a what-if', async () => {
    const { page } = await visit(browser, served.address);
    await page.getByRole('link', { name: 'What if' }).click();
    await page.getByRole('button', { name: 'Add all' }).click();
    await page.getByText('5,000 nodes chosen').waitFor();
    expect(await page.locator('*').count()).toBeLessThan(maxElements);
    await page.context().close();
  });
});
