import type { IncomingMessage } from 'node:http';
import { realClock } from '../time/clock.ts';

const maxBytes = 64 * 1024 * 1024;
const maxMs = 5_000;

/**
 * Reads and drops the rest of a body that is not needed. Most clients read no answer before they have sent their request, and a
 * connection that is closed while they send takes the answer with it. False: there was no end to it.
 */
export function discardBody(request: IncomingMessage): Promise<boolean> {
  if (request.complete) return Promise.resolve(true);
  return new Promise((resolve) => {
    let size = 0;
    const over = (): void => {
      timer.cancel();
      request.off('data', count);
      resolve(request.complete);
    };
    const count = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) over();
    };
    const timer = realClock.after(maxMs, over);
    request.on('data', count);
    request.once('end', over);
    request.once('close', over);
    request.resume();
  });
}
