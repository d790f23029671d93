import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { simulateCommand } from '../../packages/holdfast/src/cli/simulate/simulate.ts';

const page = readFileSync('docs/reference/simulate.md', 'utf8');

/** As the page writes them; the rest is written as it is. */
const spellings: Readonly<Record<string, string>> = { '--namespace': '-n NAMESPACE', '--output': '-o json' };
/** Of all commands that read a cluster. */
const shared = new Set(['--operator-namespace']);

it('every option of simulate is on its page', () => {
  const flags = simulateCommand().options.map(({ long }) => long ?? '');
  const missing = flags.filter((flag) => !shared.has(flag) && !page.includes(spellings[flag] ?? flag));
  expect(missing).toEqual([]);
});

it('the example of the page is what the command prints', () => {
  const golden = readFileSync('packages/holdfast/test/cli/golden/simulate.txt', 'utf8');
  const [, example = ''] =
    /\$ holdfast simulate examples\/llm-serving.yaml -- drain node-b\n([\s\S]*?)\.\.\.\n/.exec(page) ?? [];
  expect(example.length).toBeGreaterThan(500);
  expect(golden.startsWith(example)).toBe(true);
  const [, compared = ''] = /\.\.\.\n(Compared, with[\s\S]*?)```/.exec(page) ?? [];
  const whole = readFileSync('packages/holdfast/test/cli/golden/simulate-compare.txt', 'utf8');
  const numbers = (text: string) => text.slice(text.indexOf('\n'));
  expect(numbers(whole).startsWith(numbers(compared))).toBe(true);
});
