import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import { ApiError, internalError } from '../errors.ts';
import { encodeProtobuf } from '../protobuf/answers.ts';
import { protobufMediaType } from '../protobuf/protobuf.ts';
import { ExpiredContinue } from '../registry/list.ts';
import type { Format } from './negotiate.ts';
import type { Notes } from './notes.ts';
import { isLarge, joined, sliced, writeChunks } from './watch/write-chunks.ts';

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
  { warnings, flow }: Readonly<Notes>,
  format: Format = 'json',
): void {
  if (response.headersSent || response.destroyed) return;
  const { payload, contentType } = written(reply, format);
  response.writeHead(
    reply.code,
    [
      ['content-type', contentType],
      ['cache-control', 'no-cache, private'],
      ...Object.entries(flow),
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

interface Written {
  readonly payload: Buffer | Parts;
  readonly contentType: string;
}

/** Bytes and texts are sent as they are, and so is what says its type; the rest in the type that the client accepts, if it can be. */
function written({ body, contentType }: Reply, format: Format): Written {
  const json = contentType ?? 'application/json';
  if (body instanceof Parts || Buffer.isBuffer(body)) return { payload: body, contentType: json };
  if (typeof body === 'string') return { payload: Buffer.from(body), contentType: json };
  const bytes = format === 'protobuf' && contentType === undefined ? encodeProtobuf(body) : undefined;
  if (bytes) return { payload: bytes, contentType: protobufMediaType };
  const text = JSON.stringify(body);
  if (format !== 'yaml' || contentType !== undefined) return { payload: Buffer.from(text), contentType: json };
  const payload = Buffer.from(text.length <= maxYamlCharacters ? yaml(body) : text);
  return { payload, contentType: 'application/yaml' };
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
