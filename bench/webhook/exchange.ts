import { connect, type TLSSocket } from 'node:tls';
import type { Endpoint } from './messages.ts';

const headEnd = Buffer.from('\r\n\r\n');

export interface Answer {
  readonly code: number;
  readonly body: Buffer;
}

/** One kept connection with one request at a time, and short answers that are read whole. */
export class Exchange {
  readonly #socket: TLSSocket;
  #received: Buffer = Buffer.alloc(0);
  #answered: ((answer: Answer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data: Buffer) => this.#read(data));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
  }

  static open({ port, ca }: Endpoint): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca });
      socket.once('error', reject);
      socket.once('secureConnect', () => resolve(new Exchange(socket)));
    });
  }

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? '0');
    const start = end + headEnd.length;
    if (this.#received.length < start + length) return;
    const body = this.#received.subarray(start, start + length);
    this.#received = Buffer.alloc(0);
    this.#answered?.({ code: Number(head.slice(9, 12)), body });
  }
}
