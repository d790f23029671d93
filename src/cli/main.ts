import { Command, CommanderError } from 'commander';
import { commandNamed, commands } from './commands.ts';
import { exitCode, Interrupted, problemText } from './output/problem.ts';

const program = new Command('holdfast')
  .description("keeps an application's serving units up while its Kubernetes cluster is being maintained")
  .version('0.1.0')
  // What comes after a command is its own, `--` included.
  .enablePositionalOptions()
  .showHelpAfterError('(holdfast --help lists the commands)');

/** The hidden command that completion scripts call. */
const completing = '__complete';

const [first = '', second = ''] = process.argv.slice(2);
if (first === completing) {
  const { printCompletions } = await import('./completion/print.ts');
  await printCompletions(process.argv.slice(3));
} else await run(first === 'help' ? second : first);

async function run(name: string): Promise<void> {
  const asked = commandNamed(name);
  if (asked !== undefined) program.addCommand(await asked.load());
  // Whoever asks for help, or for something that is not there, is shown all of them, and nothing is loaded for that.
  else for (const [one, { description }] of Object.entries(commands)) program.command(one).description(description);
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync();
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
