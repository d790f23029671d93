import { Command, Option } from 'commander';
import { type BlockedPod, type DrainSimulation, type PodKey, simulateDrain } from '../core/drain/simulate.ts';
import type { Charge } from '../core/verdict.ts';
import type { World } from '../core/world/world.ts';
import { worldOf } from './feed-world.ts';
import { loadObjects } from './load-objects.ts';
import { table } from './table.ts';

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
  process.stdout.write(
    options.output === 'json' ? `${JSON.stringify(result, null, 2)}\n` : report(options, pods, result),
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

function report(options: Options, pods: readonly PodKey[], result: DrainSimulation): string {
  const sections = [`Draining ${options.drain.join(', ')}: ${pods.length} pods\n`];
  const steps = result.waves.flatMap((wave, index) =>
    wave.map(({ pod, charges }) => [String(index + 1), pod.namespace, pod.name, ...effects(charges)]),
  );
  if (steps.length > 0) sections.push(table(['WAVE', 'NAMESPACE', 'POD', 'UNIT', 'EFFECT', 'BUDGET'], steps));
  if (result.waiting.length > 0) sections.push(`\nNot in wave 1, because:\n${blocked(result.waiting)}`);
  if (result.stuck.length > 0) sections.push(`\nCan never go as things are:\n${blocked(result.stuck)}`);
  sections.push(`\n${summary(pods, result)}\n`);
  return sections.join('\n');
}

function effects(charges: readonly Charge[]): readonly [string, string, string] {
  const [charge] = charges;
  if (charge === undefined) return ['-', 'not protected', '-'];
  const worst = charges.find((one) => one.effect === 'breaks') ?? charge;
  const words = { breaks: `breaks a ${worst.unitKind}`, surplus: 'surplus', down: 'already down' } as const;
  return [
    worst.unit,
    words[worst.effect],
    `${worst.budget.name} (${worst.available} available, ${worst.desired} needed)`,
  ];
}

function blocked(pods: readonly BlockedPod[]): string {
  return pods
    .flatMap(({ pod, blockers }) => blockers.map((one) => `  ${pod.name}: ${one.message}; ${one.unblock}`))
    .join('\n');
}

function summary(pods: readonly PodKey[], result: DrainSimulation): string {
  const gone = pods.length - result.stuck.length;
  const waves = `${result.waves.length} ${result.waves.length === 1 ? 'wave' : 'waves'}`;
  return `${gone} of ${pods.length} pods can go, in ${waves}; ${result.stuck.length} can never go as things are.`;
}
