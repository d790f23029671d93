import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { frontOf, type WebhookServer, type WebhookTerms } from './server.ts';

/** Webhooks that are reached only by a connection that is handed to them. */
export interface InProcessWebhooks extends WebhookServer {
  accept(connection: Duplex): void;
}

/** For simulations: the same answers without a network, and so without TLS. No client is slow there, so nothing is waited for. */
export function serveInProcess(terms: WebhookTerms): InProcessWebhooks {
  const front = frontOf(terms, () => undefined);
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 });
  server.on('request', (request, response) => void front.onRequest(request, response));
  const connections = new Set<Duplex>();
  return {
    port: 0,
    pending: () => front.pending,
    rotate: () => ({ ok: true }),
    releaseConnections: () => undefined,
    keepConnections: () => undefined,
    drain: () => front.startClosing(),
    async close() {
      const dropped = front.pending;
      for (const connection of connections) connection.destroy();
      return { dropped };
    },
    accept(connection) {
      connections.add(connection);
      connection.once('close', () => connections.delete(connection));
      server.emit('connection', connection);
    },
  };
}
