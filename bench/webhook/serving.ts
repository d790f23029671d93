import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../packages/embedded-cluster/src/time/clock.ts';
import type { ApiServer } from './api-server.ts';
import type { Collection, Versions } from './collection.ts';
import type { Kind } from './kinds.ts';
import type { Endpoint } from './messages.ts';
import { bookmarkLine } from './reading.ts';

/** As often as real API servers send them. */
const bookmarkMs = 60_000;

export interface Served {
  readonly api: ApiServer;
  readonly versions: Versions;
  readonly collections: ReadonlyMap<Kind, Collection>;
}

/** Serves over TLS, and tells the parent process where. */
export async function serveApi({ api, versions, collections }: Served): Promise<void> {
  const { material } = createPki({ clock: realClock });
  const server = createServer({
    cert: material.serverCertificate,
    key: material.serverKey,
    noDelay: true,
    // It is the client that closes idle connections, or it finds them reset.
    keepAliveTimeout: 120_000,
  });
  server.on('request', (request, response) => {
    api.handle(request, response).catch((error: unknown) => {
      console.error(request.method, request.url, error);
      response.destroy();
    });
  });
  setInterval(() => {
    for (const { kind, feed } of collections.values()) feed.bookmark(bookmarkLine(kind, versions.last));
  }, bookmarkMs);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.send?.({ port: (server.address() as AddressInfo).port, ca: material.caCertificate } satisfies Endpoint);
}
