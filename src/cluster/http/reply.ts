import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import { ApiError, internalError } from '../errors.ts';
import { ExpiredContinue } from '../registry/list.ts';
import { isLarge, joined, sliced, writeChunks } from './write-chunks.ts';

/** Bytes that are there already, and how many they are together. */
export class Parts {
  readonly parts: readonly Buffer[];
  readonly length: number;

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
  }
}

/** An answer, before it is written. Bodies are bytes where an object's own bytes can be sent as they are. */
export interface Reply {
  readonly code: number;
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** There is nothing at all under this path, not even a group that could have something. */
export const pageNotFound: Reply = {
  code: 404,
  body: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
};

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
  const isBytes = Buffer.isBuffer(reply.body) || reply.body instanceof Parts;
  const asYaml = format === 'yaml' && !isBytes && reply.contentType === undefined;
  const payload = payloadOf(reply.body, asYaml);
  response.writeHead(
    reply.code,
    [
      ['content-type', reply.contentType ?? (asYaml ? 'application/yaml' : 'application/json')],
      ['cache-control', 'no-cache, private'],
      ...Object.entries(reply.headers ?? {}),
      ...warningHeaders(warnings).map((text) => ['warning', text]),
      ['content-length', String(payload.length)],
    ].flat(),
  );
  if (isLarge(payload.length)) void sendLarge(response, payload);
  else response.end(payload instanceof Parts ? joined(payload.parts) : payload);
}

async function sendLarge(response: ServerResponse, payload: Buffer | Parts): Promise<void> {
  await writeChunks(response, payload instanceof Parts ? payload.parts : sliced(payload));
  response.end();
}

function payloadOf(body: unknown, asYaml: boolean): Buffer | Parts {
  if (body instanceof Parts) return body;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const text = JSON.stringify(body);
  return Buffer.from(asYaml && text.length <= maxYamlCharacters ? yaml(body) : text);
}

/** Writing YAML takes a hundred times as long as JSON, which is YAML, too: so what is long is written as that. */
const maxYamlCharacters = 256 * 1024;

function yaml(body: unknown): string {
  return stringify(body, { version: '1.1', sortMapEntries: true, lineWidth: 0 });
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
