import { whole } from '../cluster/figures.ts';
import type { Cpu } from '../cluster/messages.ts';
import type { Part } from '../cluster/parts.ts';
import { markdownTable } from '../core/measure.ts';
import type { Endpoint } from '../webhook/messages.ts';
import {
  type Handler,
  handlers,
  type Ports,
  type Published,
  type ToApi,
  type ToApps,
  type ToBare,
} from './messages.ts';
import { periodSeconds, probedNode, probedPods } from './pods.ts';
import { type AgentParts, agentHeap, type Product } from './product.ts';
import { until, type Watched, watched } from './watching.ts';

const watchSeconds = 60;
/** At the start probes are spread over one period, and conditions are written at the pace that is allowed. */
const settlePatienceMs = 120_000;

interface Probing extends Watched {
  readonly settled: number;
  readonly probes: number;
  readonly leaseWrites: number;
  readonly conditionWrites: number;
}

interface Case {
  readonly what: string;
  readonly handler: Handler;
  readonly heap: readonly string[];
  /** Undefined: there is no goal. */
  readonly wanted?: { readonly share: string; readonly rss: string };
}

const wanted = { share: '5 %', rss: '120 MB' };
const cases: readonly Case[] = [
  ...handlers.map((handler) => ({ what: handler, handler, heap: agentHeap, wanted })),
  { what: 'httpGet, in a container without a limit', handler: 'httpGet', heap: [] },
];

/** One agent with all the pods of a big node. */
export async function probing(product: Product, parts: AgentParts, apps: Part): Promise<string> {
  const ports = await apps.ask<Ports>({ do: 'ports' } satisfies ToApps);
  const rows: string[][] = [];
  for (const one of cases) rows.push(cellsOf(one, await probe(product, parts, one, ports[one.handler])));
  const bare = parts.start('bare');
  const { micros } = await bare.ask<Cpu>({ port: ports.httpGet, seconds: watchSeconds } satisfies ToBare);
  await bare.stop();
  rows.push(['the same questions by node:http alone', percentOf(micros / 1e6 / watchSeconds)]);
  const what = `${whole(probedPods)} pods of 3 KB on one node, each asked every ${periodSeconds} s by \`holdfast agent\`, a process of its own with the heap that Node gives it in the DaemonSet's container. The API server and the applications are other processes. Measured for ${watchSeconds} s, once every pod is known to be disruptable; CPU is time on a processor, with all threads, and RSS the largest of a look every 5 s.`;
  const head = [
    'probes',
    'of a core',
    'wanted',
    'RSS',
    'wanted',
    'probes/s',
    'CPU each, all included',
    'lease writes',
    'condition writes',
    'all known after',
  ];
  const filled = rows.map((row) => head.map((_, column) => row[column] ?? ''));
  return `${what}\n\n${markdownTable(head, filled)}`;
}

async function probe(product: Product, parts: AgentParts, { handler, heap }: Case, port: number): Promise<Probing> {
  const api = parts.start('api');
  const endpoint = await api.next<Endpoint>();
  await api.ask({ do: 'add pods', handler, port } satisfies ToApi);
  const agent = await product.start(endpoint, ['agent', '--node', probedNode], heap);
  const published = () => api.ask<Published>({ do: 'published' } satisfies ToApi);
  const settled = await until('every pod is disruptable', settlePatienceMs, async () => {
    const { shown, listed } = await published();
    return shown === probedPods && listed === probedPods;
  });
  const before = await published();
  const result = await watched(agent, watchSeconds);
  const after = await published();
  if (after.listed !== probedPods) throw new Error(`only ${after.listed} pods are listed`);
  await agent.stop();
  await api.stop();
  const name = 'holdfast_agent_probes_total';
  return {
    ...result,
    settled,
    probes: result.after.value(name) - result.before.value(name),
    leaseWrites: after.leaseWrites - before.leaseWrites,
    conditionWrites: after.conditionWrites - before.conditionWrites,
  };
}

function percentOf(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function cellsOf({ what, wanted: goal }: Case, one: Probing): string[] {
  return [
    what,
    percentOf(one.share),
    goal?.share ?? '',
    `${whole(one.largestRss / 1e6)} MB`,
    goal?.rss ?? '',
    whole(one.probes / one.seconds),
    `${whole((1e6 * one.cpuSeconds) / one.probes)} us`,
    whole(one.leaseWrites),
    whole(one.conditionWrites),
    `${one.settled.toFixed(1)} s`,
  ];
}
