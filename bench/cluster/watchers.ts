import { setTimeout } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { HttpConnection, requestBytes } from './http-connection.ts';
import type { Access, ToLoad, Watched } from './messages.ts';

type Watch = Extract<ToLoad, { do: 'watch' }>;

const newline = 10;
const quietMs = 10_000;

/** Counts the lines of a stream, which are its events; the headers and the sizes of chunks hold no bare newline. */
class Watcher {
  lines = 0;
  lastAt = 0;
  readonly #socket: TLSSocket;
  readonly #read: ((text: string) => void) | undefined;

  constructor(access: Access, path: string, read?: (text: string) => void) {
    const { port, ca, certificate, key } = access;
    this.#read = read;
    this.#socket = connect({ host: '127.0.0.1', port, ca, cert: certificate, key });
    this.#socket.write(requestBytes({ method: 'GET', path }));
  }

  /** Resolves with the beginning of the answer. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.once('close', () => reject(new Error('the server closed a watch')));
      this.#socket.once('data', () => {
        this.#socket.on('data', (data: Buffer) => this.#count(data));
        resolve();
      });
    });
  }

  close(): void {
    this.#socket.removeAllListeners();
    this.#socket.destroy();
  }

  #count(data: Buffer): void {
    this.#read?.(data.toString('latin1'));
    for (let at = data.indexOf(newline); at >= 0; at = data.indexOf(newline, at + 1)) {
      // Chunks end with \r\n, events with }\n.
      if (data[at - 1] !== 13) this.lines += 1;
    }
    this.lastAt = performance.now();
  }
}

/** Many watchers of one collection while it changes at a steady rate. */
export async function watchUnderLoad(order: Watch): Promise<Watched> {
  const { access, path, targets, eventsPerSecond, seconds } = order;
  const seen: number[] = [];
  let text = '';
  const read = (more: string): void => {
    text += more;
    const end = text.lastIndexOf('\n');
    for (const [, number] of text.slice(0, end).matchAll(/"bench\/change":"(\d+)"/g)) seen.push(Number(number));
    text = text.slice(end);
  };
  const watchers = Array.from(
    { length: order.watchers },
    (_, i) => new Watcher(access, path, i === 0 ? read : undefined),
  );
  await Promise.all(watchers.map((watcher) => watcher.opened()));
  const started = performance.now();
  const written = await change(access, targets, eventsPerSecond, seconds);
  const ended = performance.now();
  while (watchers.some(({ lines }) => lines < written) && performance.now() < ended + quietMs) await setTimeout(5);
  const counts = watchers.map(({ lines }) => lines);
  const lagMs = Math.max(0, ...watchers.map(({ lastAt }) => lastAt - ended));
  for (const watcher of watchers) watcher.close();
  return {
    written,
    seconds: (ended - started) / 1000,
    fewest: Math.min(...counts),
    most: Math.max(...counts),
    inOrder: seen.length === written && seen.every((number, index) => number === index),
    lagMs,
  };
}

/** Changes the targets in turn, one after the other, no faster than the rate. */
async function change(access: Access, targets: readonly string[], rate: number, seconds: number): Promise<number> {
  const connection = await HttpConnection.open(access);
  const started = performance.now();
  const total = rate * seconds;
  for (let i = 0; i < total; i += 1) {
    const early = (i * 1000) / rate - (performance.now() - started);
    if (early > 1) await setTimeout(early);
    const body = JSON.stringify({ metadata: { annotations: { 'bench/change': String(i) } } });
    const contentType = 'application/merge-patch+json';
    const path = targets[i % targets.length] as string;
    const { code } = await connection.send(requestBytes({ method: 'PATCH', path, contentType, body }));
    if (code !== 200) throw new Error(`PATCH ${path}: ${code}`);
  }
  connection.close();
  return total;
}
