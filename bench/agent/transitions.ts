import { whole } from '../cluster/figures.ts';
import type { Part } from '../cluster/parts.ts';
import { markdownTable } from '../core/measure.ts';
import { freePort } from '../webhook/free-port.ts';
import type { Endpoint } from '../webhook/messages.ts';
import type { Ports, Published, Refused, ToApi, ToApps } from './messages.ts';
import { periodSeconds, probedNode, probedPods } from './pods.ts';
import { type AgentParts, agentHeap, operatorArgs, type Product } from './product.ts';
import { until } from './watching.ts';

const patienceMs = 120_000;
const some = 50;

/** The whole way: application, agent, API server, operator, the client that wants to evict. */
export async function transitions(product: Product, parts: AgentParts, apps: Part): Promise<string> {
  const ports = await apps.ask<Ports>({ do: 'ports' } satisfies ToApps);
  const api = parts.start('api');
  const endpoint = await api.next<Endpoint>();
  await api.ask({ do: 'add pods', handler: 'httpGet', port: ports.httpGet } satisfies ToApi);
  const operator = await product.start(endpoint, operatorArgs(await freePort()));
  const agent = await product.start(endpoint, ['agent', '--node', probedNode], agentHeap);
  const webhook = await api.ask<Endpoint>({ do: 'webhook' } satisfies ToApi);
  const allYes = () => untilListed(api, probedPods);
  await allYes();
  const rows: string[][] = [];
  for (const count of [some, probedPods]) {
    const pods = Array.from({ length: count }, (_, index) => Math.floor((index * probedPods) / count));
    const { ms } = await apps.ask<Refused>({ do: 'refuse', pods, webhook } satisfies ToApps);
    rows.push([`${whole(count)} of ${whole(probedPods)} pods`, ...cellsOf(ms)]);
    await untilListed(api, probedPods - count);
    await apps.ask({ do: 'agree' } satisfies ToApps);
    await allYes();
  }
  await agent.stop();
  await operator.stop();
  await api.stop();
  const what = `Pods of that node begin to say no, all in the same moment; each is asked at its own time within the next ${periodSeconds} s. From the answer that fails its probe until \`holdfast operator\` refuses to evict it, asked again and again from that moment on. By \`failureThreshold: 1\`, so that the first no counts.`;
  return `${what}\n\n${markdownTable(['say no', 'p50', 'p99', 'slowest', 'wanted'], rows)}`;
}

async function untilListed(api: Part, count: number): Promise<void> {
  await until(`${count} pods are listed`, patienceMs, async () => {
    const { listed, shown } = await api.ask<Published>({ do: 'published' } satisfies ToApi);
    return listed === count && shown === count;
  });
}

function cellsOf(ms: readonly number[]): string[] {
  const sorted = Float64Array.from(ms).sort();
  const at = (share: number) => `${whole(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)} ms`;
  return [at(0.5), at(0.99), at(1), '1,000 ms'];
}
