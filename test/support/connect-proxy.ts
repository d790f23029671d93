import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxyWish {
  /** PEM. Absent: the proxy itself is reached without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** `user:password` that every client has to prove. */
  readonly credentials?: string;
  /** Names that the proxy alone can resolve: all of them are this machine. */
  readonly knows?: readonly string[];
}

/** A real HTTP proxy on the loopback interface: it knows CONNECT, and nothing else. */
export class ConnectProxy {
  /** What was asked for, in order. */
  readonly asked: string[] = [];
  readonly #wish: ConnectProxyWish;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(wish: ConnectProxyWish) {
    this.#wish = wish;
    this.#server = wish.tls === undefined ? createServer() : createSecureServer(wish.tls);
    this.#server.on('connect', (request, client: Socket, head) => this.#connect(request, client, head));
  }

  static async start(wish: ConnectProxyWish = {}): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(wish);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** With the credentials that it wants. */
  get url(): string {
    const { tls, credentials } = this.#wish;
    const { port } = this.#server.address() as AddressInfo;
    return `${tls === undefined ? 'http' : 'https'}://${credentials === undefined ? '' : `${credentials}@`}127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect({ url = '', headers }: IncomingMessage, client: Socket, head: Buffer): void {
    this.asked.push(url);
    const { credentials, knows = [] } = this.#wish;
    client.on('error', () => undefined);
    const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const server = connect(Number(port), knows.includes(hostname) ? '127.0.0.1' : hostname);
    for (const socket of [client, server]) this.#sockets.add(socket);
    server.on('error', () => client.destroy());
    server.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.write(head);
      client.pipe(server).pipe(client);
    });
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
  }
}
