import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { listenOn } from '../../../telemetry/health/listen.ts';
import type { Logger } from '../../../telemetry/log.ts';
import type { KeyPair } from '../../../trust/material.ts';
import type { WebhookClock } from '../deadline.ts';
import type { WebhookHandler } from '../handler.ts';
import type { BodyLimits, CallerRules, ClientRules } from './call.ts';
import { WebhookFront, type WebhookMetrics } from './exchange.ts';

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
  readonly limits?: LimitOverrides;
}

interface WebhookLimits {
  readonly bodies: BodyLimits;
  readonly connections: ConnectionLimits;
  /** Of API servers and unproven ones together: what the process has file descriptors for. */
  readonly maxConnections: number;
}

/** Those that are to be other than they come. */
export interface LimitOverrides {
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
  let { keyPair } = options;
  const server = createServer({
    ...tlsOptions(keyPair, clients),
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
  clients?.authorities.onChange(() => {
    const rotated = rotate(server, keyPair, clients);
    if (!rotated.ok) log.error('the authorities of client certificates cannot be used', { problem: rotated.problem });
  });
  const port = await listenOn(server, options.port, options.host);
  return {
    port,
    pending: () => front.pending,
    rotate: (next) => {
      const rotated = rotate(server, next, clients);
      if (rotated.ok) keyPair = next;
      return rotated;
    },
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

function limitsOf(overrides: LimitOverrides = {}): WebhookLimits {
  const { bodies, connections, maxConnections } = defaultLimits;
  return {
    bodies: { ...bodies, ...overrides.bodies },
    connections: { ...connections, ...overrides.connections },
    maxConnections,
  };
}

function tlsOptions({ certificate, key }: KeyPair, clients: ClientRules | undefined) {
  const authorities = clients === undefined ? {} : { ca: clients.authorities.current() };
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

export interface ConnectionLimits {
  /** Connections on which no call has been proven yet. */
  readonly maxUnproven: number;
  /** Of one address. Many API servers, or a balancer, may share one: room for the calls that they begin at the same moment. */
  readonly maxUnprovenPerAddress: number;
  /** From the connection to the head of a call that proves its caller: handshake, head, and a look at what is accepted. */
  readonly provenWithinMs: number;
}

/**
 * A connection that was used so recently may be carrying the next request already, and API servers do not repeat a call that was cut
 * off. It ends with the answer to that request instead.
 */
const restMs = 1_000;

interface UnprovenConnection {
  readonly socket: Socket;
  readonly address: string;
  readonly since: number;
}

/**
 * The connections of a webhook server. One on which a call was proven is an API server's, and stays as long as that wants. All others
 * have little time, and little room: when that is full, the next connection takes the place of the oldest of the address that has
 * most. An API server proves itself within milliseconds, so that the oldest is one that does not mean to.
 */
class Connections {
  readonly #clock: WebhookClock;
  readonly #limits: ConnectionLimits;
  /** By the address and port of the other end, the oldest first. */
  readonly #unproven = new Map<string, UnprovenConnection>();
  readonly #byAddress = new Map<string, number>();
  /** Without a request under way: since when. */
  readonly #idleSince = new Map<Socket, number>();
  #timer: { cancel(): void } | undefined;

  constructor(server: Server, clock: WebhookClock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
    server.on('connection', (socket) => {
      if (socket instanceof Socket) this.#begin(socket);
    });
    server.on('secureConnection', (socket) => {
      this.#rest(socket);
      socket.once('close', () => this.#idleSince.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      this.#idleSince.delete(socket);
      response.once('close', () => {
        if (!socket.destroyed) this.#rest(socket);
      });
    });
  }

  /** A call on this connection was proven. */
  prove(socket: Socket): void {
    this.#forget(keyOf(socket));
  }

  /** Closes those that have been idle for a moment. */
  closeIdle(): void {
    const now = this.#clock.monotonic();
    for (const [socket, since] of this.#idleSince) if (now - since >= restMs) socket.destroy();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #rest(socket: Socket): void {
    this.#idleSince.set(socket, this.#clock.monotonic());
  }

  #begin(socket: Socket): void {
    const key = keyOf(socket);
    const address = socket.remoteAddress;
    if (address === undefined) return void socket.destroy();
    const { maxUnproven, maxUnprovenPerAddress } = this.#limits;
    if ((this.#byAddress.get(address) ?? 0) >= maxUnprovenPerAddress) this.#displace(address);
    else if (this.#unproven.size >= maxUnproven) this.#displace(this.#busiestAddress());
    this.#unproven.set(key, { socket, address, since: this.#clock.monotonic() });
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.#forget(key));
    this.#watch();
  }

  #busiestAddress(): string {
    let [busiest, most] = ['', 0];
    for (const [address, count] of this.#byAddress) if (count > most) [busiest, most] = [address, count];
    return busiest;
  }

  #displace(address: string): void {
    for (const [key, one] of this.#unproven) {
      if (one.address !== address) continue;
      this.#forget(key);
      one.socket.destroy();
      return;
    }
  }

  #forget(key: string): void {
    const one = this.#unproven.get(key);
    if (one === undefined) return;
    this.#unproven.delete(key);
    const left = (this.#byAddress.get(one.address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(one.address, left);
    else this.#byAddress.delete(one.address);
    if (this.#unproven.size === 0) this.close();
  }

  /** One timer, for the oldest. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const [oldest] = this.#unproven.values();
    if (oldest === undefined) return;
    const dueMs = oldest.since + this.#limits.provenWithinMs - this.#clock.monotonic();
    this.#timer = this.#clock.after(Math.max(0, dueMs), () => {
      this.#timer = undefined;
      this.#endOverdue();
      this.#watch();
    });
  }

  #endOverdue(): void {
    const now = this.#clock.monotonic();
    for (const [key, { socket, since }] of this.#unproven) {
      if (now - since < this.#limits.provenWithinMs) return;
      this.#forget(key);
      socket.destroy();
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
