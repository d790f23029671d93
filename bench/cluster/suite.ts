import { setTimeout } from 'node:timers/promises';
import { createNodes } from '../../src/cluster/nodes/create-nodes.ts';
import { markdownTable } from '../core/measure.ts';
import type { Memory, ToLoad, ToServer, Watched } from './messages.ts';
import { deploymentRequest, namespaceRequest, nodeRequest } from './objects.ts';
import { type Part, Parts } from './parts.ts';
import { fill, podCollection, podPaths, type RunningServer, reading } from './reading.ts';

/** The embedded cluster: how fast it is there, how fast it answers, how much it carries, and what a pod costs. */
export async function clusterSuite(): Promise<string> {
  const parts = new Parts();
  try {
    await parts.bundle();
    const wanted = process.env['BENCH_ONLY']?.split(',');
    const sections: string[] = [];
    for (const [name, section] of Object.entries(allSections)) {
      if (wanted === undefined || wanted.includes(name)) sections.push(await section(parts));
    }
    return sections.join('\n\n');
  } finally {
    parts.close();
  }
}

const allSections: Readonly<Record<string, (parts: Parts) => Promise<string>>> = {
  start: async (parts) => `## Start\n\n${await starting(parts)}`,
  read: async (parts) =>
    `## Reading\n\n${await withServer(parts, 'api', (load, server) => reading(parts, load, server))}`,
  watch: async (parts) => `## Watching\n\n${await withServer(parts, 'api', watching)}`,
  pods: async (parts) => `## Pods\n\n${await fleet(parts)}`,
};

const starts = 5;

async function starting(parts: Parts): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < starts; i += 1) {
    const begun = performance.now();
    const server = parts.start('server', 'controllers');
    await server.next<RunningServer>();
    times.push(performance.now() - begun);
    await server.stop();
  }
  times.sort((left, right) => left - right);
  const row = [String(starts), seconds(times[0] ?? 0), seconds(times[starts >> 1] ?? 0), seconds(times.at(-1) ?? 0)];
  return markdownTable(['starts', 'fastest', 'median', 'slowest', 'wanted'], [[...row, '1.50 s']]);
}

async function withServer(
  parts: Parts,
  kind: 'api' | 'controllers',
  run: (load: Part, server: RunningServer) => Promise<string>,
): Promise<string> {
  const process = parts.start('server', kind);
  const server = { ...(await process.next<Omit<RunningServer, 'process'>>()), process };
  const load = parts.start('load');
  await fill(load, server.access);
  const result = await run(load, server);
  await load.stop();
  await process.stop();
  return result;
}

const watchers = 200;
const eventsPerSecond = 500;
const watchSeconds = 10;

async function watching(load: Part, { access }: RunningServer): Promise<string> {
  const result = await load.ask<Watched>({
    do: 'watch',
    access,
    path: `${podCollection()}?watch=true&resourceVersion=${await revision(access)}`,
    watchers,
    eventsPerSecond,
    seconds: watchSeconds,
    targets: podPaths(),
  } satisfies ToLoad);
  const lost = result.written - result.fewest;
  return markdownTable(
    ['watchers', 'events/s', 'wanted', 'events to each', 'lost', 'twice', 'in order', 'last one after'],
    [
      [
        String(watchers),
        Math.round(result.written / result.seconds).toLocaleString('en'),
        String(eventsPerSecond),
        result.written.toLocaleString('en'),
        String(lost),
        String(Math.max(0, result.most - result.written)),
        result.inOrder ? 'yes' : 'no',
        `${result.lagMs.toFixed(0)} ms`,
      ],
    ],
  );
}

export async function revision(access: RunningServer['access']): Promise<string> {
  const { get } = await import('node:https');
  const text = await new Promise<string>((resolve, reject) => {
    const { port, ca, certificate, key } = access;
    const path = `${podCollection()}?limit=1`;
    get({ host: '127.0.0.1', port, path, ca, cert: certificate, key }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (more: string) => {
        body += more;
      });
      response.on('end', () => resolve(body));
    }).on('error', reject);
  });
  return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

const nodes = 1_000;
const namespaces = 20;
const deploymentsEach = 10;
const replicas = 100;
const pods = namespaces * deploymentsEach * replicas;
const patienceMs = 600_000;

async function fleet(parts: Parts): Promise<string> {
  const process = parts.start('server', 'controllers');
  const { access } = await process.next<RunningServer>();
  const load = parts.start('load');
  const send = (requests: ReturnType<typeof nodeRequest>[]) =>
    load.ask({ do: 'send', access, requests, connections: 8 } satisfies ToLoad);
  const names = Array.from({ length: namespaces }, (_, i) => `team-${i}`);
  await send(names.map(namespaceRequest));
  await send(createNodes(nodes).map(nodeRequest));
  const before = await process.ask<Memory>({ do: 'memory' } satisfies ToServer);
  const begun = performance.now();
  await send(
    names.flatMap((namespace) =>
      Array.from({ length: deploymentsEach }, (_, i) => deploymentRequest(namespace, `web-${i}`, replicas)),
    ),
  );
  const spent = await untilReady(process, begun);
  // Status of owners and events follow a moment later.
  await setTimeout(2_000);
  const after = await process.ask<Memory>({ do: 'memory' } satisfies ToServer);
  await load.stop();
  await process.stop();
  return markdownTable(
    ['pods', 'nodes', 'created and Ready after', 'wanted', 'RSS per pod', 'wanted', 'heap per pod'],
    [
      [
        pods.toLocaleString('en'),
        nodes.toLocaleString('en'),
        seconds(spent),
        '90 s',
        kilobytes((after.rss - before.rss) / pods),
        '15 KB',
        kilobytes((after.heapUsed - before.heapUsed) / pods),
      ],
    ],
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

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
