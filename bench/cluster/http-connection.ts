import { connect, type TLSSocket } from 'node:tls';
import type { Access, Request } from './messages.ts';

export interface Answer {
  readonly code: number;
  readonly bytes: number;
}

const headEnd = Buffer.from('\r\n\r\n');
/** Ends an answer in chunks. JSON has no line breaks of this kind, so it stands nowhere else. */
const lastChunk = '0\r\n\r\n';

/**
 * One HTTP/1.1 connection with one request at a time. It reads no more of an answer than it needs to know where the answer
 * ends: the load must cost less than what it loads.
 */
export class HttpConnection {
  readonly #socket: TLSSocket;
  #head: Buffer = Buffer.alloc(0);
  #code = 0;
  #missing = 0;
  #length = 0;
  #inBody = false;
  /** The last bytes of an answer in chunks, whose length is not known before; undefined for others. */
  #tail: string | undefined;
  #answered: ((answer: Answer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data: Buffer) => this.#read(data));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
  }

  static open({ port, ca, certificate, key }: Access): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca, cert: certificate, key });
      socket.once('error', reject);
      socket.once('secureConnect', () => resolve(new HttpConnection(socket)));
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
    if (this.#inBody) {
      this.#body(data);
      return;
    }
    this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
    const end = this.#head.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#head.toString('latin1', 0, end);
    const rest = this.#head.subarray(end + headEnd.length);
    this.#head = Buffer.alloc(0);
    this.#code = Number(head.slice(9, 12));
    this.#length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? '0');
    this.#missing = this.#length;
    this.#tail = /transfer-encoding: chunked/i.test(head) ? '' : undefined;
    this.#inBody = true;
    this.#body(rest);
  }

  #body(data: Buffer): void {
    if (this.#tail !== undefined) {
      this.#length += data.length;
      this.#tail = `${this.#tail}${data.toString('latin1', Math.max(0, data.length - lastChunk.length))}`;
      this.#tail = this.#tail.slice(-lastChunk.length);
      if (this.#tail !== lastChunk) return;
    } else {
      this.#missing -= data.length;
      if (this.#missing > 0) return;
    }
    this.#inBody = false;
    this.#answered?.({ code: this.#code, bytes: this.#length });
  }
}

export function requestBytes({ method, path, contentType = 'application/json', body }: Request): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', 'user-agent: bench/1.0', 'accept: application/json'];
  if (body !== undefined) lines.push(`content-type: ${contentType}`, `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
