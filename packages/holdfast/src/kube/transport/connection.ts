import { failed, type Outcome, succeeded } from '../outcome/failure.ts';
import type { Clock } from '../time/clock.ts';
import {
  attemptOf,
  failedAttempt,
  type RequestAttempt,
  readResponseBody,
  type Send,
  type Sent,
  Timebox,
} from './attempt.ts';
import { Http1 } from './http1.ts';
import type { PingLimits } from './pinged-session.ts';
import type { ClientIdentity, ServerTarget } from './target.ts';
import { WatchSessions } from './watch-sessions.ts';
import {
  bodyFailure,
  connectionFailure,
  credentialsFailure,
  endFailure,
  type OpenedWatch,
  type ResponseBody,
  type WatchProof,
  type WireRequest,
} from './wire.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  /** How soon watches are known to be dead. Absent: nothing is done to find out. */
  readonly pings?: PingLimits;
}

const defaultMaxBytes = 64 * 1024 * 1024;

/** One API server. Connections are shared by everything that talks to it. */
export class Connection {
  readonly #target: ServerTarget;
  readonly #options: ConnectionOptions;
  readonly #http1: Http1;
  readonly #sessions: WatchSessions | undefined;

  constructor(target: ServerTarget, options: ConnectionOptions) {
    this.#target = target;
    this.#options = options;
    this.#http1 = new Http1(target, options.userAgent);
    const { clock, userAgent, pings } = options;
    // A connection within this process cannot die without being closed, unless the process simulates a network.
    const isLocal = target.connect !== undefined && target.connectionsDie !== true;
    if (pings === undefined || isLocal) return;
    this.#sessions = new WatchSessions({ target, clock, userAgent, pings, died: () => this.#http1.dropIdle() });
  }

  /** The whole answer, as text. */
  async exchange(request: WireRequest): Promise<Outcome<string>> {
    const timebox = new Timebox(this.#options.clock, request.deadlineMs, request.signal);
    try {
      const opened = await this.#open(request, timebox, this.#overHttp1);
      if (!opened.ok) return opened;
      const body = await readResponseBody(opened.value, request.maxBytes ?? defaultMaxBytes);
      if (body.ok) return succeeded(body.text);
      return failed(bodyFailure(body.problem, body.tooLarge, timebox, request));
    } finally {
      timebox.close();
    }
  }

  /** An answer to be read while it arrives. The deadline ends with its head; the signal ends the body, too. */
  open(request: WireRequest): Promise<Outcome<ResponseBody>> {
    return this.#stream(request, this.#overHttp1);
  }

  /** The same, for an answer that has no end. What is asked for may depend on how it will be known to be alive. */
  async openWatch(
    terms: Pick<WireRequest, 'deadlineMs' | 'signal'>,
    pathFor: (proof: WatchProof['kind']) => string,
  ): Promise<Outcome<OpenedWatch>> {
    let proof: WatchProof = { kind: this.#sessions === undefined ? 'trusted' : 'renewed' };
    const send: Send = async (request, identity, timebox) => {
      const session = await this.#session(identity, timebox);
      if (session instanceof Error) return failedAttempt(connectionFailure(session, false, request));
      proof = session?.proof ?? proof;
      const asked = { ...request, path: pathFor(proof.kind) };
      return session === undefined
        ? this.#http1.send(asked, identity, timebox)
        : session.send(asked, identity, timebox);
    };
    const opened = await this.#stream({ ...terms, method: 'GET', path: pathFor(proof.kind) }, send);
    return opened.ok ? succeeded({ body: opened.value, proof, lost: () => this.#http1.dropIdle() }) : opened;
  }

  close(): void {
    this.#sessions?.close();
    this.#http1.close();
  }

  readonly #overHttp1: Send = (request, identity, timebox) => this.#http1.send(request, identity, timebox);

  async #session(identity: ClientIdentity, timebox: Timebox) {
    const obtained = this.#sessions?.obtain(identity.tls);
    if (obtained === undefined) return undefined;
    try {
      return await untilEnd(obtained, timebox);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #stream(request: WireRequest, send: Send): Promise<Outcome<ResponseBody>> {
    const timebox = new Timebox(this.#options.clock, request.deadlineMs, request.signal);
    const opened = await this.#open(request, timebox, send);
    timebox.lift();
    if (opened.ok) opened.value.once('close', () => timebox.close());
    else timebox.close();
    return opened;
  }

  async #open(request: WireRequest, timebox: Timebox, send: Send): Promise<Outcome<ResponseBody>> {
    const first = await this.#attempt(request, timebox, send);
    const again =
      (first.kind === 'failed' && first.stale) ||
      (first.kind === 'refused' && first.failure.code === 401 && this.#target.forget());
    const last = again && timebox.ended === undefined ? await this.#attempt(request, timebox, send) : first;
    return last.kind === 'opened' ? succeeded(last.body) : failed(last.failure);
  }

  async #attempt(request: WireRequest, timebox: Timebox, send: Send): Promise<RequestAttempt> {
    let identity: ClientIdentity | undefined;
    try {
      identity = await untilEnd(this.#target.identity(), timebox);
    } catch (error) {
      return failedAttempt(credentialsFailure(error));
    }
    if (identity === undefined) return failedAttempt(endFailure(timebox, false, request));
    const sent: Sent = await send(request, identity, timebox);
    return attemptOf(sent, timebox, request);
  }
}

/** Undefined when time is up first. */
function untilEnd<T>(promise: Promise<T>, timebox: Timebox): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    timebox.onEnd(() => resolve(undefined));
    promise.then(resolve, reject);
  });
}
