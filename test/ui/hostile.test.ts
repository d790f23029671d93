import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, visit } from './support/browser.ts';
import { screenshot } from './support/checks.ts';
import { describeInBrowser } from './support/describe-in-browser.ts';
import { sampleModel } from './support/sample-model.ts';
import { ServedSample } from './support/served-sample.ts';

const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'&javascript:alert(3)\u202e`;

/** Words that the page decides by. Everything else is text from the cluster. */
const decided = new Set(['kind', 'state', 'scope', 'unit', 'answer', 'effect', 'by', 'html', 'id', 'probe']);

/** Every text ends in markup. */
function spoiled<T>(value: T, field = ''): T {
  if (typeof value === 'string') return (decided.has(field) ? value : `${value}${hostile}`) as T;
  if (Array.isArray(value)) return value.map((item) => spoiled(item, field)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spoiled(item, key)])) as T;
}

describeInBrowser('names and messages that are markup', () => {
  let browser: Browser;
  let served: ServedSample;

  beforeAll(async () => {
    browser = await startBrowser();
    served = await ServedSample.start(sampleModel(Date.now()), spoiled);
  });

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it.each([
    ['overview', '#/', 'Nodes by zone'],
    ['node', '#/node/node-2', 'In a terminal'],
    ['budget', '#/budget/pdb/shop/llm', 'In a terminal'],
    ['pod', '#/pod/shop/llm-1-1', 'In a terminal'],
    ['drains', '#/drains', 'Refusals by budget'],
  ])('are shown as they are: %s', async (name, hash, heading) => {
    const { page, faults } = await visit(browser, served.address);
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.getByRole('heading', { name: heading }).waitFor();
    await screenshot(page, `hostile-${name}`);
    // There is no such element anywhere in the page, and the text of it is there.
    expect(await page.locator('img, #page script, iframe').count()).toBe(0);
    expect(await page.getByText('<img src=x onerror=alert(1)>').count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('are shown as they are in the outcome of a what-if', async () => {
    const { page, faults } = await visit(browser, served.address);
    await page.evaluate(`location.hash = '#/what-if/node-1'`);
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('heading', { name: /^Plan:/ }).waitFor();
    expect(await page.locator('img, #page script, iframe').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('lead to the view of the thing that they name', async () => {
    const { page, faults } = await visit(browser, served.address);
    await page.getByRole('link', { name: /^node-2/ }).click();
    await page.getByRole('heading', { level: 1, name: `Node node-2${hostile.replace('\u202e', '\ufffd')}` }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
