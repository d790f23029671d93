import { Argument, Command } from 'commander';
import { shells } from './complete.ts';
import { scripts } from './scripts.ts';

export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script that completes commands, options and names in your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  source <(holdfast completion bash)
  source <(holdfast completion zsh)
  holdfast completion fish | source

kubectl completes \`kubectl holdfast\` by itself, when kubectl_complete-holdfast is on the PATH.`,
    )
    .action((shell: keyof typeof scripts) => void process.stdout.write(scripts[shell]));
}
