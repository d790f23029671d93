import { commandNamed, commands } from '../commands.ts';
import { complete } from './complete.ts';
import { namesFromCluster } from './names.ts';

/** One candidate a line. Nothing is ever said about what went wrong: somebody is in the middle of typing. */
export async function printCompletions(words: readonly string[]): Promise<readonly string[]> {
  const candidates = await complete(words, {
    commands: Object.keys(commands),
    load: async (name) => commandNamed(name)?.load(),
    names: namesFromCluster,
  }).catch(() => []);
  for (const one of candidates) process.stdout.write(`${one}\n`);
  return candidates;
}
