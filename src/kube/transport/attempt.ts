import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from '../outcome/failure.ts';
import { failureOf } from '../outcome/status.ts';
import { readBody } from './body.ts';
import type { Identity } from './target.ts';
import type { Timebox } from './timebox.ts';
import { type Body, endFailure, type WireRequest } from './wire.ts';

/** What became of sending a request once. */
export type Sent =
  | {
      readonly kind: 'answered';
      readonly code: number;
      readonly headers: Pick<IncomingHttpHeaders, 'retry-after'>;
      readonly body: Body;
    }
  | FailedAttempt;

export type Attempt =
  | { readonly kind: 'opened'; readonly body: Body }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | FailedAttempt;

interface FailedAttempt {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The connection was a kept one, and nothing came back. */
  readonly stale: boolean;
}

export type Send = (request: WireRequest, identity: Identity, timebox: Timebox) => Promise<Sent>;

/** A Status is short; what is longer is a web page of something in between. */
const maxFailureBytes = 256 * 1024;

export function failedAttempt(failure: Failure): FailedAttempt {
  return { kind: 'failed', failure, stale: false };
}

export async function attemptOf(sent: Sent, timebox: Timebox, request: WireRequest): Promise<Attempt> {
  if (sent.kind === 'failed') return sent;
  const { code, body, headers } = sent;
  if (code >= 200 && code < 300) return { kind: 'opened', body };
  const read = await readBody(body, maxFailureBytes);
  if (!read.ok && timebox.ended !== undefined) return failedAttempt(endFailure(timebox, true, request));
  return { kind: 'refused', failure: failureOf(code, read.ok ? read.text : '', headers['retry-after']) };
}

/** What both versions of HTTP send in front of a body. */
export function headersOf(
  request: WireRequest,
  identity: Identity,
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
