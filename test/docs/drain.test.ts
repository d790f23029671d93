import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { drainCommand } from '../../packages/holdfast/src/cli/drain/drain.ts';

const text = readFileSync('docs/reference/drain.md', 'utf8');

/** Those that every command has. */
const common = new Set(['--kubeconfig', '--context', '--request-timeout', '--operator-namespace']);

it('docs/reference/drain.md lists exactly the options of the command', () => {
  const documented = [...text.matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gm)].map((match) => match[1]);
  const options = drainCommand().options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  expect(documented.toSorted()).toEqual(options.filter((one) => !common.has(one)).toSorted());
});
