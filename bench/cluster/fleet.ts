import { setTimeout } from 'node:timers/promises';
import { createNodes } from '../../packages/embedded-cluster/src/nodes/create-nodes.ts';
import { markdownTable } from '../core/measure.ts';
import { kilobytes, seconds, whole } from './figures.ts';
import type { Cpu, Memory, Request, ToLoad, ToServer } from './messages.ts';
import { deploymentRequest, namespaceRequest, nodeRequest } from './objects.ts';
import type { Part, Parts } from './parts.ts';
import { startServer } from './server.ts';

const nodes = 1_000;
const namespaces = 20;
const deploymentsEach = 10;
const replicas = 100;
const pods = namespaces * deploymentsEach * replicas;
const patienceMs = 600_000;
/** Statuses of owners and events follow a moment later. */
const settleMs = 3_000;

/** Deployments are written, and everything else is the cluster's work: replica sets, scheduling, simulated kubelets. */
export async function fleet(parts: Parts): Promise<string> {
  const { process, access } = await startServer(parts, 'controllers');
  const load = parts.start('load');
  const send = (requests: readonly Request[]) =>
    load.ask({ do: 'send', access, requests, connections: 8 } satisfies ToLoad);
  const names = Array.from({ length: namespaces }, (_, i) => `team-${i}`);
  await send(names.map(namespaceRequest));
  await send(createNodes(nodes).map(nodeRequest));
  await setTimeout(settleMs);
  const before = await process.ask<Memory>({ do: 'memory' } satisfies ToServer);
  const cpuBefore = await process.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  const begun = performance.now();
  await send(names.flatMap(deployments));
  const spent = await untilReady(process, begun);
  const cpuAfter = await process.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  await setTimeout(settleMs);
  const after = await process.ask<Memory>({ do: 'memory' } satisfies ToServer);
  await load.stop();
  await process.stop();
  return [
    markdownTable(
      ['pods', 'nodes', 'created and Ready after', 'wanted', 'CPU for each pod'],
      [[whole(pods), whole(nodes), seconds(spent), '90 s', `${whole((cpuAfter.micros - cpuBefore.micros) / pods)} us`]],
    ),
    memoryTable(before, after),
  ].join('\n\n');
}

function deployments(namespace: string): Request[] {
  return Array.from({ length: deploymentsEach }, (_, i) => deploymentRequest(namespace, `web-${i}`, replicas));
}

function memoryTable(before: Memory, after: Memory): string {
  const each = (pick: (memory: Memory) => number) => kilobytes((pick(after) - pick(before)) / pods);
  return markdownTable(
    ['after a full collection: RSS per pod', 'wanted', 'heap per pod', 'RSS per pod before the collection'],
    [[each(({ rss }) => rss), '15 KB', each(({ heapUsed }) => heapUsed), each(({ rssBefore }) => rssBefore)]],
  );
}

async function untilReady(server: Part, begun: number): Promise<number> {
  for (;;) {
    const { count } = await server.ask<{ count: number }>({ do: 'ready pods' } satisfies ToServer);
    const spent = performance.now() - begun;
    if (count >= pods) return spent;
    if (spent > patienceMs) throw new Error(`only ${count} of ${pods} pods became ready`);
    await setTimeout(500);
  }
}
