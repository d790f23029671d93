import { Command, CommanderError } from 'commander';
import { agentCommand } from './agent.ts';
import { installCommand } from './install.ts';
import { operatorCommand } from './operator.ts';
import { simulateCommand } from './simulate.ts';
import { uninstallCommand } from './uninstall.ts';
import { upCommand } from './up.ts';

const program = new Command('holdfast')
  .description("keeps an application's serving units up while its Kubernetes cluster is being maintained")
  .version('0.1.0')
  .showHelpAfterError('(holdfast --help lists the commands)');

program.addCommand(upCommand());
program.addCommand(simulateCommand());
program.addCommand(operatorCommand());
program.addCommand(agentCommand());
program.addCommand(installCommand());
program.addCommand(uninstallCommand());
for (const command of [program, ...program.commands]) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCode(error);
}

/** 0: done; 1: the answer is no; 2: the question was wrong. */
function exitCode(error: unknown): number {
  // commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
}
