import { setTimeout } from 'node:timers/promises';
import { whole } from '../cluster/figures.ts';
import type { Part } from '../cluster/parts.ts';
import { markdownTable } from '../core/measure.ts';
import { freePort } from '../webhook/free-port.ts';
import type { Endpoint } from '../webhook/messages.ts';
import { fleetBudgets, fleetNodes, fleetPods } from './fleet.ts';
import type { Renewals, ToApi } from './messages.ts';
import { type AgentParts, operatorArgs, type Product } from './product.ts';
import { type Watched, watched } from './watching.ts';

const renewSeconds = 10;
const watchSeconds = 60;
/** Longer than every lease needs to be renewed once, and than the statuses need that change with that. */
const settleMs = 45_000;

interface Case {
  readonly what: string;
  readonly perSecond: number;
  readonly changing: number;
}

const perSecond = fleetNodes / renewSeconds;
const cases: readonly Case[] = [
  { what: 'nothing', perSecond: 0, changing: 0 },
  { what: 'renewals', perSecond, changing: 0 },
  { what: 'renewals, one in a hundred with another list', perSecond, changing: 0.01 },
];

/** What the leases of a big cluster cost the operator. */
export async function leases(product: Product, parts: AgentParts): Promise<string> {
  const api = parts.start('api');
  const endpoint = await api.next<Endpoint>();
  await api.ask({ do: 'add fleet' } satisfies ToApi);
  const port = await freePort();
  const operator = await product.start(endpoint, operatorArgs(port));
  const rows: string[][] = [];
  for (const one of cases) {
    await api.ask({ do: 'renew', perSecond: one.perSecond, changing: one.changing } satisfies ToApi);
    await setTimeout(settleMs);
    await assertBudgets(api, one.perSecond > 0 ? fleetBudgets : 0);
    const before = await api.ask<Renewals>({ do: 'renewals' } satisfies ToApi);
    const result = await watched(operator, watchSeconds);
    const after = await api.ask<Renewals>({ do: 'renewals' } satisfies ToApi);
    rows.push(cellsOf(one, result, after.leases - before.leases));
  }
  await operator.stop();
  await api.stop();
  const what = `${whole(fleetNodes)} leases, each renewed every ${renewSeconds} s, in front of \`holdfast operator\`, a process of its own that knows ${whole(fleetPods)} probed pods and ${whole(fleetBudgets)} PodDisruptionBudgets over them. Measured for ${watchSeconds} s each.`;
  const head = ['what happens', 'of a core', 'wanted', 'renewals/s', 'CPU for each', 'RSS'];
  return `${what}\n\n${markdownTable(head, rows)}`;
}

/** Leases that are not renewed count for nothing, and renewed ones for everything: so the operator has seen them. */
async function assertBudgets(api: Part, wanted: number): Promise<void> {
  const { count } = await api.ask<{ readonly count: number }>({ do: 'generous budgets' } satisfies ToApi);
  if (count !== wanted) throw new Error(`${count} budgets allow a disruption instead of ${wanted}`);
}

function cellsOf({ what, perSecond: wanted }: Case, one: Watched, renewals: number): string[] {
  return [
    what,
    `${(100 * one.share).toFixed(1)} %`,
    wanted === 0 ? '' : '10 %',
    whole(renewals / one.seconds),
    renewals === 0 ? '' : `${whole((1e6 * one.cpuSeconds) / renewals)} us`,
    `${whole(one.largestRss / 1e6)} MB`,
  ];
}
