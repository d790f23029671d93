import { setTimeout } from 'node:timers/promises';
import { whole } from '../cluster/figures.ts';
import { markdownTable } from '../core/measure.ts';
import { budgetCount, namespaces, nodes, podCount, workloads } from './fleet.ts';
import type { Statuses, ToApi } from './messages.ts';
import { type Opening, type Stage, usageOf } from './stage.ts';

const statusPatienceMs = 180_000;
const flipPatienceMs = 30_000;
/** A cluster at rest: what was written before must not be waited for. */
const restMs = 5_000;

/** One budget of each kind in every namespace. */
export const flippedWorkloads = workloads.filter(({ name }) => name === 'checkout-0' || name === 'checkout-11');

export async function startingUp({ stage, ready, readyMs }: Opening): Promise<string> {
  const statuses = await stage.api.ask<Statuses>({ do: 'statuses', patienceMs: statusPatienceMs } satisfies ToApi);
  assertRight(statuses);
  const after = await usageOf(stage);
  const head = ['', 'ready after', 'wanted', 'CPU', 'RSS', 'peak RSS', 'wanted', 'heap in use'];
  const cells = (ms: number, usage: typeof after, wanted: string) => [
    inSeconds(ms),
    wanted,
    inSeconds(usage.micros / 1_000),
    mebibytes(usage.rss),
    mebibytes(usage.peakRss),
    '1,024 MiB',
    mebibytes(usage.heapUsed),
  ];
  const table = markdownTable(head, [
    ['everything seen, webhook ready', ...cells(readyMs, ready, '60 s')],
    [
      `the status of all budgets written (${whole(statuses.writes)} writes)`,
      ...cells(readyMs + statuses.ms, after, ''),
    ],
  ]);
  const what = `${whole(podCount)} pods of 3 KB on ${whole(nodes)} nodes, in ${whole(namespaces)} namespaces and two hot ones; ${whole(budgetCount)} budgets, half of them PodDisruptionBudgets that count groups, half PodUnavailableBudgets; ${whole(workloads.length)} Deployments with two ReplicaSets each. The API server is a process of its own that makes objects up as it sends them; everything goes over TLS. Times are from the start of the operator's process.`;
  return `${what}\n\n${table}`;
}

/** A pod of each of many budgets becomes unready, all at once. */
export async function flip({ api }: Stage, ready: boolean): Promise<Statuses> {
  await setTimeout(restMs);
  const pods = flippedWorkloads.map(({ firstPod }) => firstPod);
  return api.ask<Statuses>({ do: 'flip', pods, ready, patienceMs: flipPatienceMs } satisfies ToApi);
}

export function flipping(rows: readonly (readonly [what: string, statuses: Statuses])[]): string {
  for (const [, statuses] of rows) assertRight(statuses);
  const table = markdownTable(
    ['', 'every status right after', 'wanted', 'writes', 'budgets'],
    rows.map(([what, { ms, writes }]) => [what, inSeconds(ms), '2.0 s', whole(writes), whole(flippedWorkloads.length)]),
  );
  return `From the first event sent until the last status arrived right at the API server.\n\n${table}`;
}

function assertRight({ wrong, examples }: Statuses): void {
  if (wrong === 0) return;
  throw new Error(`${wrong} budgets show something wrong, such as ${JSON.stringify(examples, undefined, 1)}`);
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function mebibytes(bytes: number): string {
  return `${whole(bytes / 1_048_576)} MiB`;
}
