import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../clients/kubectl.ts';
import { ensureBuilt } from '../support/built.ts';
import { commandBlocks, DemoShell } from './shell.ts';

describe.skipIf(!hasKubectl)('the examples of docs/guides/probes.md', () => {
  const shell = new DemoShell();
  beforeAll(async () => {
    ensureBuilt();
    await shell.start();
  });
  afterAll(() => shell.stop());

  const [database = [], search = []] = commandBlocks(readFileSync('docs/guides/probes.md', 'utf8'));

  it('run as they are: the database', async () => {
    const steps = await shell.run(database);
    const refused = steps.filter(({ code }) => code !== 0);
    expect(refused.map(({ line }) => line.includes('# refused'))).toEqual([true]);
    expect(refused[0]?.text).toContain('disruption probe');
    const shown = steps.find(({ line }) => line.includes('get podunavailablebudget'));
    expect(shown?.text).toMatch(/^db +0 +2 +2 +3 /m);
  });

  it('run as they are: the search cluster', async () => {
    const steps = await shell.run(search);
    expect(steps.filter(({ code }) => code !== 0)).toEqual([]);
    const pods = steps.find(({ line }) => line.includes('get pods'));
    expect(pods?.text.match(/ 1\/1 +Running/g)).toHaveLength(3);
    // A status follows the conditions a moment later.
    const budget = async () => (await shell.run(search.slice(-1)))[0]?.text;
    await expect.poll(budget, { timeout: 20_000 }).toContain('message: 0 pods available, 2 needed');
  });
});
