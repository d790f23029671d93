import { isObject } from '@holdfast/base/json';
import type { Status } from 'kubernetes-types/meta/v1.js';
import type { Failure } from './failure.ts';
import { printable } from './printable.ts';

/** Longest piece of a foreign answer that goes into a message. */
const maxQuoted = 300;

/** What an answer that is not a success means. `retryAfter` is the header as it came. */
export function failureOf(code: number, text: string, retryAfter: string | undefined): Failure {
  const status = readStatus(text);
  const said = { code, message: messageOf(code, text, status), ...(status === undefined ? {} : { status }) };
  const retryAfterMs = delayOf(retryAfter, status);
  switch (code) {
    case 401:
    case 403:
      return { kind: 'denied', ...said };
    case 404:
      return { kind: 'notFound', ...said };
    case 409:
      return { kind: status?.reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict', ...said };
    case 410:
      return { kind: 'gone', ...said };
    case 429:
      return { kind: 'tooManyRequests', retryAfterMs, ...said };
    default:
      // A gateway that timed out may have passed the request on, and an API server that failed may have failed afterwards.
      if (code >= 500 || code === 408)
        return { kind: 'retry', cause: 'server', retryAfterMs, maybeDone: true, ...said };
      return { kind: 'rejected', ...said };
  }
}

/** A Status object that came inside a watch, where no HTTP code goes with it. */
export function failureOfStatus(object: unknown): Failure {
  const code = isObject(object) && typeof object['code'] === 'number' ? object['code'] : 500;
  const expired = isObject(object) && (object['reason'] === 'Expired' || object['reason'] === 'Gone');
  return failureOf(expired ? 410 : code, JSON.stringify(object) ?? '', undefined);
}

function readStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value['kind'] === 'Status' ? withPrintableTexts(value as Status) : undefined;
  } catch {
    return undefined;
  }
}

/** Its texts may be those of a webhook, of which nothing is known. */
function withPrintableTexts(status: Status): Status {
  const text = (value: unknown) => (typeof value === 'string' ? { message: printable(value) } : {});
  const { message, details } = status;
  const causes = Array.isArray(details?.causes) ? details.causes.map((one) => ({ ...one, ...text(one.message) })) : [];
  return {
    ...status,
    ...text(message),
    ...(isObject(details) ? { details: { ...details, ...(details.causes === undefined ? {} : { causes }) } } : {}),
  };
}

function messageOf(code: number, text: string, status: Status | undefined): string {
  if (typeof status?.message === 'string' && status.message !== '') return status.message;
  const quoted = printable(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}...` : text);
  return `the server answered ${code}${quoted === '' ? '' : `: ${quoted.trim()}`}`;
}

/** Seconds, as the API server writes them; the date form of HTTP is not used there. */
function delayOf(header: string | undefined, status: Status | undefined): number | undefined {
  const seconds = header === undefined ? status?.details?.retryAfterSeconds : Number(header);
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
