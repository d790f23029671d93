import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sizes, startBrowser, type Visit, visit } from './support/browser.ts';
import { overflow, screenshot, violations } from './support/checks.ts';
import { describeInBrowser } from './support/describe-in-browser.ts';
import { sampleModel } from './support/sample-model.ts';
import { ServedSample } from './support/served-sample.ts';

const views = [
  { name: 'overview', hash: '#/', title: /1 of 3 budgets blocks/ },
  { name: 'node', hash: '#/node/node-2', title: 'Node node-2' },
  { name: 'budget', hash: '#/budget/pdb/shop/llm', title: 'Budget pdb/shop/llm' },
  { name: 'pod', hash: '#/pod/shop/llm-1-1', title: 'Pod shop/llm-1-1' },
  { name: 'drains', hash: '#/drains', title: '1 node being drained' },
  { name: 'what-if', hash: '#/what-if/node-1', title: 'What if' },
  { name: 'unknown', hash: '#/nothing/here', title: 'No such page' },
];

const looks = [
  { look: 'light', size: 'desk' },
  { look: 'dark', size: 'desk' },
  { look: 'light', size: 'phone' },
] as const;

describeInBrowser('every view', () => {
  let browser: Browser;
  let served: ServedSample;

  beforeAll(async () => {
    browser = await startBrowser();
    served = await ServedSample.start(sampleModel(Date.now()));
  });

  /** One page for each look, which goes from view to view as a reader does. */
  const visits = new Map<string, Promise<Visit>>();
  const visitAs = (look: 'light' | 'dark', size: keyof typeof sizes) => {
    const key = `${look} ${size}`;
    const known = visits.get(key) ?? visit(browser, served.address, { colorScheme: look, viewport: sizes[size] });
    visits.set(key, known);
    return known;
  };

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it.each(looks.flatMap((how) => views.map((view) => ({ ...how, ...view }))))(
    'has no violations of accessibility and fits: $name, $look, $size',
    async ({ look, size, name, hash, title }) => {
      const { page, faults } = await visitAs(look, size);
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      if (name === 'what-if') {
        await page.getByRole('button', { name: 'Simulate' }).click();
        await page.getByRole('heading', { name: /^Plan:/ }).waitFor();
      }
      if (name === 'node' || name === 'budget' || name === 'pod') {
        await page.getByRole('heading', { name: 'In a terminal' }).waitFor();
      }
      await screenshot(page, `${name}-${look}-${size}`);
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(faults).toEqual([]);
    },
  );

  it('keeps the colours that the reader chose', async () => {
    const { page } = await visit(browser, served.address, { colorScheme: 'light' });
    const back = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await back();
    await page.getByLabel('Colours').selectOption('dark');
    const dark = await back();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await back()).toBe(dark);
    await page.getByLabel('Colours').selectOption('light');
    expect(await back()).toBe(light);
    await page.context().close();
  });

  it('asks for what was filled in, and offers the report as a file', async () => {
    const { page } = await visit(browser, served.address);
    await page.getByRole('link', { name: 'What if' }).click();
    const run = page.getByRole('button', { name: 'Simulate' });
    expect(await run.isDisabled()).toBe(true);
    await page.getByRole('radio', { name: /Upgrade all/ }).check();
    await page.getByLabel(/Nodes at once/).fill('25%');
    await page.getByLabel('Budget to edit').selectOption('pdb/shop/llm');
    await page.getByRole('button', { name: 'Simulate both and compare' }).click();
    await page.getByRole('heading', { name: /^Compared/ }).waitFor();
    expect(served.asked).toEqual({
      what: { kind: 'upgrade', maxUnavailable: '25%' },
      nodeSeconds: 180,
      changes: 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: llm',
    });
    const save = page.getByRole('link', { name: 'Save as one HTML file' });
    expect(await save.getAttribute('href')).toBe('api/what-if/1.html');
    await page.context().close();
  });
});
