import { Command, InvalidArgumentError, Option } from 'commander';
import { durationMs } from '../duration.ts';
import { type LiveFlags, withLiveFlags } from '../live/flags.ts';
import { type StructuredFormat, structuredFormats } from '../output/structured.ts';

export interface SimulateOptions extends LiveFlags {
  readonly fromCluster?: boolean;
  readonly namespace?: string;
  readonly with: readonly string[];
  readonly seed: number;
  readonly podStart?: number;
  readonly podStop?: number;
  readonly limit: number;
  readonly html?: string;
  readonly output?: StructuredFormat;
}

const scenarioHelp = `
What is simulated, after --:
  drain NODE...          drains these nodes together, as holdfast drain does
  zone ZONE              drains all nodes whose label topology.kubernetes.io/zone is ZONE, together
  upgrade                drains one node after the other; each comes back after --node-time
      -l, --selector Q           only nodes with these labels
      --max-unavailable N|N%     nodes at once (default 1)
      --node-time DURATION       from drained until pods can be placed there again (default 3m)
  plan [FILE]            drains the waves of a plan (of holdfast plan -o json; without FILE one for all nodes is made)
      --node-time DURATION       from drained until pods can be placed there again (default 3m)
  --order groups|all     for each of them, as in holdfast drain (default groups)`;

const maxSeed = 0xffff_ffff;

/** Keeps what stands after `--` apart: commander would put it behind the files. */
class SimulateCommand extends Command {
  words: readonly string[] | undefined;

  override parseOptions(argv: string[]): ReturnType<Command['parseOptions']> {
    const dashes = argv.indexOf('--');
    if (dashes < 0) return super.parseOptions(argv);
    this.words = argv.slice(dashes + 1);
    return super.parseOptions(argv.slice(0, dashes));
  }
}

export function simulateCommand(): Command {
  const command = new SimulateCommand('simulate');
  command
    .description(
      'play through a drain, the drain of a zone or an upgrade in virtual time, from a snapshot of a cluster',
    )
    .usage('[options] FILE... | --from-cluster -- drain NODE... | zone ZONE | upgrade | plan [FILE]')
    .argument('[file...]', 'a snapshot: objects as `kubectl get ... -o yaml|json` prints them; - is the standard input')
    .option('--from-cluster', 'take the snapshot from the live cluster (read-only)')
    .option('-n, --namespace <name>', 'with --from-cluster: only this namespace (default: all)')
    .addOption(
      new Option('--with <file...>', 'simulate a second time with these objects changed or added, and compare').default(
        [],
        'none',
      ),
    )
    .addOption(
      new Option('--seed <number>', 'seed of the random numbers: the same seed gives the same simulation')
        .argParser(seedOf)
        .default(1),
    )
    .addOption(
      new Option(
        '--pod-start <duration>',
        'how long pods take to start (default: as those of the snapshot did)',
      ).argParser(podDuration),
    )
    .addOption(
      new Option(
        '--pod-stop <duration>',
        'how long pods take to stop, within their grace period (default: 200ms)',
      ).argParser(podDuration),
    )
    .addOption(
      new Option('--limit <duration>', 'virtual time after which the simulation stops')
        .argParser(durationMs)
        .default(86_400_000, '24h'),
    )
    .option('--html <file>', 'also write the report as a self-contained HTML page')
    .addOption(new Option('-o, --output <format>', 'output format (default: for people)').choices(structuredFormats));
  withLiveFlags(command)
    .addHelpText('after', `${scenarioHelp}${help}`)
    .action(async (files: readonly string[], options: SimulateOptions) => {
      // A whole cluster, which --help does not need.
      const { answer } = await import('./answer.ts');
      await answer(files, options, command.words);
    });
  return command;
}

const help = `

The snapshot runs in a cluster within this process, with simulated nodes, Kubernetes' own controllers, and Holdfast's operator
and agent as they are. Nothing leaves this process, and nothing is written anywhere else.

Examples:
  holdfast simulate --from-cluster -- drain node-1 node-2
  holdfast simulate cluster.yaml -- zone eu-1a
  holdfast simulate cluster.yaml --html upgrade.html -- upgrade --max-unavailable 2
  holdfast simulate cluster.yaml --with budgets.yaml -- drain node-1     as it is, and with other budgets
  kubectl get nodes,pods,pdb,deployments,replicasets,statefulsets,daemonsets,controllerrevisions -A -o yaml > cluster.yaml

Exits with 0 when all pods were evicted and have a node, with 1 when not, and with 2 when there is no answer.`;

function seedOf(text: string): number {
  const seed = Number(text);
  if (!/^\d{1,10}$/.test(text) || seed > maxSeed)
    throw new InvalidArgumentError(`must be a number from 0 to ${maxSeed}.`);
  return seed;
}

/** Shorter ones than other durations: pods that stop at once do so in milliseconds. */
function podDuration(text: string): number {
  const ms = /^(\d{1,6})ms$/.exec(text)?.[1];
  if (ms !== undefined) return Number(ms);
  if (text === '0' || text === '0s') return 0;
  try {
    return durationMs(text);
  } catch {
    throw new InvalidArgumentError('must be a duration such as 500ms, 20s or 3m, and at most 24h.');
  }
}
