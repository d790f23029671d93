import { connect as connectTls, type TLSSocket } from 'node:tls';
import { addressOf, peerOptionsOf, sameMaterial } from './http1.ts';
import { PingedSession, type PingedSessionOptions } from './pinged-session.ts';
import type { TlsMaterial } from './target.ts';
import { openTunnel } from './tunnel.ts';

/** Connecting takes two round trips. A network that loses packets gets this long; then another connection is tried. */
const dialMs = 5_000;
/** A server, or a proxy before it, that speaks HTTP/1.1 only is asked again after this long: it may have been replaced. */
const http1Ms = 600_000;

/** The connection that watches share: one HTTP/2 session at a time, where the server speaks HTTP/2. */
export class WatchSessions {
  readonly #options: PingedSessionOptions;
  #material: TlsMaterial | undefined;
  #dialling: Promise<PingedSession | undefined> | undefined;
  #session: PingedSession | undefined;
  #http1Until = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: PingedSessionOptions) {
    this.#options = options;
  }

  /** Undefined: the server speaks HTTP/1.1 only. Rejects when it cannot be reached. */
  obtain(material: TlsMaterial): Promise<PingedSession | undefined> {
    if (!sameMaterial(this.#material, material)) this.#start(material);
    const { clock, target } = this.#options;
    if (target.server.protocol === 'http:' || clock.monotonic() < this.#http1Until) return Promise.resolve(undefined);
    if (this.#session?.usable === true) return Promise.resolve(this.#session);
    // Watches that begin at the same time share it.
    this.#dialling ??= this.#dial(material).finally(() => {
      this.#dialling = undefined;
    });
    return this.#dialling;
  }

  close(): void {
    this.#closed = true;
    this.#session?.destroy();
  }

  /** With another certificate we may be another user: its watches go over a connection of their own. */
  #start(material: TlsMaterial): void {
    this.#material = material;
    this.#dialling = undefined;
    this.#session?.retire();
    this.#session = undefined;
  }

  async #dial(material: TlsMaterial): Promise<PingedSession | undefined> {
    const socket = await this.#connect(material);
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#http1Until = this.#options.clock.monotonic() + http1Ms;
      return undefined;
    }
    const session = new PingedSession(socket, this.#options);
    if (this.#closed) session.destroy();
    else if (this.#material === material || sameMaterial(this.#material, material)) this.#session = session;
    return session;
  }

  async #connect(material: TlsMaterial): Promise<TLSSocket> {
    const { target, clock } = this.#options;
    const { host, port } = addressOf(target.server);
    const tunnel = target.proxy === undefined ? undefined : await openTunnel(target.proxy, { host, port });
    return new Promise((resolve, reject) => {
      const socket = connectTls({
        ...peerOptionsOf(target, material),
        ALPNProtocols: ['h2', 'http/1.1'],
        ...(tunnel === undefined ? { port } : { socket: tunnel }),
      });
      const timer = clock.after(dialMs, () => socket.destroy(new Error(`no connection within ${dialMs} ms`)));
      socket.setNoDelay(true);
      socket.once('secureConnect', () => {
        timer.cancel();
        resolve(socket);
      });
      socket.once('error', reject);
      socket.once('close', () => {
        timer.cancel();
        reject(new Error('the connection was closed'));
      });
    });
  }
}
