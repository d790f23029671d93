import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Clock, Timer } from '../time/clock.ts';
import { failedAttempt, pathBelow, requestHeadersOf, type Sent, type Timebox } from './attempt.ts';
import type { ClientIdentity, CountedDuplex, ServerTarget } from './target.ts';
import {
  connectionFailure,
  credentialsFailure,
  DeadConnection,
  endFailure,
  type WatchProof,
  type WireRequest,
} from './wire.ts';

export interface PingLimits {
  /** A connection that was silent for so long is asked whether it is alive. */
  readonly afterMs: number;
  /** One that gave no sign for so long is dead. */
  readonly deadMs: number;
}

/**
 * For processes that follow a cluster. A dead connection is noticed ten seconds after it died: five before decisions would rest on a view that is
 * too old.
 */
export const followingPings: PingLimits = { afterMs: 4_000, deadMs: 9_000 };

export interface PingedSessionOptions {
  readonly target: ServerTarget;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly pings: PingLimits;
  readonly died: () => void;
}

/** Silence is measured this often, so it is known this exactly. */
const tickMs = 1_000;
/** A tick that comes so late means that this process stood still: the server's signs may lie unread, and it is asked once more. */
const lateMs = 3 * tickMs;

const mebibyte = 1024 * 1024;
/** What the server may send ahead of us, for one watch and for all: with the 64 KiB of the protocol, reading 50,000 pods waits for the network. */
const streamWindow = 4 * mebibyte;
const sessionWindow = 16 * mebibyte;
/** In megabytes: more than both windows, so that Node never refuses what it allowed the server to send. */
const maxSessionMemory = 64;

/** An HTTP/2 connection for watches, which knows by pings when the other side was last heard. */
export class PingedSession {
  readonly proof: WatchProof;
  readonly #options: PingedSessionOptions;
  readonly #socket: CountedDuplex;
  readonly #session: ClientHttp2Session;
  #heardAt: number;
  #bytes = 0;
  #tickAt: number;
  /** When this process last stood still. */
  #stoodStillAt = Number.NEGATIVE_INFINITY;
  #pinging = false;
  #timer: Timer;

  constructor(socket: CountedDuplex, options: PingedSessionOptions) {
    this.#options = options;
    this.#socket = socket;
    this.#session = connect(options.target.server.origin, {
      createConnection: () => socket,
      settings: { initialWindowSize: streamWindow, enablePush: false },
      maxSessionMemory,
    });
    this.#session.once('connect', () => this.#session.setLocalWindowSize(sessionWindow));
    // Each stream is told, too, and those who read it see it there.
    this.#session.on('error', () => undefined);
    this.#session.once('close', () => this.#timer.cancel());
    this.#heardAt = options.clock.monotonic();
    this.#tickAt = this.#heardAt;
    this.#timer = this.#later();
    this.proof = { kind: 'pinged', silentMs: () => options.clock.monotonic() - this.#heardAt };
  }

  /** Whether new watches may begin on it. A server that leaves says so first, and lets those that exist go on. */
  get usable(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Watches that exist go on; when the last of them ends, so does the connection. */
  retire(): void {
    if (this.usable) this.#session.close();
  }

  destroy(): void {
    this.#session.destroy();
  }

  send(request: WireRequest, identity: ClientIdentity, timebox: Timebox): Promise<Sent> {
    return new Promise((resolve) => {
      const stream = this.#begin(request, identity);
      if (stream instanceof Error) return resolve(failedAttempt(credentialsFailure(stream)));
      stream.once('response', (headers) =>
        resolve({ kind: 'answered', code: Number(headers[':status'] ?? 0), headers, body: stream }),
      );
      stream.on('error', (error) => {
        const failure =
          timebox.ended === undefined ? connectionFailure(error, true, request) : endFailure(timebox, true, request);
        resolve(failedAttempt(failure));
      });
      // A stream that the server resets without an error ends without an answer.
      stream.once('close', () =>
        resolve(failedAttempt(connectionFailure(new Error('the stream was closed'), true, request))),
      );
      timebox.onEnd(() => stream.destroy(new Error(timebox.ended)));
    });
  }

  #begin(request: WireRequest, identity: ClientIdentity): ClientHttp2Stream | Error {
    const { target, userAgent } = this.#options;
    try {
      return this.#session.request(
        {
          ...requestHeadersOf(request, identity, userAgent),
          ':method': request.method,
          ':path': pathBelow(target.server, request.path),
        },
        { endStream: true },
      );
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #later(): Timer {
    return this.#options.clock.after(tickMs, () => {
      this.#tick();
      if (!this.#session.destroyed) this.#timer = this.#later();
    });
  }

  #tick(): void {
    const { clock, pings } = this.#options;
    const now = clock.monotonic();
    if (now - this.#tickAt > lateMs) this.#stoodStillAt = now;
    const { bytesRead } = this.#socket;
    // They came after the last tick; when, is not known, so they count from there.
    if (bytesRead !== this.#bytes) this.#heardAt = Math.max(this.#heardAt, this.#tickAt);
    this.#bytes = bytesRead;
    this.#tickAt = now;
    const silentMs = now - this.#heardAt;
    const answerMs = now - this.#stoodStillAt;
    if (silentMs >= pings.deadMs && answerMs >= pings.deadMs - pings.afterMs) this.#die(silentMs);
    else if (silentMs >= pings.afterMs) this.#ping();
  }

  #ping(): void {
    if (this.#pinging || !this.usable) return;
    this.#pinging = true;
    const sent = this.#session.ping((error) => {
      this.#pinging = false;
      if (error === null) this.#heardAt = this.#options.clock.monotonic();
    });
    if (!sent) this.#pinging = false;
  }

  #die(silentMs: number): void {
    this.#options.died();
    this.#session.destroy(new DeadConnection(`the API server answered no ping for ${Math.round(silentMs / 1_000)} s`));
  }
}
