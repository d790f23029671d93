import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createPki } from '../../../../embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../../../embedded-cluster/src/time/clock.ts';

export interface Listening {
  readonly port: number;
  /** Connections that are open now. */
  open(): number;
}

export function serve(listener: RequestListener): Promise<Listening> {
  return listen(createServer(listener));
}

/** With a certificate that no client has a reason to trust. */
export function serveTls(listener: RequestListener): Promise<Listening> {
  const { serverCertificate, serverKey } = createPki({ clock: realClock }).material;
  return listen(createHttpsServer({ cert: serverCertificate, key: serverKey }, listener));
}

/** Speaks whatever the test speaks. */
export function serveRaw(take: (socket: Socket) => void): Promise<Listening> {
  return listen(createTcpServer(take));
}

export function listen(server: Server, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      resolve({ port: (server.address() as AddressInfo).port, open: () => sockets.size });
    });
  });
}

/** A port on which nothing listens. */
export async function deadPort(): Promise<number> {
  const server = createTcpServer();
  const { port } = await new Promise<AddressInfo>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo)),
  );
  await new Promise((resolve) => server.close(resolve));
  return port;
}
