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
}

/** As many as a node holds by default: kubectl drains one node after the other, and all pods of a node at once. */
const defaultParallel = 110;
const maxParallel = 10_000;
const maxSeconds = 7 * 24 * 3_600;

export function drainCommand(run: (nodes: readonly string[], options: DrainOptions) => Promise<void>): Command {
  const command = new Command('drain')
    .description('cordon nodes and evict their pods as kubectl drain does, but group by group')
    .argument('[node...]', 'names of nodes')
    .option('--dry-run', 'tell what would happen, and write nothing')
    .option('--ignore-daemonsets', 'leave pods of DaemonSets where they are, instead of giving up')
    .option('--delete-emptydir-data', 'evict pods with emptyDir volumes, too: what is in these is lost')
    .option('--force', 'evict pods that nobody manages, too: they do not come back')
    .option('--pod-selector <query>', 'only pods with these labels')
    .addOption(seconds('--grace-period <seconds>', 'for each pod to end (default, and -1: as the pod says)'))
    .addOption(
      seconds(
        '--skip-wait-for-delete-timeout <seconds>',
        'do not wait for pods that should have ended so long ago (default, and 0: wait)',
      ),
    )
    .addOption(
      new Option('--timeout <duration>', 'give up after so long, such as 90s or 30m (default, and 0: never)').argParser(
        timeoutMs,
      ),
    )
    .addOption(
      new Option('--parallel <n>', 'at most so many pods are on their way at once, over all nodes')
        .argParser(parallelOf)
        .default(defaultParallel),
    )
    .addOption(
      new Option(
        '--order <order>',
        'groups: finish a broken group before another of its budget is opened; all: everything at once',
      )
        .choices(['groups', 'all'])
        .default('groups'),
    );
  return withLiveFlags(withSelectorFlag(command, 'nodes')).addHelpText('after', help).action(run);
}

const help = `
Evictions that are refused are tried again until they pass; nothing is deleted past a budget.
Ctrl-C leaves the nodes cordoned, and the same command goes on from there.

Examples:
  holdfast drain node-1 --dry-run              what would happen, in which waves, and what can never go
  holdfast drain node-1 node-2 --ignore-daemonsets
  holdfast drain -l pool=blue --timeout 1h     all nodes of a pool

Exits with 0 when all pods are gone (--dry-run: can go), with 1 when not, with 2 when it could not begin,
and with 130 after Ctrl-C.`;

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

function parallelOf(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > maxParallel) {
    throw new InvalidArgumentError(`must be a number from 1 to ${maxParallel}.`);
  }
  return count;
}
