import { createServer, type Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { listenOn } from '../../telemetry/health/listen.ts';
import type { Logger } from '../../telemetry/log.ts';
import { BodyMemory } from './body.ts';
import { WebhookFront } from './exchange.ts';
import type { WebhookHandler } from './handler.ts';
import { KeptConnections } from './kept-connections.ts';
import type { WebhookClock } from './webhook-clock.ts';
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
  readonly clock: WebhookClock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  readonly limits?: Partial<WebhookLimits>;
}

export interface WebhookLimits {
  /** Of one review: an old and a new object of 3 MiB, the most that an API server takes, and what is around them. */
  readonly maxBodyBytes: number;
  /** Of all reviews that are being read. */
  readonly maxReadingBytes: number;
  readonly maxConnections: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: WebhookLimits = {
  maxBodyBytes: 7 * mebibyte,
  maxReadingBytes: 64 * mebibyte,
  maxConnections: 2_000,
};

/** API servers keep idle connections for 90 seconds. It must be they who close them, or they find a connection reset. */
const keepAliveMs = 120_000;
const headersMs = keepAliveMs + 5_000;
const requestMs = headersMs + 5_000;
const handshakeMs = 10_000;
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
  const limits = { ...defaultLimits, ...options.limits };
  const { clock, log, metrics } = options;
  const front = frontOf(options);
  const server = createServer({
    ...tlsOptions(options.keyPair),
    handshakeTimeout: handshakeMs,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    maxHeaderSize: maxHeaderBytes,
    noDelay: true,
  });
  server.maxConnections = limits.maxConnections;
  server.on('request', (request, response) => void front.onRequest(request, response));
  server.on('tlsClientError', (error) => {
    metrics.handshakeFailed();
    log.debug('TLS handshake failed', { error: error.message });
  });
  const kept = new KeptConnections(server, clock);
  const port = await listenOn(server, options.port, options.host);
  return {
    port,
    pending: () => front.pending,
    rotate: (keyPair) => rotate(server, keyPair),
    releaseConnections: () => {
      front.keepConnections(false);
      kept.closeIdle();
    },
    keepConnections: () => front.keepConnections(true),
    drain: () => front.startClosing(),
    close: (limitMs) => close(server, front, clock, limitMs),
  };
}

export function frontOf({ handlers, clock, log, metrics, limits }: WebhookTerms): WebhookFront {
  const { maxBodyBytes, maxReadingBytes } = { ...defaultLimits, ...limits };
  return new WebhookFront({ handlers, maxBodyBytes, memory: new BodyMemory(maxReadingBytes), clock, log, metrics });
}

function tlsOptions({ certificate, key }: KeyPair) {
  return { cert: certificate, key, minVersion: 'TLSv1.3' } as const;
}

function rotate(server: Server, keyPair: KeyPair): Rotation {
  const options = tlsOptions(keyPair);
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
