import { expect, it } from 'vitest';
import { defineUpCommand, type UpOptions } from '../../src/cli/up/up-options.ts';

async function parse(...args: readonly string[]): Promise<UpOptions | undefined> {
  let seen: UpOptions | undefined;
  const command = defineUpCommand(async (options) => {
    seen = options;
  });
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: 'user' });
  return seen;
}

it('has defaults for everything but what depends on the rest', async () => {
  expect(await parse()).toEqual({
    port: 7443,
    kubeconfig: '.holdfast/kubeconfig',
    empty: false,
    operator: true,
    load: [],
    speed: 1,
    execNamespace: [],
    ui: true,
    uiPort: 7480,
  });
});

it('takes what it is told', async () => {
  const args =
    '--no-ui --ui-port 0 --nodes 0 --port 0 --data d --kubeconfig k --empty --no-operator --load a b --speed 2.5 --exec-namespace x --exec-namespace *'.split(
      ' ',
    );
  expect(await parse(...args)).toEqual({
    nodes: 0,
    port: 0,
    data: 'd',
    kubeconfig: 'k',
    empty: true,
    operator: false,
    load: ['a', 'b'],
    speed: 2.5,
    execNamespace: ['x', '*'],
    ui: false,
    uiPort: 0,
  });
});

const wrong: [args: readonly string[], says: string][] = [
  [['--nodes', '-1'], 'must be a whole number from 0 to 1000'],
  [['--nodes', '1001'], 'must be a whole number from 0 to 1000'],
  [['--nodes', '1e2'], 'must be a whole number'],
  [['--nodes', ''], 'must be a whole number'],
  [['--speed', '0'], 'must be a number from 0.1 to 100'],
  [['--speed', 'fast'], 'must be a number'],
  [['--speed', ' '], 'must be a number'],
  [['--port', '65536'], 'must be a whole number from 0 to 65535'],
  [['somewhere'], 'too many arguments'],
];
it.each(wrong)('refuses %j', async (args, says) => {
  await expect(parse(...args)).rejects.toThrow(says);
});
