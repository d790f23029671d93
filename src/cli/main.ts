import { Command } from 'commander';
import { simulateCommand } from './simulate.ts';

const program = new Command('holdfast')
  .description("keeps an application's serving units up while its Kubernetes cluster is being maintained")
  .version('0.1.0')
  .showHelpAfterError('(holdfast --help lists the commands)');

program.addCommand(simulateCommand());

try {
  await program.parseAsync();
} catch (error) {
  // What reaches this point is a message for a person: a file that cannot be read, an object that makes no sense.
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
