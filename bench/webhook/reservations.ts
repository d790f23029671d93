import { whole } from '../cluster/figures.ts';
import { markdownTable } from '../core/measure.ts';
import { groupSize, hotNamespaces, workloadAt } from './fleet.ts';
import type { LedgerFigures, Loaded, ToApi, ToLoad } from './messages.ts';
import { evictionReview } from './reviews.ts';
import { type Stage, usageOf, webhookOf } from './stage.ts';

const seconds = 5;
const warmUpSeconds = 1;

interface Case {
  readonly what: string;
  readonly namespace: string;
  readonly connections: number;
  readonly ledgerMs: number;
  /** Who deletes the pod after an allowed eviction. */
  readonly completed: 'by the API server' | 'by the operator';
}

const pods = { what: 'PUB', namespace: hotNamespaces.pods, completed: 'by the API server' } as const;
const groups = { what: 'PDB of groups', namespace: hotNamespaces.groups, completed: 'by the operator' } as const;

const cases: readonly Case[] = [
  { ...pods, connections: 1, ledgerMs: 0 },
  { ...pods, connections: 32, ledgerMs: 0 },
  { ...pods, connections: 128, ledgerMs: 0 },
  { ...pods, connections: 32, ledgerMs: 5 },
  { ...pods, connections: 128, ledgerMs: 5 },
  { ...pods, connections: 128, ledgerMs: 25 },
  { ...groups, connections: 32, ledgerMs: 5 },
  { ...groups, connections: 128, ledgerMs: 5 },
];

/** Evictions under one budget of one namespace, each of which has to be reserved in the one ledger before it is allowed. */
export async function reservations(stage: Stage): Promise<string> {
  const rows: string[][] = [];
  for (const one of cases) rows.push(await measure(stage, one));
  const head = [
    'budget',
    'at once',
    'a ledger call takes',
    'verdicts/s',
    'for a second of CPU',
    'refused',
    'p50',
    'p99',
    'reservations per write',
    'most in one',
  ];
  const what = `Evictions of pods under one hot budget, all reserved in one ledger by compare-and-swap, ${seconds} s each. The budget leaves room for all of them. After an allowed answer the pod is deleted by the caller, as an API server would, or by the operator itself where it completes the eviction (PDBs), and a new one takes its place; so the leader takes reservations out all the while. No target.`;
  return `${what}\n\n${markdownTable(head, rows)}`;
}

async function measure(stage: Stage, one: Case): Promise<string[]> {
  const { api, apiEndpoint, load } = stage;
  await api.ask({ do: 'delay ledgers', ms: one.ledgerMs } satisfies ToApi);
  const order = {
    do: 'disrupt',
    webhook: await webhookOf(stage),
    reviews: reviewsOf(one),
    connections: one.connections,
    api: one.completed === 'by the API server' ? apiEndpoint : undefined,
  } as const;
  await load.ask<Loaded>({ ...order, seconds: warmUpSeconds } satisfies ToLoad);
  await api.ask({ do: 'ledger figures' } satisfies ToApi);
  const before = await usageOf(stage);
  const loaded = await load.ask<Loaded>({ ...order, seconds } satisfies ToLoad);
  const after = await usageOf(stage);
  const figures = await api.ask<LedgerFigures>({ do: 'ledger figures' } satisfies ToApi);
  if (loaded.broken > 0) throw new Error(`${loaded.broken} calls were not answered as they should`);
  return cells(one, loaded, (after.micros - before.micros) / 1e6, figures);
}

/** One pod of each unit: the next pod of a group that is going already is another case, and a rarer one. */
function reviewsOf({ namespace }: Case) {
  const hot = workloadAt(namespace, 'hot');
  if (hot === undefined) throw new Error(`there is no hot workload in ${namespace}`);
  const step = hot.protection === 'groups' ? groupSize : 1;
  return Array.from({ length: hot.pods / step }, (_, i) => evictionReview(hot.firstPod + i * step, false));
}

function cells(
  { what, completed, connections, ledgerMs }: Case,
  loaded: Loaded,
  cpu: number,
  figures: LedgerFigures,
): string[] {
  const answers = loaded.allowed + loaded.refused;
  const milliseconds = (ms: number) => `${ms.toFixed(1)} ms`;
  return [
    `${what}, completed ${completed}`,
    whole(connections),
    ledgerMs === 0 ? 'no time' : milliseconds(ledgerMs),
    whole(answers / loaded.seconds),
    whole(answers / cpu),
    whole(loaded.refused),
    milliseconds(loaded.p50),
    milliseconds(loaded.p99),
    (figures.reservations / Math.max(1, figures.reserving)).toFixed(1),
    whole(figures.largest),
  ];
}
