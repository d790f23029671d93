import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Access } from '../support/kube-http.ts';

/** A TLS connection on which a test sends what it likes. */
export class RawConnection {
  readonly socket: TLSSocket;
  #received = '';
  #closed = false;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (data: Buffer) => {
      this.#received += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
    });
  }

  static async open(access: Access): Promise<RawConnection> {
    const { hostname, port } = new URL(access.server);
    const { ca, certificate, key } = access;
    const socket = connect({ host: hostname, port: Number(port), ca, cert: certificate, key });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  send(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Everything that came, once the server has closed the connection. */
  async untilClosed(): Promise<string> {
    if (!this.#closed) await new Promise((resolve) => this.socket.once('close', resolve));
    return this.#received;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Status code and body of an answer as it came over the wire. */
export function answerIn(received: string): { code: number; body: Record<string, unknown> } {
  const code = Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? '0');
  const at = received.indexOf('\r\n\r\n');
  return { code, body: JSON.parse(received.slice(at + 4)) as Record<string, unknown> };
}
