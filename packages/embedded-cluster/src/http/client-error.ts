import type { Duplex } from 'node:stream';
import { ApiError } from '../errors.ts';
import { realClock } from '../time/clock.ts';
import { statusBody } from './reply.ts';

interface Refusal {
  readonly code: number;
  readonly phrase: string;
  readonly reason: string;
  readonly message: string;
}

/** A request that never became one: what its sender is told, or nothing where the other end does not speak HTTP. */
function refusalOf(code: string | undefined): Refusal | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      code: 431,
      phrase: 'Request Header Fields Too Large',
      reason: 'RequestHeaderFieldsTooLarge',
      message: 'the headers of the request are too large',
    };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      code: 408,
      phrase: 'Request Timeout',
      reason: 'Timeout',
      message: 'the request did not arrive in time',
    };
  }
  if (code?.startsWith('HPE_')) {
    return { code: 400, phrase: 'Bad Request', reason: 'BadRequest', message: 'the request is not valid HTTP' };
  }
  return undefined;
}

/** The rest of what it sends passes unread; closed at once, the connection would take the answer with it. */
const lingerMs = 1_000;

const refused = new WeakSet<Duplex>();

/** Says what was wrong, unless an answer is on its way on this connection already, and closes it. */
export function refuseClient(error: Error & { code?: string }, socket: Duplex, answering: boolean): void {
  // Ignore further errors of a connection that is being closed.
  if (refused.has(socket) && !socket.destroyed) return;
  refused.add(socket);
  const refusal = refusalOf(error.code);
  if (refusal === undefined || answering || !socket.writable) {
    socket.destroy();
    return;
  }
  const { code, phrase, reason, message } = refusal;
  const body = JSON.stringify(statusBody(new ApiError({ code, reason, message })));
  const head = [
    `HTTP/1.1 ${code} ${phrase}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  realClock.after(lingerMs, () => socket.destroy());
}
