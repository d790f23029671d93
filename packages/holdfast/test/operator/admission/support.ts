import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { createPki } from '../../../../embedded-cluster/src/auth/pki.ts';
import type { WebhookClock } from '../../../src/operator/admission/deadline.ts';
import type { WebhookHandler } from '../../../src/operator/admission/handler.ts';
import type { CallerRules } from '../../../src/operator/admission/wire/call.ts';
import { createWebhookMetrics } from '../../../src/operator/admission/wire/exchange.ts';
import { type LimitOverrides, startWebhookServer } from '../../../src/operator/admission/wire/server.ts';
import { barePaths } from '../../../src/operator/certificates/caller-paths.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import type { KeyPair } from '../../../src/trust/material.ts';

const realClock: WebhookClock = {
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Time stands still until the test says which wait is over. */
export class ManualClock implements WebhookClock {
  readonly #timers = new Set<{ readonly delayMs: number; readonly callback: () => void }>();

  monotonic(): number {
    return 0;
  }

  after(delayMs: number, callback: () => void): { cancel(): void } {
    const timer = { delayMs, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  waiting(): readonly number[] {
    return [...this.#timers].map((timer) => timer.delayMs);
  }

  /** Ends the waits of this length, which there must be. */
  fire(delayMs: number): void {
    const due = [...this.#timers].filter((timer) => timer.delayMs === delayMs);
    if (due.length === 0) throw new Error(`no timer waits ${delayMs} ms, but ${this.waiting().join(', ')}`);
    for (const timer of due) {
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

export interface Certified extends KeyPair {
  readonly ca: string;
}

/** A certificate for 127.0.0.1 by an authority of its own. */
export function newKeyPair(): Certified {
  const { caCertificate, serverCertificate, serverKey } = createPki({
    clock: { now: () => Date.now(), after: realClock.after },
  }).material;
  return { ca: caCertificate, certificate: serverCertificate, key: serverKey };
}

export const allowing: WebhookHandler = {
  answer: () => Promise.resolve({ allowed: true }),
  inDoubt: () => ({ allowed: true }),
};

export interface StartWish {
  readonly handler?: WebhookHandler;
  readonly clock?: WebhookClock;
  readonly limits?: LimitOverrides;
  /** Default: every client that knows the bare path. */
  readonly callers?: CallerRules;
}

export async function startServer(wish: StartWish = {}) {
  const keyPair = newKeyPair();
  const metrics = createMetrics();
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', now: () => 0, write: (line) => lines.push(line) });
  const server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    keyPair,
    handlers: new Map([['/judge', wish.handler ?? allowing]]),
    callers: wish.callers ?? { paths: barePaths },
    clock: wish.clock ?? realClock,
    log,
    metrics: createWebhookMetrics(metrics),
    ...(wish.limits === undefined ? {} : { limits: wish.limits }),
  });
  return { server, keyPair, metrics, lines };
}

export interface Answered {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sending {
  readonly agent: Agent;
  readonly port: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export function agentFor(...authorities: readonly Certified[]): Agent {
  return new Agent({ keepAlive: true, ca: authorities.map((one) => one.ca) });
}

export function send(sending: Sending): Promise<Answered> {
  const { agent, port, path = '/judge?timeout=10s', method = 'POST', headers } = sending;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: '127.0.0.1', port, path, method, agent, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ code: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    request.on('error', reject);
    request.end(sending.body);
  });
}

/** Turns of the event loop, until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
