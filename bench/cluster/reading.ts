import { markdownTable } from '../core/measure.ts';
import type { Access, Cpu, Hammered, ServeBytes, ToBareServer, ToLoad, ToServer } from './messages.ts';
import { accountRequest, namespaceRequest, podRequest } from './objects.ts';
import type { Part, Parts } from './parts.ts';

export interface RunningServer {
  readonly process: Part;
  readonly access: Access;
  readonly pki: ServeBytes['pki'];
}

const namespace = 'bench';
const pods = 500;
const seconds = 5;
const collection = `/api/v1/namespaces/${namespace}/pods`;

export function podPaths(): string[] {
  return Array.from({ length: pods }, (_, i) => `${collection}/pod-${i}`);
}

export function podCollection(): string {
  return collection;
}

export async function fill(load: Part, access: Access): Promise<void> {
  const requests = podPaths().map((path) => podRequest(namespace, path.slice(collection.length + 1)));
  const place = [namespaceRequest(namespace), accountRequest(namespace)];
  await load.ask({ do: 'send', access, requests: place, connections: 1 } satisfies ToLoad);
  await load.ask({ do: 'send', access, requests, connections: 8 } satisfies ToLoad);
}

const loads = [
  { what: 'GET of a pod', paths: podPaths(), connections: 32, wanted: 8_000 },
  { what: `LIST of ${pods} pods`, paths: [collection], connections: 8, wanted: 300 },
];

interface Measured extends Hammered {
  readonly cpuMicros: number;
}

/** GET and LIST, and the same bytes from a server that does nothing else. */
export async function reading(parts: Parts, load: Part, server: RunningServer): Promise<string> {
  const { access, pki } = server;
  const answers = await download(access, [...podPaths(), collection]);
  const bare = parts.start('bare-server');
  const { port } = await bare.ask<{ port: number }>({ do: 'serve', pki, answers } satisfies ToBareServer);
  const rows: string[][] = [];
  for (const { what, paths, connections, wanted } of loads) {
    const order = { do: 'hammer', paths, connections, seconds } as const;
    const alone = await hammer(load, bare, { ...order, access: { ...access, port } });
    const ours = await hammer(load, server.process, { ...order, access });
    if (ours.failures + alone.failures > 0) throw new Error(`${what}: some answers were no successes`);
    rows.push([what, kilobytes(ours.bytes / ours.answers), perSecond(ours), wanted.toLocaleString('en')]);
    rows.at(-1)?.push(micros(ours), perSecond(alone), micros(alone), percent(rateOf(ours) / rateOf(alone)));
  }
  await bare.stop();
  return markdownTable(
    ['what', 'size', 'answers/s', 'wanted', 'CPU each', 'bare node:https, same bytes: answers/s', 'CPU each', 'ratio'],
    rows,
  );
}

async function hammer(load: Part, server: Part, order: Extract<ToLoad, { do: 'hammer' }>): Promise<Measured> {
  await load.ask({ ...order, seconds: 1 } satisfies ToLoad);
  const before = await server.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  const result = await load.ask<Hammered>(order);
  const after = await server.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  return { ...result, cpuMicros: after.micros - before.micros };
}

async function download(access: Access, paths: readonly string[]): Promise<Record<string, string>> {
  const { Agent, get } = await import('node:https');
  const agent = new Agent({ keepAlive: true, ca: access.ca, cert: access.certificate, key: access.key });
  const bodies: Record<string, string> = {};
  for (const path of paths) {
    bodies[path] = await new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port: access.port, path, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString('base64')));
      }).on('error', reject);
    });
  }
  agent.destroy();
  return bodies;
}

function rateOf({ answers, seconds: spent }: Hammered): number {
  return answers / spent;
}

function perSecond(hammered: Hammered): string {
  return Math.round(rateOf(hammered)).toLocaleString('en');
}

function micros({ cpuMicros, answers }: Measured): string {
  return `${Math.round(cpuMicros / answers).toLocaleString('en')} us`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
