import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import { ApiError, internalError } from '../errors.ts';
import { ExpiredContinue } from '../registry/list.ts';

/** An answer, before it is written. Bodies are bytes where an object's own bytes can be sent as they are. */
export interface Reply {
  readonly code: number;
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function json(code: number, body: unknown): Reply {
  return { code, body };
}

export function statusBody(error: ApiError): Record<string, unknown> {
  const { code, reason, message, details } = error.status;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: error instanceof ExpiredContinue ? { continue: error.continueToken } : {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** What a client gets to see of an error. Mistakes of our own are told apart from refusals, and their innards stay inside. */
export function errorReply(error: unknown): Reply {
  const refusal =
    error instanceof ApiError ? error : internalError('the server made a mistake; its log says which', error);
  const retry = refusal.status.details?.retryAfterSeconds;
  return {
    code: refusal.code,
    body: statusBody(refusal),
    ...(retry ? { headers: { 'retry-after': String(retry) } } : {}),
  };
}

export function send(
  response: ServerResponse,
  reply: Reply,
  warnings: readonly string[],
  format: 'json' | 'yaml' = 'json',
): void {
  if (response.headersSent || response.destroyed) return;
  const asYaml = format === 'yaml' && !Buffer.isBuffer(reply.body) && reply.contentType === undefined;
  const payload = payloadOf(reply.body, asYaml);
  response.statusCode = reply.code;
  response.setHeader('content-type', reply.contentType ?? (asYaml ? 'application/yaml' : 'application/json'));
  response.setHeader('cache-control', 'no-cache, private');
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings));
  response.setHeader('content-length', payload.length);
  response.end(payload);
}

function payloadOf(body: unknown, asYaml: boolean): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(asYaml ? stringify(body) : JSON.stringify(body));
}

/** Headers have an end; the rest of the warnings is dropped, as the real server does. */
const maxWarningBytes = 4096;

function warningHeaders(warnings: readonly string[]): string[] {
  const headers: string[] = [];
  let size = 0;
  for (const text of new Set(warnings)) {
    const quoted = text
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"');
    size += quoted.length;
    if (size > maxWarningBytes) break;
    headers.push(`299 - "${quoted}"`);
  }
  return headers;
}
