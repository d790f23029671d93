import type { Command, Option } from 'commander';

/** What completion needs to know about commands and the cluster. A source that cannot tell offers nothing. */
export interface Knowledge {
  readonly commands: readonly string[];
  readonly load: (name: string) => Promise<Command | undefined>;
  /** Names of objects, by the flags that were typed so far. */
  readonly names: (kind: NamedKind, flags: Readonly<Record<string, string>>) => Promise<readonly string[]>;
}

export type NamedKind = 'namespace' | 'pod' | 'node' | 'pdb' | 'pub';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** What the last of the words could become. */
export async function complete(words: readonly string[], knowledge: Knowledge): Promise<readonly string[]> {
  const last = words.at(-1) ?? '';
  const [name, ...before] = words.slice(0, -1);
  if (name === undefined) return startingWith(last, [...knowledge.commands, '--help', '--version']);
  const command = await knowledge.load(name);
  if (command === undefined) return [];
  return startingWith(last, await offers(command, before, last, knowledge));
}

async function offers(
  command: Command,
  before: readonly string[],
  last: string,
  knowledge: Knowledge,
): Promise<readonly string[]> {
  const flags = flagsIn(command, before);
  const open = optionOf(command, before.at(-1) ?? '');
  if (open !== undefined && takesValue(open)) return valuesOf(open, flags, knowledge);
  if (last.startsWith('-')) return [...command.options.flatMap(spellings), '--help'];
  return argumentsOf(command, before, last, flags, knowledge);
}

function valuesOf(
  option: Option,
  flags: Readonly<Record<string, string>>,
  { names }: Knowledge,
): readonly string[] | Promise<readonly string[]> {
  if (option.argChoices !== undefined) return option.argChoices;
  return option.long === '--namespace' ? names('namespace', flags) : [];
}

const explained = ['pod', 'node', 'pdb', 'pub'] as const;

/** Names come only after the slash, so that completion does not wait for a cluster before. */
async function argumentsOf(
  command: Command,
  before: readonly string[],
  last: string,
  flags: Readonly<Record<string, string>>,
  { names }: Knowledge,
): Promise<readonly string[]> {
  if (command.name() === 'completion') return shells;
  if (['drain', 'uncordon', 'plan'].includes(command.name())) return names('node', flags);
  if (command.name() === 'simulate') return scenarioWords(before, flags, names);
  if (command.name() !== 'explain') return [];
  const kind = explained.find((one) => last.startsWith(`${one}/`));
  if (kind === undefined) return explained.map((one) => `${one}/`);
  return (await names(kind, flags)).map((name) => `${kind}/${name}`);
}

const scenarios = ['drain', 'zone', 'upgrade'];

/** What is simulated stands after `--`; before it there are files, which the shell knows better. */
async function scenarioWords(
  before: readonly string[],
  flags: Readonly<Record<string, string>>,
  names: Knowledge['names'],
): Promise<readonly string[]> {
  const dashes = before.indexOf('--');
  if (dashes < 0) return [];
  const [scenario] = before.slice(dashes + 1);
  if (scenario === undefined) return scenarios;
  return scenario === 'drain' && before.includes('--from-cluster') ? names('node', flags) : [];
}

/** The values of options before the cursor, by their long names. */
function flagsIn(command: Command, words: readonly string[]): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    const [flag = '', value] = word.split('=', 2);
    const option = optionOf(command, flag);
    if (option?.long === undefined || !takesValue(option)) continue;
    const given = value ?? words[index + 1];
    if (given !== undefined) flags[option.long] = given;
  }
  return flags;
}

function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word !== '' && (word === long || word === short));
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function spellings({ long, short, hidden }: Option): readonly string[] {
  return hidden ? [] : [long, short].filter((one) => one !== undefined && one !== null);
}

function startingWith(start: string, candidates: readonly string[]): readonly string[] {
  return candidates.filter((one) => one.startsWith(start));
}
