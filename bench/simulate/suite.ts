import { evictedIn } from '../../packages/holdfast/src/cli/simulate/records/figures.ts';
import { simulate } from '../../packages/holdfast/src/cli/simulate/run.ts';
import { completeSnapshot } from '../../packages/holdfast/src/cli/simulate/snapshot/complete.ts';
import { markdownTable } from '../core/measure.ts';
import { type FleetSize, nodeName, snapshotOf } from './fleet.ts';

const sizes: readonly (FleetSize & { readonly drained: number })[] = [
  { nodes: 30, pods: 500, drained: 3 },
  { nodes: 300, pods: 5_000, drained: 10 },
];

/** Drains of clusters in virtual time: how long in real time. */
export async function simulateSuite(): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const { drained, ...size } of sizes) {
    const nodes = Array.from({ length: drained }, (_, index) => nodeName(index));
    const cpu = process.cpuUsage();
    const start = performance.now();
    const result = await simulate(completeSnapshot(snapshotOf(size), undefined), () => ({ kind: 'drain', nodes }), {
      seed: 1,
      limitMs: 86_400_000,
      podStopMs: undefined,
      order: 'groups',
      report: (problem) => console.error(problem),
    });
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    rows.push([
      size.nodes.toLocaleString('en'),
      size.pods.toLocaleString('en'),
      String(drained),
      String(evictedIn(result)),
      `${(result.durationMs / 1_000).toFixed(0)} s`,
      `${seconds.toFixed(1)} s`,
      `${((user + system) / 1e6).toFixed(1)} s`,
      `${(process.memoryUsage.rss() / 1024 ** 2).toFixed(0)} MiB`,
    ]);
  }
  const head = ['nodes', 'pods', 'drained', 'pods evicted', 'virtual time', 'time', 'CPU', 'resident'];
  return `## Drains in virtual time\n\nThe limit is a minute for 300 nodes and 5,000 pods.\n\n${markdownTable(head, rows)}\n`;
}
