// A child process: an API server that has nothing but pods, and sends them as fast as they are taken.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../packages/embedded-cluster/src/time/clock.ts';
import { bigPod } from './big-pod.ts';

const podCount = Number(process.argv[2]);
const eventCount = Number(process.argv[3]);
const tls = process.argv[4] === 'tls';

const pods = Array.from({ length: podCount }, (_, index) => JSON.stringify(bigPod(index, 1_000 + index)));
const watches = new Set<ServerResponse>();

function page(query: URLSearchParams): string {
  const limit = Number(query.get('limit') ?? podCount);
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(podCount, from + limit);
  const metadata = { resourceVersion: '1000000', ...(to < podCount ? { continue: String(to) } : {}) };
  const head = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata });
  return `${head.slice(0, -1)},"items":[${pods.slice(from, to).join(',')}]}\n`;
}

/** As the real server does, each event is a chunk of its own. */
async function send(response: ServerResponse, lines: Iterable<string>): Promise<void> {
  for (const line of lines) {
    if (!response.write(line)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

function* state(): Generator<string> {
  for (const pod of pods) yield `{"type":"ADDED","object":${pod}}\n`;
  const metadata = { resourceVersion: '1000000', annotations: { 'k8s.io/initial-events-end': 'true' } };
  yield `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } })}\n`;
}

function* changes(): Generator<string> {
  for (let index = 0; index < eventCount; index += 1) {
    const pod = pods[(index * 7919) % podCount] ?? '';
    const version = `"resourceVersion":"${1_000_001 + index}"`;
    yield `{"type":"MODIFIED","object":${pod.replace(/"resourceVersion":"\d+"/, version)}}\n`;
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://server');
  if (url.pathname === '/start') {
    response.end('{}');
    for (const watch of watches) await send(watch, changes());
  } else if (url.searchParams.get('watch') === 'true') {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    if (url.searchParams.get('sendInitialEvents') === 'true') await send(response, state());
    watches.add(response);
    response.on('close', () => watches.delete(response));
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).end(page(url.searchParams));
  }
}

const { material } = createPki({ clock: realClock });
const listener = (request: IncomingMessage, response: ServerResponse) => void handle(request, response);
const server = tls
  ? createTlsServer({ cert: material.serverCertificate, key: material.serverKey }, listener)
  : createServer(listener);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const bytes = pods.reduce((sum, pod) => sum + pod.length, 0);
  process.send?.({ url: `http${tls ? 's' : ''}://127.0.0.1:${port}`, ca: material.caCertificate, bytes });
});
