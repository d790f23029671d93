import { Command, Option } from 'commander';
import { defaultNamespace } from '../operator/install/names.ts';
import { durationMs } from './duration.ts';
import { type AccessFlags, withAccessFlags } from './live/flags.ts';

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
}

const defaultTimeoutMs = 180_000;

export function installCommand(run: (options: InstallOptions) => Promise<void>): Command {
  const command = new Command('install')
    .description('install Holdfast into a cluster, or bring an installation up to date')
    .option(
      '--namespace <name>',
      `namespace of its own for the operator (default: ${defaultNamespace}, or as in --values)`,
    )
    .option('--image <reference>', 'image of the operator (default: as in --values, or that of this release)')
    .option('--values <file>', 'what else is chosen about the installation, as YAML')
    .option('--crds-only', 'only the definitions of its objects')
    .addOption(
      new Option(
        '--dry-run [how]',
        'client: print everything as YAML, and contact nobody; server: let the API server say what would change',
      )
        .choices(['client', 'server'])
        .preset('client'),
    );
  return withCluster(command)
    .addHelpText(
      'after',
      '\nWebhooks are switched on last, when the operator answers. Done twice, it changes nothing.\nExits with 1 when it could not be completed, or the operator is not up in time.',
    )
    .action((given: Omit<InstallOptions, 'crdsOnly' | 'dryRun'>) => run({ crdsOnly: false, dryRun: 'none', ...given }));
}

export function uninstallCommand(run: (options: UninstallOptions) => Promise<void>): Command {
  const command = new Command('uninstall')
    .description('remove Holdfast from a cluster')
    .option('--namespace <name>', 'where it is installed', defaultNamespace)
    .option(
      '--delete-user-data',
      'also the definitions of its objects, and with them every PodUnavailableBudget and ledger in the cluster',
    );
  return withCluster(command)
    .addHelpText(
      'after',
      '\nWebhooks are switched off first. Done twice, it finds nothing.\nExits with 1 when it could not be completed.',
    )
    .action((given: Omit<UninstallOptions, 'deleteUserData'>) => run({ deleteUserData: false, ...given }));
}

function withCluster(command: Command): Command {
  return withAccessFlags(command).addOption(
    new Option('--timeout <duration>', 'how long to wait, such as 90s or 3m')
      .argParser(durationMs)
      .default(defaultTimeoutMs, '3m'),
  );
}
