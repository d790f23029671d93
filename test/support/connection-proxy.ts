import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Access } from '../../packages/holdfast/src/kube/config/access.ts';

const host = '127.0.0.1';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  frozen: boolean;
}

/** Forwards bytes between clients and an API server, and fails as networks do. TLS goes through it untouched. */
export class ConnectionProxy {
  readonly #origin: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #reachable = true;

  private constructor(origin: URL) {
    this.#origin = origin;
    this.#server = createServer((client) => this.#accept(client));
  }

  static start({ server }: Pick<Access, 'server'>): Promise<ConnectionProxy> {
    const proxy = new ConnectionProxy(server);
    return new Promise((resolve) => proxy.#server.listen(0, host, () => resolve(proxy)));
  }

  /** The same user, by way of the proxy. */
  through(access: Access): Access {
    return { ...access, server: this.origin };
  }

  get origin(): URL {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return new URL(`https://${host}:${port}`);
  }

  /**
   * The connections that exist carry nothing any more, and neither side hears that they ended: what a load balancer or a NAT does
   * that lost its state. New connections are not affected.
   */
  freeze(): void {
    for (const pair of this.#pairs) {
      pair.frozen = true;
      for (const socket of [pair.client, pair.server]) {
        socket.unpipe();
        // Bytes are taken and dropped: a full socket buffer must not tell the sender anything.
        socket.on('data', () => undefined);
        socket.resume();
      }
    }
  }

  get open(): number {
    return [...this.#pairs].filter(({ frozen }) => !frozen).length;
  }

  /** Every connection breaks, and new ones break at once, until `restore`. */
  cutOff(): void {
    this.#reachable = false;
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  restore(): void {
    this.#reachable = true;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutOff();
    await closed;
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (!this.#reachable) return void client.destroy();
    const server = connect({ host: this.#origin.hostname, port: Number(this.#origin.port) });
    const pair: Pair = { client, server, frozen: false };
    this.#pairs.add(pair);
    server.on('error', () => client.destroy());
    client.once('close', () => {
      this.#pairs.delete(pair);
      server.destroy();
    });
    server.once('close', () => {
      // The client of a frozen connection never hears of it.
      if (!pair.frozen) client.destroy();
    });
    client.pipe(server);
    server.pipe(client);
  }
}
