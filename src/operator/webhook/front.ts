import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../telemetry/log.ts';
import { answerBad } from './answers.ts';
import { type BodyMemory, readBody } from './body.ts';
import { CallStop } from './call-stop.ts';
import { deadlineFor } from './deadline.ts';
import type { WebhookHandler } from './handler.ts';
import { type ReviewRequest, readReview } from './review.ts';
import { type AdmissionAnswer, encodeAnswer } from './review-answer.ts';
import { type Route, routeOf } from './route.ts';
import type { WebhookClock } from './webhook-clock.ts';
import type { Outcome, WebhookMetrics } from './webhook-metrics.ts';

export interface FrontOptions {
  /** By path. */
  readonly handlers: ReadonlyMap<string, WebhookHandler>;
  readonly maxBodyBytes: number;
  readonly memory: BodyMemory;
  readonly clock: WebhookClock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
}

interface Reply {
  readonly outcome: Outcome;
  /** What is counted: the code of the refusal in a review, else the HTTP code. */
  readonly code: number;
  /** Absent: there is nobody to answer. */
  readonly http?: { readonly code: number; readonly type: string; readonly text: string; readonly close?: boolean };
}

const gone: Reply = { outcome: 'gone', code: 0 };

/** Answers HTTP requests one by one; knows how many wait. */
export class WebhookFront {
  readonly #options: FrontOptions;
  readonly #idle: (() => void)[] = [];
  #pending = 0;
  #closing = false;
  #keeps = true;

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#pending;
  }

  /** From now on every answer ends its connection, so that clients go elsewhere. */
  startClosing(): void {
    this.#closing = true;
  }

  /** Whether clients may keep their connections after an answer. */
  keepConnections(keep: boolean): void {
    this.#keeps = keep;
  }

  /** Calls back once when nobody waits for an answer. */
  whenIdle(callback: () => void): void {
    if (this.#pending === 0) callback();
    else this.#idle.push(callback);
  }

  async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, metrics } = this.#options;
    const started = clock.monotonic();
    this.#count(1);
    response.once('close', () => this.#count(-1));
    const route = routeOf(request, this.#options.handlers);
    const reply = route.ok ? await this.#serve(request, response, route) : rejection(route.code, route.problem);
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

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    route: Extract<Route, { ok: true }>,
  ): Promise<Reply> {
    const stop = new CallStop();
    const timer = this.#options.clock.after(deadlineFor(route.query), () => stop.stop('late'));
    response.once('close', () => {
      if (!response.writableEnded) stop.stop('gone');
    });
    try {
      const body = await readBody(request, this.#options.maxBodyBytes, this.#options.memory, stop);
      switch (body.kind) {
        case 'read':
          try {
            return await this.#answer(body.bytes, route, stop);
          } finally {
            body.release();
          }
        case 'tooLarge':
          return rejection(413, `a review has at most ${this.#options.maxBodyBytes} bytes`, true);
        case 'busy':
          return rejection(503, 'too much is being read at the same time', true);
        case 'late':
          return { ...rejection(408, 'the body did not arrive in time', true), outcome: 'late' };
        case 'gone':
          return gone;
      }
    } finally {
      timer.cancel();
    }
  }

  async #answer(bytes: Buffer, route: Extract<Route, { ok: true }>, stop: CallStop): Promise<Reply> {
    const read = readReview(bytes);
    if (!read.ok) {
      this.#options.log.warn('bad admission review', { webhook: route.path, problem: read.problem });
      return read.uid === undefined
        ? { ...rejection(400, read.problem), outcome: 'bad' }
        : reviewReply(read.uid, answerBad(read.problem), 'bad');
    }
    this.#options.metrics.read(read.way);
    const { request } = read;
    try {
      const answer = await firstOf(route.handler.answer(request, stop), stop);
      if (answer !== undefined) return reviewReply(request.uid, answer, answer.allowed ? 'allowed' : 'denied');
      if (stop.reason === 'gone') return gone;
      this.#tell('admission took too long', request, route);
      return reviewReply(request.uid, route.handler.inDoubt(request, 'late'), 'late');
    } catch (error) {
      this.#tell('admission failed', request, route, error);
      return this.#doubt(request, route);
    }
  }

  #doubt(request: ReviewRequest, route: Extract<Route, { ok: true }>): Reply {
    try {
      return reviewReply(request.uid, route.handler.inDoubt(request, 'failed'), 'failed');
    } catch (error) {
      this.#tell('admission failed twice', request, route, error);
      return { ...rejection(500, 'the webhook failed'), outcome: 'failed' };
    }
  }

  #tell(message: string, request: ReviewRequest, route: Extract<Route, { ok: true }>, error?: unknown): void {
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

/** What the handler says, or undefined when nobody waits for it any more. What it says later is dropped. */
function firstOf<T>(work: Promise<T>, stop: CallStop): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    stop.listen(() => resolve(undefined));
    work.then(resolve, reject);
  });
}

function reviewReply(uid: string, answer: AdmissionAnswer, outcome: Outcome): Reply {
  const text = encodeAnswer(uid, answer);
  return { outcome, code: answer.allowed ? 200 : answer.code, http: { code: 200, type: 'application/json', text } };
}

function rejection(code: number, problem: string, close = false): Reply {
  return { outcome: 'rejected', code, http: { code, type: 'text/plain; charset=utf-8', text: `${problem}\n`, close } };
}
