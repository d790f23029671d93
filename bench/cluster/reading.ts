import { markdownTable } from '../core/measure.ts';
import type { Access, Hammered, ToBareServer, ToLoad } from './messages.ts';
import { accountRequest, namespaceRequest, podRequest } from './objects.ts';
import type { Part, Parts } from './parts.ts';

export interface RunningServer {
  readonly access: Access;
  readonly pki: ToBareServer['pki'];
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

/** GET and LIST, and the same bytes from a server that does nothing else. */
export async function reading(parts: Parts, load: Part, { access, pki }: RunningServer): Promise<string> {
  const paths = podPaths();
  const bodies = await download(access, [...paths, collection]);
  const bare = parts.start('bare-server');
  const { port } = await bare.ask<{ port: number }>({ do: 'serve', pki, answers: bodies } satisfies ToBareServer);
  const rows: string[][] = [];
  for (const [what, wanted, connections, limit] of [
    ['GET of a pod', paths, 32, 8_000],
    [`LIST of ${pods} pods`, [collection], 8, 300],
  ] as const) {
    const ask = (to: Access): Promise<Hammered> =>
      load.ask({ do: 'hammer', access: to, paths: wanted, connections, seconds } satisfies ToLoad);
    const alone = await ask({ ...access, port });
    const ours = await ask(access);
    if (ours.failures + alone.failures > 0) throw new Error(`${what}: some answers were no successes`);
    rows.push([
      what,
      kilobytes(ours.bytes / ours.answers),
      perSecond(ours),
      `${limit.toLocaleString('en')}`,
      perSecond(alone),
      `${Math.round((100 * rateOf(ours)) / rateOf(alone))} %`,
    ]);
  }
  await bare.stop();
  return markdownTable(['what', 'size', 'answers/s', 'wanted', 'bare node:https, same bytes', 'ratio'], rows);
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

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
