import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { listenOn } from '../../telemetry/health/listen.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { BodyLimits } from './body.ts';
import type { CallerRules, ClientRules } from './caller.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import type { WebhookClock } from './deadline.ts';
import { WebhookFront } from './exchange.ts';
import type { WebhookHandler } from './handler.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** As PEM text. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface WebhookServerOptions extends WebhookTerms {
  /** Absent: all addresses. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  readonly keyPair: KeyPair;
}

/** What does not depend on where it listens. */
export interface WebhookTerms {
  /** By path, as the webhook configurations name it. */
  readonly handlers: ReadonlyMap<string, WebhookHandler>;
  /** Whom to listen to. */
  readonly callers: CallerRules;
  readonly clock: WebhookClock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  readonly limits?: LimitWishes;
}

interface WebhookLimits {
  readonly bodies: BodyLimits;
  readonly connections: ConnectionLimits;
  /** Of API servers and unproven ones together: what the process has file descriptors for. */
  readonly maxConnections: number;
}

/** Those that are to be other than they come. */
export interface LimitWishes {
  readonly bodies?: Partial<BodyLimits>;
  readonly connections?: Partial<ConnectionLimits>;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const defaultLimits: WebhookLimits = {
  bodies: {
    // An old and a new object of 3 MiB, the most that an API server takes, and what is around them.
    maxBytes: 7 * mebibyte,
    maxReadingBytes: 64 * mebibyte,
    smallShareBytes: 24 * mebibyte,
    smallBytes: 256 * kibibyte,
    graceMs: 2_000,
    minBytesPerSecond: mebibyte,
  },
  // About 40 KiB each, so 80 MiB at most. An API server has at most some hundred calls under way at the same time.
  connections: { maxUnproven: 2_000, maxUnprovenPerAddress: 1_000, provenWithinMs: 5_000 },
  maxConnections: 8_000,
};

/** API servers keep idle connections for 90 seconds. It must be they who close them, or they find a connection reset. */
const keepAliveMs = 120_000;
const headersMs = keepAliveMs + 5_000;
const requestMs = headersMs + 5_000;
const handshakeMs = 4_000;
const maxHeaderBytes = 16 * 1024;

export type Rotation = { readonly ok: true } | { readonly ok: false; readonly problem: string };

export interface WebhookServer {
  readonly port: number;
  /** Requests that wait for an answer. */
  pending(): number;
  /** New connections get this certificate; those that exist go on. A pair that does not fit is refused, and nothing changes. */
  rotate(keyPair: KeyPair): Rotation;
  /** Ends each connection with its next answer from now on, and closes those that are idle. To be called again while that is wanted. */
  releaseConnections(): void;
  /** Clients may keep connections again. */
  keepConnections(): void;
  /** Goes on answering, and ends each connection with its next answer. An idle one stays: a request may be on its way on it. */
  drain(): void;
  /** Stops listening, closes idle connections, waits for the requests under way, at most this long, and tells how many were cut off. */
  close(limitMs: number): Promise<{ readonly dropped: number }>;
}

export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const limits = limitsOf(options.limits);
  const { clock, log, metrics } = options;
  const { clients } = options.callers;
  const server = createServer({
    ...tlsOptions(options.keyPair, clients),
    ...(clients === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
    handshakeTimeout: handshakeMs,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    maxHeaderSize: maxHeaderBytes,
    noDelay: true,
  });
  server.maxConnections = limits.maxConnections;
  const connections = new Connections(server, clock, limits.connections);
  const front = frontOf(options, (socket) => connections.prove(socket));
  server.on('request', (request, response) => void front.onRequest(request, response));
  server.on('tlsClientError', (error) => {
    metrics.handshakeFailed();
    log.debug('TLS handshake failed', { error: error.message });
  });
  const port = await listenOn(server, options.port, options.host);
  return {
    port,
    pending: () => front.pending,
    rotate: (keyPair) => rotate(server, keyPair, clients),
    releaseConnections: () => {
      front.keepConnections(false);
      connections.closeIdle();
    },
    keepConnections: () => front.keepConnections(true),
    drain: () => front.startClosing(),
    close: (limitMs) => close(server, front, clock, limitMs).finally(() => connections.close()),
  };
}

export function frontOf(terms: WebhookTerms, proven: (socket: Socket) => void): WebhookFront {
  const { handlers, callers, clock, log, metrics, limits } = terms;
  const { bodies } = limitsOf(limits);
  return new WebhookFront({ handlers, callers, bodies, proven, clock, log, metrics });
}

function limitsOf(wishes: LimitWishes = {}): WebhookLimits {
  const { bodies, connections, maxConnections } = defaultLimits;
  return {
    bodies: { ...bodies, ...wishes.bodies },
    connections: { ...connections, ...wishes.connections },
    maxConnections,
  };
}

function tlsOptions({ certificate, key }: KeyPair, clients: ClientRules | undefined) {
  const authorities = clients === undefined ? {} : { ca: clients.authorities };
  return { cert: certificate, key, minVersion: 'TLSv1.3', ...authorities } as const;
}

function rotate(server: Server, keyPair: KeyPair, clients: ClientRules | undefined): Rotation {
  const options = tlsOptions(keyPair, clients);
  try {
    createSecureContext(options);
    server.setSecureContext(options);
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function close(
  server: Server,
  front: WebhookFront,
  clock: WebhookClock,
  limitMs: number,
): Promise<{ readonly dropped: number }> {
  front.startClosing();
  // This ends the idle ones, too.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await new Promise<void>((resolve) => {
    const timer = clock.after(limitMs, resolve);
    front.whenIdle(() => {
      timer.cancel();
      resolve();
    });
  });
  const dropped = front.pending;
  server.closeAllConnections();
  await closed;
  return { dropped };
}
