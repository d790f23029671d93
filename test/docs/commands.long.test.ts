import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../clients/kubectl.ts';
import { ensureBuilt } from '../support/built.ts';
import { commandBlocks, DemoShell, type Step } from './shell.ts';

/**
 * The tutorial and the guides tell people what to type. Each page is run here from top to bottom, on the demo, by a shell with kubectl. A command
 * must succeed; one that ends with `# refused` must be refused, by Holdfast. Commands for a cluster of the reader's own are in `bash` blocks.
 */

/** Pages whose `sh` blocks are not run here, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  'docs/guides/install.md': 'needs an image, and nodes that run it',
  'docs/guides/probes.md': 'test/docs/probe-examples.long.test.ts runs it, and reads what is printed',
};

const pages = ['docs/tutorial', 'docs/guides']
  .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  .filter((page) => page.endsWith('.md') && elsewhere[page] === undefined)
  .map((page) => ({ page, lines: commandBlocks(readFileSync(page, 'utf8')).flat() }))
  .filter(({ lines }) => lines.length > 0);

/** A refusal, and not a mistake in the command: a webhook of ours says no, or `holdfast` answers no with exit code 1. */
function isRefusal({ line, code, text }: Step): boolean {
  return code === 1 && (line.startsWith('holdfast ') || text.includes('.holdfast.dev" denied the request'));
}

function isWrong(step: Step): boolean {
  return /# refused\b/.test(step.line) ? !isRefusal(step) : step.code !== 0;
}

if (!hasKubectl) process.stderr.write('there is no kubectl on PATH: the commands of tutorial and guides are SKIPPED\n');

describe.skipIf(!hasKubectl).sequential('the commands of', () => {
  const shell = new DemoShell();
  beforeAll(async () => {
    ensureBuilt();
    await shell.start();
  });
  afterAll(() => shell.stop());

  it.each(pages)('$page run as they are, and leave the cluster as it was', async ({ lines }) => {
    const state = [
      'kubectl get namespaces -o name',
      'kubectl get nodes --field-selector spec.unschedulable=true -o name',
    ];
    const before = await shell.run(state);
    expect((await shell.run(lines)).filter(isWrong)).toEqual([]);
    expect((await shell.run(state)).map(({ text }) => text)).toEqual(before.map(({ text }) => text));
  });
});

it('pages that are not run exist, and have commands', () => {
  for (const page of Object.keys(elsewhere))
    expect(commandBlocks(readFileSync(page, 'utf8')).flat(), page).not.toEqual([]);
});

it('every example is named by a page', () => {
  const named = [
    'README.md',
    ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
  ]
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  expect(readdirSync('examples').filter((file) => !named.includes(`examples/${file}`))).toEqual([]);
});
