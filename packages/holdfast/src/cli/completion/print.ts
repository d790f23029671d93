import { commandNamed, commands } from '../commands.ts';
import { complete } from './complete.ts';
import { namesFromCluster } from './names.ts';

/** One candidate a line. Errors are never printed: they would land in the line that the user is typing. */
export async function printCompletions(words: readonly string[]): Promise<readonly string[]> {
  const candidates = await complete(words, {
    commands: Object.keys(commands),
    load: async (name) => commandNamed(name)?.load(),
    names: namesFromCluster,
  }).catch(() => []);
  for (const one of candidates) process.stdout.write(`${one}\n`);
  return candidates;
}
