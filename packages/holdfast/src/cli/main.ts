import { Command, CommanderError } from 'commander';
import { exitCode, Interrupted, problemText } from '../observe/problem.ts';
import { commandNamed, commands } from './commands.ts';
import { endWithReader } from './output/closed-output.ts';
import { productVersion } from './version.ts';

endWithReader([process.stdout, process.stderr], (code) => process.exit(code));

const program = new Command('holdfast')
  .description("keeps an application's serving units up while its Kubernetes cluster is being maintained")
  .version(productVersion)
  // What comes after a command is its own, `--` included.
  .enablePositionalOptions()
  .showHelpAfterError('(holdfast --help lists the commands)');

/** commander wraps descriptions only where they have this many columns: long option names leave less than its default of 40. */
const minWidthToWrap = 20;

/** The hidden command that completion scripts call. */
const completing = '__complete';

const [first = '', second = ''] = process.argv.slice(2);
if (first === completing) {
  const { printCompletions } = await import('./completion/print.ts');
  await printCompletions(process.argv.slice(3));
} else if (first === 'help' && second !== '' && commandNamed(second) === undefined) {
  // commander would print the help of everything: the user is told that there is no such command, as without `help`.
  await run(second, [second]);
} else await run(first === 'help' ? second : first);

async function run(name: string, words = process.argv.slice(2)): Promise<void> {
  const asked = commandNamed(name);
  if (asked !== undefined) program.addCommand(await asked.load());
  // For help, and for a command that does not exist, all of them are listed, and none is loaded.
  else for (const [one, { description }] of Object.entries(commands)) program.command(one).description(description);
  for (const command of [program, ...program.commands]) command.exitOverride().configureHelp({ minWidthToWrap });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeFor(error);
  }
}

function exitCodeFor(error: unknown): number {
  // commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.yes : exitCode.problem;
  if (error instanceof Interrupted) return exitCode.interrupted;
  process.stderr.write(problemText(error));
  return exitCode.problem;
}
