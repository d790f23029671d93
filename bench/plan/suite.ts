import { planDrain } from '../../packages/holdfast/src/core/plan/plan-drain.ts';
import type { DrainPlan } from '../../packages/holdfast/src/core/plan/plan-result.ts';
import { markdownTable } from '../core/measure.ts';
import { type FleetSize, planFleet } from './fleet.ts';

const sizes: readonly FleetSize[] = [
  { nodes: 500, pods: 15_000, podsPerApp: 24 },
  { nodes: 5_000, pods: 150_000, podsPerApp: 24 },
  { nodes: 5_000, pods: 150_000, podsPerApp: 240 },
];

/** Plans for all nodes of large clusters: how long, how much memory, how many waves. */
export function planSuite(): string {
  const rows = sizes.flatMap((size) => {
    const fleet = planFleet(size);
    const drain = fleet.nodes.map(({ name }) => name);
    return [fleet.nodes, []].map((nodes) => {
      const cpu = process.cpuUsage();
      const start = performance.now();
      const plan = planDrain({ world: fleet.world, drain, nodes, shapeOf: fleet.shapeOf, now: 0 });
      const seconds = (performance.now() - start) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      return rowOf(size, plan, seconds, (user + system) / 1e6);
    });
  });
  const head = [
    'nodes',
    'pods',
    'pods per application',
    'room',
    'time',
    'CPU',
    'resident',
    'waves',
    'lower bound',
    'ways tried',
  ];
  return `## Plans for all nodes\n\nThe limit is 10 s and 2 GiB for 5,000 nodes and 150,000 pods.\n\n${markdownTable(head, rows)}\n`;
}

function rowOf(size: FleetSize, plan: DrainPlan, seconds: number, cpu: number): readonly string[] {
  return [
    size.nodes.toLocaleString('en'),
    size.pods.toLocaleString('en'),
    String(size.podsPerApp),
    plan.room === 'lookedAt' ? 'looked at' : 'not looked at',
    `${seconds.toFixed(1)} s`,
    `${cpu.toFixed(1)} s`,
    `${(process.memoryUsage.rss() / 1024 ** 2).toFixed(0)} MiB`,
    String(plan.waves.length),
    `${plan.lowerBound.waves} (${plan.lowerBound.why})`,
    plan.compared.map((one) => `${one.strategy} ${one.waves}`).join(', '),
  ];
}
