import { Command, Option } from 'commander';
import { type PodKey, simulateDrain } from '../core/drain/simulate.ts';
import type { World } from '../core/world/world.ts';
import { worldOf } from './feed-world.ts';
import { loadObjects } from './load-objects.ts';
import { simulationText } from './simulation-text.ts';

interface Options {
  readonly load: readonly string[];
  readonly drain: readonly string[];
  readonly order: 'given' | 'any';
  readonly output: 'table' | 'json';
}

export function simulateCommand(): Command {
  return new Command('simulate')
    .description('tell what draining nodes would do, from a snapshot of a cluster')
    .requiredOption('--load <file...>', 'objects as `kubectl get ... -o yaml` prints them: pods, budgets, their owners')
    .requiredOption('--drain <node...>', 'nodes to drain, together')
    .addOption(
      new Option('--order <order>', 'evict pods as listed, or in an order that lets many go at once')
        .choices(['given', 'any'])
        .default('given'),
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExits with 1 when pods remain that can never go as things are.')
    .action(run);
}

function run(options: Options): void {
  const world = worldOf(options.load.flatMap(loadObjects));
  const pods = podsOn(world, options.drain);
  const result = simulateDrain(world, pods, 0, { order: options.order });
  const title = `Draining ${options.drain.join(', ')}: ${pods.length} pods`;
  process.stdout.write(
    options.output === 'json' ? `${JSON.stringify(result, null, 2)}\n` : simulationText(title, pods.length, result),
  );
  if (result.stuck.length > 0) process.exitCode = 1;
}

function podsOn(world: World, nodes: readonly string[]): readonly PodKey[] {
  const pods = [...world.namespaces()].flatMap((namespace) => [...namespace.pods.values()]);
  const found = pods.filter((pod) => pod.node !== undefined && nodes.includes(pod.node));
  for (const node of nodes) {
    if (!pods.some((pod) => pod.node === node)) throw new Error(`no pod in the snapshot runs on node ${node}`);
  }
  return found.map(({ namespace, name }) => ({ namespace, name }));
}
