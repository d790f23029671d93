import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../telemetry/log.ts';
import { type Metrics, requestBuckets } from '../../../telemetry/metrics.ts';
import { answerBad } from '../answers.ts';
import { Deadline, deadlineFor, type WebhookClock } from '../deadline.ts';
import type { WebhookHandler } from '../handler.ts';
import {
  type BodyLimits,
  BodyMemory,
  type Caller,
  type CallerRules,
  proveCaller,
  readRequestBody,
  type Unproven,
} from './call.ts';
import { type AdmissionAnswer, encodeAnswer, type ReviewRequest, readReview } from './review.ts';

export interface FrontOptions {
  /** By path. */
  readonly handlers: ReadonlyMap<string, WebhookHandler>;
  readonly callers: CallerRules;
  readonly bodies: BodyLimits;
  /** Told of each connection on which a caller proved itself. */
  readonly proven?: (socket: Socket) => void;
  readonly clock: WebhookClock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
}

/** Which webhook a proven caller calls, or why none is. */
type Route =
  | { readonly ok: true; readonly path: string; readonly query: string; readonly handler: WebhookHandler }
  | { readonly ok: false; readonly reply: Reply; readonly allow?: string };

type Called = Extract<Route, { readonly ok: true }>;

interface Reply {
  readonly outcome: ExchangeOutcome;
  /** What is counted: the code of the refusal in a review, else the HTTP code. */
  readonly code: number;
  /** Absent: the client has closed its connection. */
  readonly http?: { readonly code: number; readonly type: string; readonly text: string; readonly close?: boolean };
}

const gone: Reply = { outcome: 'gone', code: 0 };

/** The same for everything that is not proven, whatever there is at the path. */
const unknownCaller: Reply = rejection(404, 'not found', true);

/**
 * One HTTP request -> one AdmissionReview -> one answer. The order is that of `onRequest`, `#serve` and `#answer`: who calls, which
 * webhook is called, the deadline, the body, the review, the handler. It counts the requests that wait for an answer.
 */
export class WebhookFront {
  readonly #options: FrontOptions;
  readonly #memory: BodyMemory;
  readonly #idle: (() => void)[] = [];
  #pending = 0;
  #closing = false;
  #keeps = true;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#memory = new BodyMemory(options.bodies);
  }

  get pending(): number {
    return this.#pending;
  }

  /** From now on every answer ends its connection, so that API servers connect to other replicas. */
  startClosing(): void {
    this.#closing = true;
  }

  /** Whether clients may keep their connections after an answer. */
  keepConnections(keep: boolean): void {
    this.#keeps = keep;
  }

  /** Calls back once when no request waits for an answer. */
  whenIdle(callback: () => void): void {
    if (this.#pending === 0) callback();
    else this.#idle.push(callback);
  }

  async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, metrics } = this.#options;
    const started = clock.monotonic();
    this.#count(1);
    response.once('close', () => this.#count(-1));
    const proving = proveCaller(request, this.#options.callers);
    const caller = proving instanceof Promise ? await proving : proving;
    const route = this.#routeOf(request, caller);
    const reply = route.ok ? await this.#serve(request, response, route) : route.reply;
    if (!route.ok && route.allow !== undefined) response.setHeader('allow', route.allow);
    this.#send(response, reply);
    const webhook = route.ok ? route.path : 'none';
    metrics.call({ webhook, outcome: reply.outcome, code: reply.code, seconds: (clock.monotonic() - started) / 1000 });
  }

  #count(change: 1 | -1): void {
    this.#pending += change;
    this.#options.metrics.pending(this.#pending);
    if (this.#pending === 0) for (const callback of this.#idle.splice(0)) callback();
  }

  #routeOf(request: IncomingMessage, caller: Caller): Route {
    const { callers, handlers, metrics } = this.#options;
    if (caller.kind === 'unproven') {
      metrics.unproven(caller.lacks);
      callers.onUnproven?.(caller.lacks, request.socket.remoteAddress ?? '');
      return { ok: false, reply: unknownCaller };
    }
    this.#options.proven?.(request.socket);
    return routeOf(request, caller, handlers);
  }

  async #serve(request: IncomingMessage, response: ServerResponse, route: Called): Promise<Reply> {
    const { clock, bodies } = this.#options;
    const deadline = new Deadline(clock, deadlineFor(route.query));
    response.once('close', () => {
      if (!response.writableEnded) deadline.end('gone');
    });
    try {
      const body = await readRequestBody(request, bodies, this.#memory, deadline);
      switch (body.kind) {
        case 'read':
          try {
            return await this.#answer(body.bytes, route, deadline);
          } finally {
            body.release();
          }
        case 'tooLarge':
          return rejection(413, `a review has at most ${bodies.maxBytes} bytes`, true);
        case 'busy':
          return rejection(503, 'the webhook reads too many large requests at once', true);
        case 'late':
          return { ...rejection(408, 'the request body did not arrive in time', true), outcome: 'late' };
        case 'gone':
          return gone;
      }
    } finally {
      deadline.release();
    }
  }

  async #answer(bytes: Buffer, route: Called, deadline: Deadline): Promise<Reply> {
    const read = readReview(bytes);
    if (!read.ok) {
      this.#options.log.warn('admission review is not valid', { webhook: route.path, problem: read.problem });
      return read.uid === undefined
        ? { ...rejection(400, read.problem), outcome: 'bad' }
        : reviewReply(read.uid, answerBad(read.problem), 'bad');
    }
    const { request } = read;
    try {
      const answer = await unlessOver(route.handler.answer(request, { deadline }), deadline);
      if (answer !== undefined) return reviewReply(request.uid, answer, answer.allowed ? 'allowed' : 'denied');
      if (deadline.reason === 'gone') return gone;
      this.#tell('admission timed out', request, route);
      return reviewReply(request.uid, route.handler.inDoubt(request, 'late'), 'late');
    } catch (error) {
      this.#tell('admission failed', request, route, error);
      return this.#doubt(request, route);
    }
  }

  #doubt(request: ReviewRequest, route: Called): Reply {
    try {
      return reviewReply(request.uid, route.handler.inDoubt(request, 'failed'), 'failed');
    } catch (error) {
      this.#tell('admission failed, and so did its fail-closed answer', request, route, error);
      return { ...rejection(500, 'the webhook failed'), outcome: 'failed' };
    }
  }

  #tell(message: string, request: ReviewRequest, route: Called, error?: unknown): void {
    const { namespace, name, operation, uid } = request;
    this.#options.log.error(message, { webhook: route.path, namespace, name, operation, uid, error });
  }

  #send(response: ServerResponse, reply: Reply): void {
    const { http } = reply;
    if (http === undefined || response.destroyed) {
      response.destroy();
      return;
    }
    if (this.#closing || !this.#keeps || http.close === true) response.setHeader('connection', 'close');
    response.writeHead(http.code, { 'content-type': http.type, 'content-length': Buffer.byteLength(http.text) });
    response.end(http.text);
  }
}

