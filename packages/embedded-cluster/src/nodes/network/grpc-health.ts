/** As much of gRPC and of grpc.health.v1 as a health check needs: one message each way, by hand. */

import type { ClientHttp2Stream, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';

export const healthCheckPath = '/grpc.health.v1.Health/Check';

/** Values of HealthCheckResponse.ServingStatus. */
export const serving = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;

export const servingNames: readonly string[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** A message behind its flag (not compressed) and its length. */
function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Field 1 of HealthCheckRequest is the service's name. */
export function checkRequest(service: string): Buffer {
  const name = Buffer.from(service);
  if (name.length === 0) return frame(name);
  return frame(Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Answers a call on a server's stream. */
export function answerCheck(stream: ServerHttp2Stream, healthy: boolean): void {
  const status = healthy ? serving.serving : serving.notServing;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frame(Buffer.from([0x08, status])));
}

/** Any other method than the health check. */
export function answerUnimplemented(stream: ServerHttp2Stream): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12', 'grpc-message': 'unknown method' },
    { endStream: true },
  );
}

export type CheckAnswer =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

/** Longest answer that is read. */
const maxAnswerBytes = 4096;

export function readCheck(stream: ClientHttp2Stream): Promise<CheckAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let code = '';
    let message = '';
    const note = (headers: IncomingHttpHeaders) => {
      if (headers['grpc-status'] !== undefined) code = String(headers['grpc-status']);
      if (headers['grpc-message'] !== undefined) message = String(headers['grpc-message']);
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxAnswerBytes) stream.close();
      else chunks.push(chunk);
    });
    stream.on('error', reject);
    stream.on('end', () => {
      if (code !== '0') resolve({ kind: 'error', code, message });
      else resolve({ kind: 'status', status: readStatus(Buffer.concat(chunks)) });
    });
  });
}

/** Field 1 of HealthCheckResponse; a message without it says 0. */
function readStatus(bytes: Buffer): number {
  return bytes.length >= 7 && bytes[5] === 0x08 ? (bytes[6] ?? 0) : serving.unknown;
}
