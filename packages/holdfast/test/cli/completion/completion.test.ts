import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandNamed, commands } from '../../../src/cli/commands.ts';
import { complete, type NamedKind, shells } from '../../../src/cli/completion/complete.ts';
import { scripts } from '../../../src/cli/completion/scripts.ts';

const asked: string[] = [];

function completions(...words: readonly string[]): Promise<readonly string[]> {
  return complete(words, {
    commands: Object.keys(commands),
    load: async (name) => commandNamed(name)?.load(),
    names: (kind: NamedKind, flags) => {
      asked.push(`${kind} ${JSON.stringify(flags)}`);
      return Promise.resolve(kind === 'namespace' ? ['shop', 'shed'] : [`${kind}-1`, `${kind}-2`]);
    },
  });
}

describe('completion', () => {
  it.each([
    [['st'], ['status']],
    [
      ['explain', 'p'],
      ['pod/', 'pdb/', 'pub/'],
    ],
    [
      ['explain', 'pod/'],
      ['pod/pod-1', 'pod/pod-2'],
    ],
    [['explain', 'node/node-2'], ['node/node-2']],
    [['plan', 'node-2'], ['node-2']],
    [['status', '-n', 'sho'], ['shop']],
    [
      ['status', '--namespace', ''],
      ['shop', 'shed'],
    ],
    [
      ['status', '-o', ''],
      ['wide', 'json', 'yaml'],
    ],
    [['status', '--wat'], ['--watch']],
    [['status', '-A', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['nothing', ''], []],
    [['constructor', ''], []],
    [['up', '--empt'], ['--empty']],
    [
      ['simulate', '--pod-st'],
      ['--pod-start', '--pod-stop'],
    ],
    [['simulate', 'x.yaml', ''], []],
    [
      ['simulate', 'x.yaml', '--', ''],
      ['drain', 'zone', 'upgrade'],
    ],
    [['simulate', '--from-cluster', '--', 'drain', 'node-2'], ['node-2']],
    [['simulate', 'x.yaml', '--', 'drain', 'node-2'], []],
  ] as const)('of %j', async (words, wanted) => {
    expect(await completions(...words)).toEqual(wanted);
  });

  it('offers every command where nothing is typed yet', async () => {
    expect(await completions('')).toEqual(expect.arrayContaining([...Object.keys(commands), '--help']));
  });

  it('asks the cluster that the words name, and only for names', async () => {
    asked.length = 0;
    await completions('explain', '-n', 'shop', '--context=far', 'pod/');
    await completions('explain', 'p');
    expect(asked).toEqual(['pod {"--namespace":"shop","--context":"far"}']);
  });

  it('[bash] has a script that bash can read', () => {
    expect(spawnSync('bash', ['-n'], { input: scripts.bash }).status).toBe(0);
    expect(Object.keys(scripts)).toEqual([...shells]);
  });
});

describe('the list of commands', () => {
  it.each(Object.entries(commands))('says of %s what it says of itself', async (name, { description, load }) => {
    const command = await load();
    expect([command.name(), command.description()]).toEqual([name, description]);
  });
});
