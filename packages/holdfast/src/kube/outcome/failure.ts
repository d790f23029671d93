/** How a call can fail, told apart by what the caller does about it. */

import type { Status } from 'kubernetes-types/meta/v1.js';

interface Said {
  readonly message: string;
  /** HTTP code, where there was an answer. */
  readonly code?: number;
  /** The API server's own words, where it used them. */
  readonly status?: Status;
}

export type RetryCause = 'server' | 'connection' | 'deadline' | 'garbled' | 'credentials' | 'limited';

export type Failure =
  /** The object is not there, or the API is not. */
  | (Said & { readonly kind: 'notFound' })
  | (Said & { readonly kind: 'alreadyExists' })
  /** Another client wrote first, or a precondition does not hold: read again, and decide again. */
  | (Said & { readonly kind: 'conflict' })
  /** That resourceVersion or page is no longer kept: start with a new list. */
  | (Said & { readonly kind: 'gone' })
  /** Not now. Evictions that a budget refuses are this, too. */
  | (Said & { readonly kind: 'tooManyRequests'; readonly retryAfterMs: number | undefined })
  /** Who we are is not known, or may not do this. */
  | (Said & { readonly kind: 'denied' })
  /** The request itself is wrong: the same one will fail again. */
  | (Said & { readonly kind: 'rejected' })
  /** Worth another try later. `maybeDone`: a write may have happened all the same. */
  | (Said & {
      readonly kind: 'retry';
      readonly cause: RetryCause;
      readonly retryAfterMs: number | undefined;
      readonly maybeDone: boolean;
      /** The server's certificate is not one that the client trusts: the same connection fails again. */
      readonly untrusted?: true;
    })
  /** The caller gave up. */
  | (Said & { readonly kind: 'aborted'; readonly maybeDone: boolean });

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}

export function rejected(message: string): { readonly ok: false; readonly failure: Failure } {
  return failed({ kind: 'rejected', message });
}

/** An answer that says success and makes no sense, or does not end. */
export function garbled(message: string, maybeDone = false): { readonly ok: false; readonly failure: Failure } {
  return failed({ kind: 'retry', cause: 'garbled', message, retryAfterMs: undefined, maybeDone });
}
