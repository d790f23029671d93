import type { ServerResponse } from 'node:http';
import type { ApiProblem } from '../../../ui/details.ts';

/** What a request is answered with. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The page loads nothing from elsewhere, and nothing in it that came from the cluster can become a script or a style. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A saved report, opened within the server's origin, must not be able to ask the server anything. */
export const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

export const commonHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

export function json(value: unknown, status = 200): Reply {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

const statuses: Readonly<Record<string, number>> = {
  badRequest: 400,
  unauthorized: 401,
  foreign: 403,
  notFound: 404,
  notAllowed: 405,
  busy: 409,
  tooLarge: 413,
  notJson: 415,
  failed: 500,
  notReady: 503,
};

export function problem(kind: string, message: string, advice?: string): Reply {
  const value: ApiProblem = { problem: kind, message, ...(advice === undefined ? {} : { advice }) };
  return json(value, statuses[kind] ?? 500);
}

export function text(status: number, body: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body };
}

export function send(response: ServerResponse, { status, type, body, headers }: Reply, isHead = false): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, {
    ...commonHeaders,
    'content-type': type,
    'content-length': String(bytes.length),
    ...headers,
  });
  response.end(isHead ? undefined : bytes);
}
