import { Command, InvalidArgumentError, Option } from 'commander';
import { durationMs } from '../duration.ts';
import { type LiveFlags, withLiveFlags, withSelectorFlag } from '../live/flags.ts';

export interface DrainOptions extends LiveFlags {
  readonly selector?: string;
  readonly podSelector?: string;
  readonly force?: boolean;
  readonly ignoreDaemonsets?: boolean;
  readonly deleteEmptydirData?: boolean;
  /** Seconds; absent: as each pod says. */
  readonly gracePeriod?: number;
  /** Seconds; absent: all pods are waited for. */
  readonly skipWaitForDeleteTimeout?: number;
  /** Milliseconds; absent: however long it takes. */
  readonly timeout?: number;
  readonly parallel: number;
  readonly order: 'groups' | 'all';
  readonly dryRun?: boolean;
  readonly plan?: string;
  readonly wave?: number;
  readonly fromWave?: number;
}

/** As many as a node holds by default: kubectl drains one node after the other, and all pods of a node at once. */
const defaultParallel = 110;
const maxParallel = 10_000;
const maxSeconds = 7 * 24 * 3_600;

export function defineDrainCommand(run: (nodes: readonly string[], options: DrainOptions) => Promise<void>): Command {
  const command = new Command('drain')
    .description('cordon nodes and evict their pods as kubectl drain does, but group by group')
    .argument('[node...]', 'names of nodes')
    .option('--plan <file>', 'carry out a plan, wave after wave: the output of `holdfast plan -o json`')
    .addOption(new Option('--wave <n>', 'with --plan: this wave only').argParser(waveOf))
    .addOption(new Option('--from-wave <n>', 'with --plan: this wave and all later ones').argParser(waveOf))
    .option('--dry-run', 'print what would happen, and write nothing')
    .option('--ignore-daemonsets', 'leave pods of DaemonSets on their nodes')
    .option('--delete-emptydir-data', 'also evict pods with emptyDir volumes, whose data is lost')
    .option('--force', 'also evict pods that have no controller and are not recreated')
    .option('--pod-selector <query>', 'only pods with these labels')
    .addOption(seconds('--grace-period <seconds>', 'time for each pod to terminate (default, and -1: as the pod says)'))
    .addOption(
      seconds(
        '--skip-wait-for-delete-timeout <seconds>',
        'do not wait for pods that are overdue by this long (default, and 0: wait)',
      ),
    )
    .addOption(
      new Option(
        '--timeout <duration>',
        'give up after this time, such as 90s or 30m (default, and 0: never)',
      ).argParser(timeoutMs),
    )
    .addOption(
      new Option('--parallel <n>', 'pods evicted and terminating at once, over all nodes')
        .argParser(parallelOf)
        .default(defaultParallel),
    )
    .addOption(
      new Option('--order <order>', 'groups: finish one group of a budget before the next; all: everything at once')
        .choices(['groups', 'all'])
        .default('groups'),
    );
  return withLiveFlags(withSelectorFlag(command, 'nodes')).addHelpText('after', help).action(run);
}

const help = `
Refused evictions are retried until the API server accepts them; no pod is deleted against a budget.
Ctrl-C leaves the nodes cordoned. Run the same command again to continue.

Examples:
  holdfast drain node-1 --dry-run              what would be evicted in which round, and what cannot be
  holdfast drain node-1 node-2 --ignore-daemonsets
  holdfast drain -l pool=blue --timeout 1h     all nodes of a pool
  holdfast drain --plan plan.json --wave 1     the first wave of a plan

Exits with 0 when all pods were deleted (--dry-run: can be evicted), with 1 when not, with 2 when it could not
begin, and with 130 after Ctrl-C.`;

function seconds(flags: string, description: string): Option {
  return new Option(flags, description).argParser(secondsOf);
}

/** As kubectl has it, what is negative means that nothing was said. */
function secondsOf(text: string): number | undefined {
  if (/^-\d{1,6}$/.test(text)) return undefined;
  if (!/^\d{1,6}$/.test(text) || Number(text) > maxSeconds) {
    throw new InvalidArgumentError(`must be a number of seconds, at most ${maxSeconds}.`);
  }
  return Number(text);
}

function timeoutMs(text: string): number | undefined {
  return text === '0' || text === '0s' ? undefined : durationMs(text);
}

function waveOf(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('must be the number of a wave, from 1.');
  return Number(text);
}

function parallelOf(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > maxParallel) {
    throw new InvalidArgumentError(`must be a number from 1 to ${maxParallel}.`);
  }
  return count;
}
