import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type Visit, visit } from './support/browser.ts';
import { screenshot, violations } from './support/checks.ts';
import { Demo } from './support/demo.ts';
import { describeInBrowser } from './support/describe-in-browser.ts';
import { UiProcess } from './support/ui-process.ts';

/** The machine of CI is shared: what takes a second by itself may take many. */
const patience = { timeout: 45_000 };
const startMs = 180_000;

describeInBrowser('holdfast ui on the demo', () => {
  let browser: Browser;
  let demo: Demo;
  let ui: UiProcess;
  let shown: Visit;
  let page: Page;

  const title = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor(patience);
  const go = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

  beforeAll(async () => {
    [browser, demo] = await Promise.all([startBrowser(), Demo.start()]);
    ui = await UiProcess.start(demo.kubeconfig);
    shown = await visit(browser, ui.address, { acceptDownloads: true });
    page = shown.page;
    page.setDefaultTimeout(patience.timeout);
  }, startMs);

  afterAll(async () => {
    await browser?.close();
    await ui?.stop();
    await demo?.stop();
  });

  it('shows a group that breaks, why nothing may be disrupted, and that it is mended', async () => {
    await title('3 budgets, none blocks, 6 of 6 nodes can be drained now');
    await demo.setReady('inference', 'llm-0-1', false);
    await title(/^1 of 3 budgets blocks/);
    await page.getByText('Group llm/0 is down').waitFor();
    await page.getByRole('link', { name: /^llm-0-1: down/ }).waitFor();
    await screenshot(page, 'live-overview');
    await page.getByRole('link', { name: 'pdb/inference/llm' }).click();
    await page.getByText('no group may be disrupted now').waitFor();
    await page.getByText('4 pods may be disrupted').waitFor();
    await screenshot(page, 'live-budget');
    expect(await violations(page)).toEqual([]);
    await demo.setReady('inference', 'llm-0-1', true);
    await page.getByText('1 group may be disrupted now').waitFor();
    await go('Overview');
    await title('3 budgets, none blocks, 6 of 6 nodes can be drained now');
  });

  it('explains a pod and a node in the words of explain', async () => {
    const node = await demo.nodeOf('inference', 'llm-1-1');
    await page.getByRole('link', { name: new RegExp(`^${node}`) }).click();
    await title(`Node ${node}`);
    await page.getByRole('link', { name: 'inference/llm-1-1' }).click();
    await title('Pod inference/llm-1-1');
    await page.getByText('Pod inference/llm-1-1').nth(1).waitFor();
    await page.getByText(`holdfast explain pod/llm-1-1`).first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('follows a drain that waits for a group, to its end', async () => {
    const node = await demo.nodeOf('inference', 'llm-1');
    await demo.setReady('inference', 'llm-0-1', false);
    await go('Overview');
    await title(/^1 of 3 budgets blocks/);
    const ended = demo.drain(node);
    await go('Drains');
    await title('1 node being drained');
    await page
      .getByText(/^blocked for/)
      .first()
      .waitFor();
    await page.getByText(/refused \d+ time/).waitFor();
    await screenshot(page, 'live-drains');
    expect(await violations(page)).toEqual([]);
    await demo.setReady('inference', 'llm-0-1', true);
    await title('No drain is under way, 1 node drained');
    expect(await ended).toBe(0);
    await page
      .getByRole('region', { name: /^Timeline/ })
      .getByText(node, { exact: true })
      .waitFor();
    await screenshot(page, 'live-drained');
    await demo.uncordon(node);
    await title('No node is being drained');
  });

  it('simulates what a budget that counts pods would do, compares, and saves the report', async () => {
    await page.getByRole('link', { name: 'What if' }).click();
    for (const name of ['llm-0', 'llm-1']) {
      await page.getByRole('checkbox', { name: new RegExp(`^${await demo.nodeOf('inference', name)} `) }).check();
    }
    await page.getByLabel('Budget to edit').selectOption('pdb/inference/llm');
    const yaml = page.getByLabel('Changed objects as YAML');
    await expect.poll(() => yaml.inputValue(), patience).toContain('budget-scope');
    await yaml.fill((await yaml.inputValue()).replace(/^.*budget-scope.*\n/m, ''));
    await page.getByRole('button', { name: 'Simulate both and compare' }).click();
    await page.getByRole('heading', { name: /^Compared: PodDisruptionBudget inference\/llm/ }).waitFor();
    const changed = page.getByRole('region', { name: 'Changed', exact: true });
    await changed
      .getByText(/^Down: /)
      .first()
      .waitFor();
    await screenshot(page, 'live-what-if');
    expect(await violations(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save as one HTML file' }).click(),
    ]);
    const saved = readFileSync(await download.path(), 'utf8');
    expect(saved).toContain('<!doctype html>');
    expect(saved).not.toMatch(/<script|src=|href=/);
  });

  it('says that the API server does not answer, since when, and goes on when it is back', async () => {
    await go('Overview');
    await title(/3 budgets, none blocks/);
    demo.link.cutOff();
    await page.getByText(/The API server does not answer; last heard/).waitFor();
    await screenshot(page, 'live-lost');
    expect(await violations(page)).toEqual([]);
    demo.link.restore();
    await page.getByText(/The API server does not answer; last heard/).waitFor({ state: 'detached' });
    await page.getByText('live', { exact: true }).waitFor();
  });

  it('says that holdfast ui itself is gone, and that a new one needs its own address', async () => {
    const { port } = new URL(ui.address);
    await ui.stop();
    await page.getByText(/holdfast ui does not answer/).waitFor();
    ui = await UiProcess.start(demo.kubeconfig, '--port', port);
    await page.getByText('This session ended.').waitFor();
  });

  it('asked nothing of any other machine, and broke no rule of its policy', () => {
    expect(shown.faults).toEqual([]);
  });
});
