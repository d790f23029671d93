import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { Socket } from 'node:net';
import type { WebhookClock } from './deadline.ts';

export interface ConnectionLimits {
  /** Connections on which no call has been proven yet. */
  readonly maxUnproven: number;
  /** Of one address. Many API servers, or a balancer, may share one: room for the calls that they begin at the same moment. */
  readonly maxUnprovenPerAddress: number;
  /** From the connection to the head of a call that proves its caller: handshake, head, and a look at what is accepted. */
  readonly provenWithinMs: number;
}

/**
 * A connection that was used so recently may be carrying the next request already, and API servers do not repeat a call that was cut
 * off. It ends with the answer to that request instead.
 */
const restMs = 1_000;

interface Unproven {
  readonly socket: Socket;
  readonly address: string;
  readonly since: number;
}

/**
 * The connections of a webhook server. One on which a call was proven is an API server's, and stays as long as that wants. All others
 * have little time, and little room: when that is full, the next connection takes the place of the oldest of the address that has
 * most. An API server proves itself within milliseconds, so that the oldest is one that does not mean to.
 */
export class Connections {
  readonly #clock: WebhookClock;
  readonly #limits: ConnectionLimits;
  /** By the address and port of the other end, the oldest first. */
  readonly #unproven = new Map<string, Unproven>();
  readonly #byAddress = new Map<string, number>();
  /** Without a request under way: since when. */
  readonly #idleSince = new Map<Socket, number>();
  #timer: { cancel(): void } | undefined;

  constructor(server: Server, clock: WebhookClock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
    server.on('connection', (socket) => {
      if (socket instanceof Socket) this.#begin(socket);
    });
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

  /** A call on this connection was proven. */
  prove(socket: Socket): void {
    this.#forget(keyOf(socket));
  }

  /** Closes those that have been idle for a moment. */
  closeIdle(): void {
    const now = this.#clock.monotonic();
    for (const [socket, since] of this.#idleSince) if (now - since >= restMs) socket.destroy();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #rest(socket: Socket): void {
    this.#idleSince.set(socket, this.#clock.monotonic());
  }

  #begin(socket: Socket): void {
    const key = keyOf(socket);
    const address = socket.remoteAddress;
    if (address === undefined) return void socket.destroy();
    const { maxUnproven, maxUnprovenPerAddress } = this.#limits;
    if ((this.#byAddress.get(address) ?? 0) >= maxUnprovenPerAddress) this.#displace(address);
    else if (this.#unproven.size >= maxUnproven) this.#displace(this.#busiestAddress());
    this.#unproven.set(key, { socket, address, since: this.#clock.monotonic() });
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.#forget(key));
    this.#watch();
  }

  #busiestAddress(): string {
    let [busiest, most] = ['', 0];
    for (const [address, count] of this.#byAddress) if (count > most) [busiest, most] = [address, count];
    return busiest;
  }

  #displace(address: string): void {
    for (const [key, one] of this.#unproven) {
      if (one.address !== address) continue;
      this.#forget(key);
      one.socket.destroy();
      return;
    }
  }

  #forget(key: string): void {
    const one = this.#unproven.get(key);
    if (one === undefined) return;
    this.#unproven.delete(key);
    const left = (this.#byAddress.get(one.address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(one.address, left);
    else this.#byAddress.delete(one.address);
    if (this.#unproven.size === 0) this.close();
  }

  /** One timer, for the oldest. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const [oldest] = this.#unproven.values();
    if (oldest === undefined) return;
    const dueMs = oldest.since + this.#limits.provenWithinMs - this.#clock.monotonic();
    this.#timer = this.#clock.after(Math.max(0, dueMs), () => {
      this.#timer = undefined;
      this.#endOverdue();
      this.#watch();
    });
  }

  #endOverdue(): void {
    const now = this.#clock.monotonic();
    for (const [key, { socket, since }] of this.#unproven) {
      if (now - since < this.#limits.provenWithinMs) return;
      this.#forget(key);
      socket.destroy();
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
