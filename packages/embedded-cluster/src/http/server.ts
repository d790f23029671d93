import { createServer as createPlainServer, type Server as PlainServer, type ServerOptions as Terms } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PkiMaterial } from '../auth/pki.ts';
import { refuseClient } from './client-error.ts';
import { ApiFront, type FrontOptions } from './front.ts';

export interface ServerOptions extends FrontOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly pki: PkiMaterial;
  readonly limits?: Partial<ServerLimits>;
}

/** How long clients may take. */
export interface ServerLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Without taking anything of an answer that waits for it. */
  readonly stalledMs: number;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A server that is reached only by a connection that is handed to it. */
export interface InProcessServer {
  accept(connection: Duplex): void;
  close(): Promise<void>;
}

const defaultLimits: ServerLimits = { headersTimeoutMs: 20_000, requestTimeoutMs: 60_000, stalledMs: 60_000 };
/** Longer than Go's clients keep idle connections, so that it is they who close them. */
const keepAliveMs = 120_000;
/** Long selectors stand in the path. */
const common = { maxHeaderSize: 256 * 1024, keepAliveTimeout: keepAliveMs, noDelay: true } as const satisfies Terms;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...options.limits };
  const server = createServer({
    ...common,
    cert: options.pki.serverCertificate,
    key: options.pki.serverKey,
    ca: options.pki.caCertificate,
    requestCert: true,
    // Without a certificate a token may do; who has neither gets a 401 and not a broken connection.
    rejectUnauthorized: false,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.ceil(limits.headersTimeoutMs / 4),
  });
  server.timeout = limits.stalledMs;
  answerBy(new ApiFront(options), server);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, options.port);
  return { port: (server.address() as AddressInfo).port, close: () => close(server, sockets) };
}

/** Without a network no client is slow, and none has a certificate: a token has to say who asks. */
export function serveInProcess(options: FrontOptions): InProcessServer {
  const server = createPlainServer({ ...common, requestTimeout: 0, headersTimeout: 0 });
  const connections = new Set<Duplex>();
  answerBy(new ApiFront(options), server);
  return {
    accept(connection) {
      connections.add(connection);
      connection.once('close', () => connections.delete(connection));
      server.emit('connection', connection);
    },
    async close() {
      for (const connection of connections) connection.destroy();
      server.removeAllListeners();
    },
  };
}

function answerBy(api: ApiFront, server: PlainServer): void {
  server.on('request', (request, response) => void api.onRequest(request, response));
  server.on('upgrade', (request, socket, head) => void api.onUpgrade(request, socket, head));
  server.on('clientError', (error, socket) => refuseClient(error, socket, api.isAnswering(socket)));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Also connections whose handshake is not over: the server does not know them as its own yet, would serve them afterwards, and would not
 * be closed before their clients let go of them.
 */
function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
