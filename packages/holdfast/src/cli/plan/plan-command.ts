import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import { parseLabelSelector } from '@holdfast/embedded-cluster/objects';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultPlanOptions } from '../../core/plan/input.ts';
import { planDrain } from '../../core/plan/plan-drain.ts';
import { exitCode, Problem } from '../../observe/problem.ts';
import { durationMs } from '../duration.ts';
import { type LiveFlags, withLiveFlags, withSelectorFlag } from '../live/flags.ts';
import { withSession } from '../live/session.ts';
import { noNodeHas, noNodesAtAll } from '../no-nodes.ts';
import { paintFor } from '../output/paint.ts';
import { structured } from '../output/structured.ts';
import { planDocument } from './plan-file.ts';
import { checkNodes, fromCluster, fromFiles, nodeNames, type PlanSnapshot } from './plan-snapshot.ts';
import { planText } from './plan-text.ts';
import { planSvg } from './svg.ts';

interface Options extends LiveFlags {
  readonly selector?: string;
  readonly all?: boolean;
  readonly maxSurge: number;
  readonly forGood?: boolean;
  readonly force?: boolean;
  readonly startUp: number;
  readonly load?: readonly string[];
  readonly output: 'table' | 'json' | 'svg';
}

export function planCommand(): Command {
  const command = new Command('plan')
    .description('plan in which waves to drain nodes, in as few waves as the budgets allow')
    .argument('[nodes...]', 'the nodes to drain')
    .option('--all', 'all nodes')
    .option('--load <file...>', 'plan for a snapshot instead: objects as `kubectl get ... -o yaml` prints them')
    .addOption(
      new Option('--max-surge <count>', 'nodes of each wave that are replaced before they are drained')
        .argParser(count)
        .default(defaultPlanOptions.maxSurge),
    )
    .option('--for-good', 'drained nodes do not come back')
    .option('--force', 'also drain pods without a controller; the plan assumes that you recreate them')
    .addOption(
      new Option('--start-up <duration>', 'time until a replacement is healthy, for the estimate')
        .argParser((text) => durationMs(text) / 1_000)
        .default(defaultPlanOptions.startUpSeconds, `${defaultPlanOptions.startUpSeconds}s`),
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json', 'svg']).default('table'));
  return withLiveFlags(withSelectorFlag(command, 'nodes'))
    .addHelpText(
      'after',
      `
Read-only. It assumes that all evicted pods are healthy again before the next wave starts.

Examples:
  holdfast plan node-1 node-2 node-3         in which order, and how many at once
  holdfast plan -l pool=old --max-surge 2    with two new nodes at a time
  holdfast plan --all -o svg > plan.svg      a picture of the waves
  holdfast plan --all --load cluster.yaml    for a snapshot of a cluster
  holdfast plan -l pool=old -o json > plan.json && holdfast drain --plan plan.json

Exits with 0 when all nodes can be drained, with 1 when some cannot, and with 2 when there is no answer.`,
    )
    .action(async (nodes: readonly string[], options: Options) => {
      checkAsked(nodes, options);
      const { load, operatorNamespace } = options;
      const around =
        load === undefined
          ? await withSession(options, (session) => fromCluster(session, operatorNamespace))
          : fromFiles(load);
      run(around, nodes, options);
    });
}

function run(around: PlanSnapshot, names: readonly string[], options: Options): void {
  const { maxSurge, forGood = false, force = false, startUp: startUpSeconds } = options;
  const drain = chosen(around, names, options);
  const plan = planDrain({ ...around, drain }, { maxSurge, forGood, force, startUpSeconds });
  const paint = paintFor({ isTTY: process.stdout.isTTY, env: process.env });
  if (options.output === 'json') process.stdout.write(structured(planDocument(plan), 'json'));
  else if (options.output === 'svg') process.stdout.write(planSvg(plan));
  else process.stdout.write(planText(plan, drain.length, paint));
  for (const warning of around.warnings) process.stderr.write(`warning: ${warning}\n`);
  if (plan.never.length > 0) process.exitCode = exitCode.no;
}

/** Exactly one way to name nodes: draining more nodes than intended is an outage. */
function checkAsked(nodes: readonly string[], { selector, all }: Options): void {
  const ways = Number(nodes.length > 0) + Number(selector !== undefined) + Number(all === true);
  if (ways !== 1)
    throw new Problem('name nodes, or choose them with -l SELECTOR or --all', 'One of these, and only one.');
}

function chosen(
  { world, nodes }: PlanSnapshot,
  names: readonly string[],
  { selector, all, load }: Options,
): readonly string[] {
  const known = nodeNames(world, nodes);
  checkNodes(names, known);
  if (all === true && known.length === 0) throw noNodesAtAll(load === undefined ? 'the cluster' : 'the snapshot');
  if (all === true) return known;
  if (selector === undefined) return names;
  const wanted = readSelector(selector);
  const found = nodes.filter(({ labels }) => matches(wanted, labels)).map(({ name }) => name);
  if (found.length === 0) throw noNodeHas(selector);
  return found;
}

function readSelector(text: string): Selector {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw new Problem(`-l ${text}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** More nodes than any fleet replaces at once. */
const maxCount = 10_000;

function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maxCount)
    throw new InvalidArgumentError(`must be a number from 0 to ${maxCount}.`);
  return value;
}
