import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { createPki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../packages/embedded-cluster/src/time/clock.ts';
import type { Access } from '../../packages/holdfast/src/kube/config/access.ts';

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly isWatch: boolean;
}

/** What becomes of a request: it goes on, its connection breaks before or after it happened, or it is answered in the server's place. */
export type Fate =
  | { readonly kind: 'pass' }
  | { readonly kind: 'cut' }
  /** After something else has been done. */
  | { readonly kind: 'cutAnswer'; readonly first: () => Promise<void> }
  | { readonly kind: 'answer'; readonly code: number; readonly body: unknown };

interface Answered extends Asked {
  readonly code: number;
  /** Of refusals only. */
  readonly text: string;
}

const host = '127.0.0.1';
export const pass: Fate = { kind: 'pass' };
export const cut: Fate = { kind: 'cut' };

function refusal(code: number, reason: string, message: string): Fate {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return { kind: 'answer', code, body: { ...status, reason, code, message } };
}

/** To a write with an old resourceVersion. */
export const conflict = refusal(409, 'Conflict', 'the object has been modified; please apply your changes again');
/** To a watch from so long ago that the server no longer knows what happened since. */
export const expired = refusal(410, 'Expired', 'too old resource version');

/**
 * Stands between a client with a token and an API server, and does what a test says to the requests that come by. It ends TLS,
 * so clients with certificates are anonymous behind it.
 */
export class ApiProxy {
  /** Called for each request; waiting in it holds the request back. */
  fate: (asked: Asked) => Fate | Promise<Fate> = () => pass;
  /** Told what the server said. */
  readonly answers: Answered[] = [];
  readonly #origin: URL;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #certificate: string;
  readonly #sockets = new Set<Duplex>();
  readonly #watches = new Set<{ readonly from: IncomingMessage; readonly to: ServerResponse }>();

  private constructor({ server, ca }: Access) {
    const { caCertificate, serverCertificate, serverKey } = createPki({ clock: realClock }).material;
    if (ca?.kind !== 'inline') throw new Error('the proxy needs the certificate of the server, not the name of a file');
    this.#origin = server;
    this.#agent = new Agent({ keepAlive: true, ca: ca.text });
    this.#certificate = caCertificate;
    this.#server = createServer({ cert: serverCertificate, key: serverKey }, (from, to) => void this.#take(from, to));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static start(access: Access): Promise<ApiProxy> {
    const proxy = new ApiProxy(access);
    return new Promise((resolve) => proxy.#server.listen(0, host, () => resolve(proxy)));
  }

  /** The same user, by way of the proxy. */
  through(access: Access): Access {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return {
      ...access,
      server: new URL(`https://${host}:${port}`),
      serverName: undefined,
      ca: { kind: 'inline', text: this.#certificate },
    };
  }

  get watches(): number {
    return this.#watches.size;
  }

  /** The connections of all watches break. */
  cutWatches(): void {
    for (const { to } of this.#watches) to.destroy();
  }

  /** The watches that are open say nothing any more, and stay open. New ones are as they should be. */
  stallWatches(): void {
    for (const { from, to } of this.#watches) {
      from.unpipe(to);
      from.pause();
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await closed;
  }

  async #take(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = '', url = '' } = from;
    const asked = { method, path: url, isWatch: url.includes('watch=true') };
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return void to.destroy();
    }
    const fate = await this.fate(asked);
    if (fate.kind === 'cut') return void to.destroy();
    if (fate.kind === 'answer') {
      to.writeHead(fate.code, { 'content-type': 'application/json' });
      return void to.end(JSON.stringify(fate.body));
    }
    this.#send(asked, { headers: from.headers, body: Buffer.concat(chunks) }, to, fate);
  }

  #send(
    asked: Asked,
    { headers, body }: { headers: IncomingMessage['headers']; body: Buffer },
    to: ServerResponse,
    fate: Exclude<Fate, { kind: 'cut' | 'answer' }>,
  ): void {
    const { method, path } = asked;
    const outgoing = httpsRequest(new URL(path, this.#origin), { method, headers, agent: this.#agent });
    outgoing.on('error', () => to.destroy());
    to.on('close', () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      if (fate.kind === 'cutAnswer') {
        answer.resume();
        return void answer.on('end', () => void fate.first().finally(() => to.destroy()));
      }
      this.#note(asked, answer);
      if (asked.isWatch) this.#follow({ from: answer, to });
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      to.flushHeaders();
      answer.on('error', () => to.destroy());
      answer.pipe(to);
    });
    outgoing.end(body);
  }

  #note(asked: Asked, answer: IncomingMessage): void {
    const code = answer.statusCode ?? 0;
    if (code < 400) return void this.answers.push({ ...asked, code, text: '' });
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => this.answers.push({ ...asked, code, text: Buffer.concat(chunks).toString('utf8') }));
  }

  #follow(watch: { readonly from: IncomingMessage; readonly to: ServerResponse }): void {
    this.#watches.add(watch);
    watch.to.once('close', () => this.#watches.delete(watch));
  }
}
