import type { Readable } from 'node:stream';
import type { Failure } from '../outcome/failure.ts';
import type { Timebox } from './attempt.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Which form of the answer is wanted; absent: plain JSON. */
  readonly accept?: string;
  /** From asking for credentials to the last byte; for `open`, to the first. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Largest answer that is read into memory. */
  readonly maxBytes?: number;
}

/** A success whose body is still to come. Its receiver reads it to its end, or destroys it. */
export type ResponseBody = Readable;

/** How it is known that a watch which says nothing is alive. */
export type WatchProof =
  /** The server is asked on this very connection, again and again. */
  | {
      readonly kind: 'pinged';
      /** Milliseconds since the connection last showed that it is alive. */
      readonly silentMs: () => number;
    }
  /** Nothing tells but its end: it has to be ended, and opened again, as often as that must be known. */
  | { readonly kind: 'renewed' }
  /** Nothing is done to find out. */
  | { readonly kind: 'trusted' };

export interface OpenedWatch {
  readonly body: ResponseBody;
  readonly proof: WatchProof;
  /** To be called when the watch was found to be dead: other connections may have died with it. */
  lost(): void;
}

/** The other side cannot be reached on this connection, though nothing closed it. */
export class DeadConnection extends Error {
  override readonly name = 'DeadConnection';
}

export function endFailure(timebox: Timebox, sent: boolean, request: WireRequest): Failure {
  const maybeDone = sent && request.method !== 'GET';
  if (timebox.ended === 'aborted') return { kind: 'aborted', message: 'the caller gave up', maybeDone };
  const message = `no answer to ${request.method} ${request.path} within ${Math.round(request.deadlineMs)} ms`;
  return { kind: 'retry', cause: 'deadline', message, retryAfterMs: undefined, maybeDone };
}

export function bodyFailure(problem: string, tooLarge: boolean, timebox: Timebox, request: WireRequest): Failure {
  if (timebox.ended !== undefined) return endFailure(timebox, true, request);
  // The head said success: whatever was to be done is done.
  const maybeDone = request.method !== 'GET';
  const cause = tooLarge ? 'garbled' : 'connection';
  return { kind: 'retry', cause, message: problem, retryAfterMs: undefined, maybeDone };
}

/** Before anything was sent. */
export function credentialsFailure(error: unknown): Failure {
  return { kind: 'retry', cause: 'credentials', message: textOf(error), retryAfterMs: undefined, maybeDone: false };
}

export function connectionFailure(error: unknown, connected: boolean, request: WireRequest): Failure {
  const maybeDone = connected && request.method !== 'GET';
  const failure = {
    kind: 'retry',
    cause: 'connection',
    message: textOf(error),
    retryAfterMs: undefined,
    maybeDone,
  } as const;
  return isUntrusted(error) ? { ...failure, untrusted: true } : failure;
}

/** What Node calls certificates that it does not accept (`tls.TLSSocket`, X509 certificate error codes). */
const untrustedCodes: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_UNTRUSTED',
  'INVALID_CA',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function isUntrusted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && untrustedCodes.has(String(error.code));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
