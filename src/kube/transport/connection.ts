import { type ClientRequest, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Failure, failed, type Outcome, succeeded } from '../outcome/failure.ts';
import { failureOf } from '../outcome/status.ts';
import type { Clock } from '../time/clock.ts';
import { Agents, addressOf } from './agents.ts';
import { readBody } from './body.ts';
import type { Identity, Target } from './target.ts';
import { Timebox } from './timebox.ts';
import { type Body, bodyFailure, connectionFailure, credentialsFailure, endFailure, type WireRequest } from './wire.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly userAgent: string;
}

const defaultMaxBytes = 64 * 1024 * 1024;
/** A Status is short; what is longer is a web page of something in between. */
const maxFailureBytes = 256 * 1024;

/** One API server. Connections are shared by everything that talks to it. */
export class Connection {
  readonly #target: Target;
  readonly #options: ConnectionOptions;
  readonly #agents: Agents;

  constructor(target: Target, options: ConnectionOptions) {
    this.#target = target;
    this.#options = options;
    this.#agents = new Agents(target);
  }

  /** The whole answer, as text. */
  async exchange(request: WireRequest): Promise<Outcome<string>> {
    const timebox = new Timebox(this.#options.clock, request.deadlineMs, request.signal);
    try {
      const opened = await this.#open(request, timebox);
      if (!opened.ok) return opened;
      const body = await readBody(opened.value, request.maxBytes ?? defaultMaxBytes);
      if (body.ok) return succeeded(body.text);
      return failed(bodyFailure(body.problem, body.tooLarge, timebox, request));
    } finally {
      timebox.close();
    }
  }

  /** An answer to be read while it arrives. The deadline ends with its head; the signal ends the body, too. */
  async open(request: WireRequest): Promise<Outcome<Body>> {
    const timebox = new Timebox(this.#options.clock, request.deadlineMs, request.signal);
    const opened = await this.#open(request, timebox);
    timebox.lift();
    if (opened.ok) opened.value.once('close', () => timebox.close());
    else timebox.close();
    return opened;
  }

  close(): void {
    this.#agents.close();
  }

  async #open(request: WireRequest, timebox: Timebox): Promise<Outcome<Body>> {
    const first = await this.#attempt(request, timebox);
    const again =
      (first.kind === 'failed' && first.stale) ||
      (first.kind === 'refused' && first.failure.code === 401 && this.#target.forget());
    const last = again && timebox.ended === undefined ? await this.#attempt(request, timebox) : first;
    return last.kind === 'opened' ? succeeded(last.body) : failed(last.failure);
  }

  async #attempt(request: WireRequest, timebox: Timebox): Promise<Attempt> {
    let identity: Identity | undefined;
    try {
      identity = await untilEnd(this.#target.identity(), timebox);
    } catch (error) {
      return failedAttempt(credentialsFailure(error));
    }
    if (identity === undefined) return failedAttempt(endFailure(timebox, false, request));
    const sent = await this.#send(request, identity, timebox);
    if (sent.kind !== 'opened') return sent;
    const code = sent.body.statusCode ?? 0;
    if (code >= 200 && code < 300) return sent;
    return refusal(sent.body, code, timebox, request);
  }

  #send(request: WireRequest, identity: Identity, timebox: Timebox): Promise<Attempt> {
    return new Promise((resolve) => {
      const sending = this.#begin(request, identity);
      if (sending instanceof Error) return resolve({ kind: 'refused', failure: credentialsFailure(sending) });
      let connected = false;
      sending.on('socket', (socket) => {
        if (!socket.connecting) connected = true;
        else
          socket.once(this.#target.server.protocol === 'http:' ? 'connect' : 'secureConnect', () => (connected = true));
      });
      sending.on('response', (body) => {
        // Whoever reads it sees the error, too; but nobody may be reading when it comes.
        body.on('error', () => {});
        resolve({ kind: 'opened', body });
      });
      sending.on('error', (error) => {
        if (timebox.ended !== undefined) return resolve(failedAttempt(endFailure(timebox, connected, request)));
        const failure = connectionFailure(error, connected, request);
        // A kept connection may have been closed by the other side meanwhile. Only what changes nothing is sent twice.
        resolve({ kind: 'failed', failure, stale: sending.reusedSocket && request.method === 'GET' });
      });
      timebox.onEnd(() => sending.destroy(new Error(timebox.ended)));
      sending.end(request.body);
    });
  }

  /** A certificate that cannot be read, or a header that cannot be sent, shows here. */
  #begin(request: WireRequest, identity: Identity): ClientRequest | Error {
    try {
      return this.#request(request, identity);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #request(request: WireRequest, identity: Identity): ClientRequest {
    const { server } = this.#target;
    const agent = this.#agents.for(identity.tls);
    const headers: Record<string, string | number | readonly string[]> = {
      accept: request.accept ?? 'application/json',
      'user-agent': this.#options.userAgent,
      ...identity.headers,
    };
    if (request.body !== undefined) {
      headers['content-type'] = request.contentType ?? 'application/json';
      // Node frames the body of a DELETE only when told its length; without, preconditions are silently lost.
      headers['content-length'] = Buffer.byteLength(request.body);
    }
    const path = `${server.pathname.replace(/\/$/, '')}${request.path}`;
    const options = {
      ...addressOf(server),
      method: request.method,
      path,
      headers: headers as OutgoingHttpHeaders,
      agent,
    };
    return server.protocol === 'http:' ? httpRequest(options) : httpsRequest(options);
  }
}

type Attempt =
  | { readonly kind: 'opened'; readonly body: Body }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** `stale`: the connection was an old one, and nothing came back. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly stale: boolean };

function failedAttempt(failure: Failure): Attempt {
  return { kind: 'failed', failure, stale: false };
}

async function refusal(body: Body, code: number, timebox: Timebox, request: WireRequest): Promise<Attempt> {
  const read = await readBody(body, maxFailureBytes);
  if (!read.ok && timebox.ended !== undefined) return failedAttempt(endFailure(timebox, true, request));
  return { kind: 'refused', failure: failureOf(code, read.ok ? read.text : '', body.headers['retry-after']) };
}

/** Undefined when time is up first. */
function untilEnd<T>(promise: Promise<T>, timebox: Timebox): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    timebox.onEnd(() => resolve(undefined));
    promise.then(resolve, reject);
  });
}
