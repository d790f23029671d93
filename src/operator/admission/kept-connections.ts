import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { WebhookClock } from './webhook-clock.ts';

/**
 * A connection that was used so recently may be carrying the next request already, and API servers do not repeat a call that was cut
 * off. It ends with the answer to that request instead.
 */
const restMs = 1_000;

/** The connections that clients keep between requests. */
export class KeptConnections {
  readonly #clock: WebhookClock;
  /** Without a request under way: since when. */
  readonly #idleSince = new Map<Socket, number>();

  constructor(server: Server, clock: WebhookClock) {
    this.#clock = clock;
    server.on('secureConnection', (socket) => {
      this.#rest(socket);
      socket.once('close', () => this.#idleSince.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      this.#idleSince.delete(socket);
      response.once('close', () => {
        if (!socket.destroyed) this.#rest(socket);
      });
    });
  }

  /** Closes those that have been idle for a moment. */
  closeIdle(): void {
    const now = this.#clock.monotonic();
    for (const [socket, since] of this.#idleSince) if (now - since >= restMs) socket.destroy();
  }

  #rest(socket: Socket): void {
    this.#idleSince.set(socket, this.#clock.monotonic());
  }
}
