import { Command, CommanderError } from 'commander';
import { exitCode, problemText } from './output/problem.ts';

/** Each loads what it needs and no more: an agent runs on every node, and has no use for an embedded cluster. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['status', async () => (await import('./status/status.ts')).statusCommand()],
  ['drain', async () => (await import('./drain/drain.ts')).drainCommand()],
  ['up', async () => (await import('./up.ts')).upCommand()],
  ['simulate', async () => (await import('./simulate.ts')).simulateCommand()],
  ['operator', async () => (await import('./operator.ts')).operatorCommand()],
  ['agent', async () => (await import('./agent.ts')).agentCommand()],
  ['install', async () => (await import('./install.ts')).installCommand()],
  ['uninstall', async () => (await import('./uninstall.ts')).uninstallCommand()],
]);

const program = new Command('holdfast')
  .description("keeps an application's serving units up while its Kubernetes cluster is being maintained")
  .version('0.1.0')
  .showHelpAfterError('(holdfast --help lists the commands)');

const asked = commands.get(process.argv[2] ?? '');
// Whoever asks for help, or for something that is not there, is shown all of them.
for (const load of asked === undefined ? commands.values() : [asked]) program.addCommand(await load());
for (const command of [program, ...program.commands]) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

function exitCodeFor(error: unknown): number {
  // commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.yes : exitCode.problem;
  process.stderr.write(problemText(error));
  return exitCode.problem;
}
