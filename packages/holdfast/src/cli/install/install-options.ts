import { Command, Option } from 'commander';
import { defaultNamespace } from '../../api/installation-names.ts';
import { durationMs } from '../duration.ts';
import { type AccessFlags, withAccessFlags } from '../live/flags.ts';

/** Which cluster, and how long to wait for it. */
export interface ClusterOptions extends AccessFlags {
  readonly timeout: number;
}

export interface InstallOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly image?: string;
  readonly values?: string;
  readonly crdsOnly: boolean;
  readonly dryRun: 'none' | 'client' | 'server';
}

export interface UninstallOptions extends ClusterOptions {
  readonly namespace: string;
  readonly deleteUserData: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

const defaultTimeoutMs = 180_000;

export function defineInstallCommand(run: (options: InstallOptions) => Promise<void>): Command {
  const command = new Command('install')
    .description('install Holdfast into a cluster, or upgrade an installation')
    .option('--namespace <name>', `the operator's own namespace (default: ${defaultNamespace}, or as in --values)`)
    .option('--image <reference>', 'image of the operator (default: as in --values, or that of this release)')
    .option('--values <file>', 'further settings of the installation, as YAML')
    .option('--crds-only', 'install only the CustomResourceDefinitions')
    .addOption(
      new Option(
        '--dry-run [how]',
        'client: print everything as YAML, without a cluster; server: ask the API server what would change',
      )
        .choices(['client', 'server'])
        .preset('client'),
    );
  return withCluster(command)
    .addHelpText(
      'after',
      '\nWebhooks are switched on last, when the operator answers. Running it again changes nothing.\n\nExit codes: 0 done; 1 it could not be completed, or the operator is not up in time; 2 it was refused, and nothing was written.',
    )
    .action((given: Omit<InstallOptions, 'crdsOnly' | 'dryRun'>) => run({ crdsOnly: false, dryRun: 'none', ...given }));
}

export function defineUninstallCommand(run: (options: UninstallOptions) => Promise<void>): Command {
  const command = new Command('uninstall')
    .description('remove Holdfast from a cluster')
    .option('--namespace <name>', "the operator's namespace", defaultNamespace)
    .option(
      '--delete-user-data',
      'also delete the CustomResourceDefinitions, and with them every PodUnavailableBudget and DisruptionLedger in the cluster',
    )
    .option('--dry-run', 'show what would be removed and what would no longer be protected; remove nothing')
    .option('-y, --yes', 'agree to --delete-user-data in advance, for scripts');
  return withCluster(command)
    .addHelpText(
      'after',
      `
It lists what will no longer be protected, then removes the webhooks first. Running it again finds nothing.

Examples:
  holdfast uninstall --dry-run                    what would be removed and lost
  holdfast uninstall                              budgets stay, but nothing enforces those that only Holdfast knows
  holdfast uninstall --delete-user-data --yes     PodUnavailableBudgets are deleted as well

Exit codes: 0 done; 1 it could not be completed; 2 it was refused, or not confirmed.`,
    )
    .action((given: Partial<UninstallOptions> & Pick<UninstallOptions, 'namespace' | 'timeout'>) =>
      run({ deleteUserData: false, dryRun: false, yes: false, ...given }),
    );
}

function withCluster(command: Command): Command {
  return withAccessFlags(command).addOption(
    new Option('--timeout <duration>', 'how long to wait, such as 90s or 3m')
      .argParser(durationMs)
      .default(defaultTimeoutMs, '3m'),
  );
}
