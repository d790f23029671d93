import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createPki } from '../../../../embedded-cluster/src/auth/pki.ts';
import { realClock as clusterClock } from '../../../../embedded-cluster/src/time/clock.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { type Clock, realClock } from '../../../src/kube/time/clock.ts';
import { Connection } from '../../../src/kube/transport/connection.ts';
import { RateLimiter } from '../../../src/kube/transport/rate-limit.ts';
import type { ServerTarget } from '../../../src/kube/transport/target.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface SyntheticServer {
  readonly url: string;
  readonly caCertificate: string;
  /** Everything that was asked, as `GET /path?query`. */
  readonly asked: string[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A server that does whatever a test wants, good or bad. */
export async function syntheticServer(handler: Handler, tls = false): Promise<SyntheticServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const { material } = createPki({ clock: clusterClock });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    handler(request, response, Buffer.concat(chunks).toString());
  };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => {});
  const server = tls
    ? createTlsServer({ cert: material.serverCertificate, key: material.serverKey }, listener)
    : createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caCertificate: material.caCertificate,
    asked,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function status(code: number, reason: string, message = reason): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code };
}

export function plainTarget(url: string): ServerTarget {
  const tls = { ca: undefined, certificate: undefined, key: undefined };
  return {
    server: new URL(url),
    serverName: undefined,
    verify: true,
    identity: () => Promise.resolve({ tls, headers: {} }),
    forget: () => false,
  };
}

const generous = { perSecond: 100_000, burst: 100_000, concurrent: 1_000, waiting: 1_000 };

export function clientOf(connection: Connection, clock: Clock = realClock): KubeClient {
  return new KubeClient({ connection, clock, limiter: new RateLimiter(generous, clock), deadlineMs: 5_000 });
}

export function connect(target: ServerTarget): Connection {
  return new Connection(target, { clock: realClock, userAgent: 'holdfast-test' });
}

/** Waits, in real time, for something that is bound to happen. */
export async function until(done: () => boolean, what = 'it to happen'): Promise<void> {
  for (let waited = 0; !done(); waited += 5) {
    if (waited > 20_000) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
