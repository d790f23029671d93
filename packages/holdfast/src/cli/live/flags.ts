import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationMs } from '../duration.ts';

/** Which cluster is meant, in kubectl's words. */
export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface LiveFlags extends AccessFlags {
  /** Milliseconds for each request; absent: as long as each kind of request takes by default. */
  readonly requestTimeout?: number;
  /** Where the operator is, if it cannot be told from its webhooks. */
  readonly operatorNamespace?: string;
}

export function withAccessFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'which cluster (default: as kubectl finds it: KUBECONFIG, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)');
}

/** For commands that read a live cluster. */
export function withLiveFlags(command: Command): Command {
  return withAccessFlags(command)
    .addOption(
      new Option(
        '--request-timeout <duration>',
        'how long one request may take, such as 30s; 0: use the default',
      ).argParser(requestTimeoutMs),
    )
    .option('--operator-namespace <name>', "the operator's namespace (default: read from its webhooks)");
}

export function withNamespaceFlag(command: Command): Command {
  return command.option('-n, --namespace <name>', 'namespace (default: that of the kubeconfig)');
}

export function withScopeFlags(command: Command): Command {
  return withNamespaceFlag(command).addOption(
    new Option('-A, --all-namespaces', 'all namespaces').conflicts('namespace'),
  );
}

export function withSelectorFlag(command: Command, what: string): Command {
  return command.option('-l, --selector <query>', `only ${what} with these labels, such as app=web,tier!=test`);
}

export function withOutputFlag(command: Command, formats: readonly string[]): Command {
  return command.addOption(new Option('-o, --output <format>', `output format (default: for people)`).choices(formats));
}

/** kubectl takes seconds without a unit, too, and 0 for "no limit". */
function requestTimeoutMs(text: string): number | undefined {
  if (text === '0' || text === '0s') return undefined;
  if (/^\d{1,5}$/.test(text)) return Number(text) * 1_000;
  try {
    return durationMs(text);
  } catch {
    throw new InvalidArgumentError('must be a duration such as 30s or 2m, seconds, or 0.');
  }
}
