import { connect, createServer, type Server, type Socket } from 'node:net';

const host = '127.0.0.1';

/** One address for several servers: every connection goes to the next one that takes it. */
export class Balancer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections to each target. */
  readonly #open = new Map<number, number>();
  #targets: readonly number[] = [];
  #next = 0;

  private constructor() {
    this.#server = createServer((client) => this.#route(client, this.#targets.length));
  }

  static start(): Promise<Balancer> {
    const balancer = new Balancer();
    return new Promise((resolve) => balancer.#server.listen(0, host, () => resolve(balancer)));
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  add(port: number): void {
    this.#targets = [...this.#targets, port];
  }

  /** New connections go elsewhere; those that exist go on. */
  remove(port: number): void {
    this.#targets = this.#targets.filter((one) => one !== port);
  }

  /** How many connections to this one there are. */
  connections(port: number): number {
    return this.#open.get(port) ?? 0;
  }

  /** Every connection breaks; new ones may come. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #route(client: Socket, attempts: number): void {
    const port = this.#targets[this.#next++ % Math.max(1, this.#targets.length)];
    if (port === undefined || attempts === 0) return void client.destroy();
    const server = connect(port, host);
    this.#keep(client);
    this.#keep(server);
    let connected = false;
    client.on('error', () => server.destroy());
    server.on('error', () => (connected ? client.destroy() : this.#route(client, attempts - 1)));
    server.on('connect', () => {
      connected = true;
      this.#count(port, 1);
      client.pipe(server);
      server.pipe(client);
    });
    server.on('close', () => {
      if (!connected) return;
      this.#count(port, -1);
      client.destroy();
    });
    client.on('close', () => server.destroy());
  }

  #count(port: number, change: 1 | -1): void {
    this.#open.set(port, this.connections(port) + change);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
