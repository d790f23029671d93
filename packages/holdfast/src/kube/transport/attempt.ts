import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { failureOf } from '../outcome/api-status.ts';
import type { Failure } from '../outcome/failure.ts';
import type { Clock, Timer } from '../time/clock.ts';
import type { ClientIdentity } from './target.ts';
import { endFailure, type ResponseBody, type WireRequest } from './wire.ts';

/** What became of sending a request once. */
export type Sent =
  | {
      readonly kind: 'answered';
      readonly code: number;
      readonly headers: Pick<IncomingHttpHeaders, 'retry-after'>;
      readonly body: ResponseBody;
    }
  | FailedAttempt;

export type RequestAttempt =
  | { readonly kind: 'opened'; readonly body: ResponseBody }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | FailedAttempt;

interface FailedAttempt {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The connection was a kept one, and nothing came back. */
  readonly stale: boolean;
}

export type Send = (request: WireRequest, identity: ClientIdentity, timebox: Timebox) => Promise<Sent>;

/** A Status is short; what is longer is a web page of something in between. */
const maxFailureBytes = 256 * 1024;

export function failedAttempt(failure: Failure): FailedAttempt {
  return { kind: 'failed', failure, stale: false };
}

export async function attemptOf(sent: Sent, timebox: Timebox, request: WireRequest): Promise<RequestAttempt> {
  if (sent.kind === 'failed') return sent;
  const { code, body, headers } = sent;
  if (code >= 200 && code < 300) return { kind: 'opened', body };
  const read = await readResponseBody(body, maxFailureBytes);
  if (!read.ok && timebox.ended !== undefined) return failedAttempt(endFailure(timebox, true, request));
  return { kind: 'refused', failure: failureOf(code, read.ok ? read.text : '', headers['retry-after']) };
}

/** What both versions of HTTP send in front of a body. */
export function requestHeadersOf(
  request: WireRequest,
  identity: ClientIdentity,
  userAgent: string,
): Record<string, string | number | readonly string[]> {
  const headers: Record<string, string | number | readonly string[]> = {
    accept: request.accept ?? 'application/json',
    'user-agent': userAgent,
    ...identity.headers,
  };
  if (request.body !== undefined) {
    headers['content-type'] = request.contentType ?? 'application/json';
    // Node frames the body of a DELETE only when told its length; without, preconditions are silently lost.
    headers['content-length'] = Buffer.byteLength(request.body);
  }
  return headers;
}

export function pathBelow(server: URL, path: string): string {
  return `${server.pathname.replace(/\/$/, '')}${path}`;
}

export type TimeboxEnd = 'deadline' | 'aborted';

/** One limit over a whole call, credentials and connecting included: its deadline, and its caller's change of mind. */
export class Timebox {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Timer;
  readonly #onAbort = () => this.#end('aborted');
  #listener: (() => void) | undefined;
  #ended: TimeboxEnd | undefined;

  constructor(clock: Clock, deadlineMs: number, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#timer = clock.after(deadlineMs, () => this.#end('deadline'));
    if (signal?.aborted === true) this.#end('aborted');
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get ended(): TimeboxEnd | undefined {
    return this.#ended;
  }

  /** One listener at a time; called at once when it is over already. */
  onEnd(listener: () => void): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener();
  }

  /** A stream has begun, and may take as long as it likes. */
  lift(): void {
    this.#timer.cancel();
  }

  close(): void {
    this.#timer.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#listener = undefined;
  }

  #end(end: TimeboxEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = end;
    this.#timer.cancel();
    this.#listener?.();
  }
}

export type ReadBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly tooLarge: boolean };

/** Reads a body to its end, or up to a limit. */
export async function readResponseBody(body: Readable, maxBytes: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return { ok: false, problem: `the answer is larger than ${maxBytes} bytes`, tooLarge: true };
      chunks.push(chunk);
    }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error), tooLarge: false };
  }
  return { ok: true, text: Buffer.concat(chunks).toString('utf8') };
}
