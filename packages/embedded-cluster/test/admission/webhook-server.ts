import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../../src/objects.ts';
import { type Name, type ServerCertificate, serverCertificate } from './certificates.ts';

export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: JsonObject & { readonly uid: string };
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly review: Review;
}

/** What the server does with a call: fields of a v1 response, or anything at all with the raw answer. */
export type Handler = (
  received: Received,
  answer: ServerResponse,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  readonly ca: string;
  readonly received: readonly Received[];
  readonly connections: () => number;
  handle(path: string, handler: Handler): void;
  /** Done when the connections are closed on this side. */
  closeIdle(): Promise<void>;
  close(): Promise<void>;
}

export const loopback: readonly Name[] = [{ type: 'ip', value: '127.0.0.1' }];

export async function startWebhookServer(certificate?: ServerCertificate): Promise<WebhookServer> {
  const { ca, cert, key } = certificate ?? (await serverCertificate(loopback));
  const handlers = new Map<string, Handler>();
  const received: Received[] = [];
  let connections = 0;
  const server = createServer({ cert, key }, (incoming, answer) => {
    void answerTo(incoming, answer, handlers, received);
  });
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca,
    received,
    connections: () => connections,
    handle: (path, handler) => handlers.set(path, handler),
    async closeIdle() {
      const closed = [...sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', resolve)));
      server.closeIdleConnections();
      await Promise.all(closed);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
}

async function answerTo(
  incoming: IncomingMessage,
  answer: ServerResponse,
  handlers: ReadonlyMap<string, Handler>,
  received: Received[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const url = incoming.url ?? '';
  const call: Received = { path: url, headers: incoming.headers, text, review: JSON.parse(text) as Review };
  received.push(call);
  const handler = handlers.get(url.split('?')[0] ?? '') ?? (() => ({ allowed: true }));
  const response = await handler(call, answer);
  if (response === undefined) return;
  const { kind, apiVersion } = call.review;
  answer.setHeader('content-type', 'application/json');
  answer.end(JSON.stringify({ kind, apiVersion, response: { uid: call.review.request.uid, ...response } }));
}

export function patchOf(...operations: readonly JsonObject[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