function routeOf(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  { path, query }: Extract<Caller, { readonly kind: 'proven' }>,
  handlers: ReadonlyMap<string, WebhookHandler>,
): Route {
  const handler = handlers.get(path);
  const no = (code: number, problem: string) => ({ ok: false, reply: rejection(code, problem) }) as const;
  if (handler === undefined) return no(404, 'there is no webhook at this path');
  if (request.method !== 'POST') return { ...no(405, 'a webhook takes POST'), allow: 'POST' };
  if (!isJson(request.headers['content-type'])) return no(415, 'a webhook takes application/json');
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return no(415, 'a webhook takes no compressed bodies');
  return { ok: true, path, query, handler };
}

function isJson(type: string | undefined): boolean {
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** The handler's answer, or undefined when the request is over first. An answer that comes later is dropped. */
function unlessOver<T>(answer: Promise<T>, deadline: Deadline): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const unsubscribe = deadline.onEnd(() => resolve(undefined));
    answer.then(resolve, reject).finally(unsubscribe);
  });
}

function reviewReply(uid: string, answer: AdmissionAnswer, outcome: ExchangeOutcome): Reply {
  const text = encodeAnswer(uid, answer);
  return { outcome, code: answer.allowed ? 200 : answer.code, http: { code: 200, type: 'application/json', text } };
}

function rejection(code: number, problem: string, close = false): Reply {
  return { outcome: 'rejected', code, http: { code, type: 'text/plain; charset=utf-8', text: `${problem}\n`, close } };
}

/** How a call ended. */
export type ExchangeOutcome =
  | 'allowed'
  | 'denied'
  /** The review could not be understood. */
  | 'bad'
  /** The deadline passed. */
  | 'late'
  /** The handler failed. */
  | 'failed'
  /** It was no call of a webhook: wrong path, method, type or size. */
  | 'rejected'
  /** The client went away before there was an answer. */
  | 'gone';

export interface Call {
  /** The path of the webhook; `none` for calls that met none. */
  readonly webhook: string;
  readonly outcome: ExchangeOutcome;
  /** Of the refusal in the review, else of the HTTP answer. */
  readonly code: number;
  readonly seconds: number;
}

export interface WebhookMetrics {
  call(call: Call): void;
  handshakeFailed(): void;
  unproven(lacks: Unproven): void;
  pending(count: number): void;
}

export function createWebhookMetrics(metrics: Metrics): WebhookMetrics {
  const calls = metrics.counter({
    name: 'webhook_calls_total',
    help: 'Calls of the admission webhooks, by webhook, outcome and HTTP code.',
    labels: ['webhook', 'outcome', 'code'],
  });
  const seconds = metrics.histogram(
    {
      name: 'webhook_call_duration_seconds',
      help: 'Duration of webhook calls, from the request header to the answer.',
      labels: ['webhook'],
    },
    requestBuckets,
  );
  const handshakes = metrics.counter({
    name: 'webhook_tls_failures_total',
    help: 'TLS handshakes that failed.',
    labels: [],
  });
  const unproven = metrics.counter({
    name: 'webhook_unproven_calls_total',
    help: 'Webhook calls that did not prove to come from an API server, by what they lacked. Each was answered 404.',
    labels: ['lacks'],
  });
  const pending = metrics.gauge({
    name: 'webhook_calls_pending',
    help: 'Webhook calls that are not answered yet.',
    labels: [],
  });
  return {
    call({ webhook, outcome, code, seconds: took }) {
      calls.add({ webhook, outcome, code: String(code) });
      seconds.observe({ webhook }, took);
    },
    handshakeFailed: () => handshakes.add({}),
    unproven: (lacks) => unproven.add({ lacks }),
    pending: (count) => pending.set({}, count),
  };
}
