import { type AgentOptions, type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';

/** Where a tunnel ends. */
export interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/** A proxy that has not answered by then is taken for dead: it has to connect to the server first. */
const tunnelMs = 15_000;

/** A connection to a server by way of an HTTP proxy (CONNECT). The proxy forwards bytes, and reads none of them. */
export function openTunnel(proxy: URL, { host, port }: TunnelEnd): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`proxy ${proxy.host}: ${why}`));
    const asking = askProxy(proxy, authority);
    asking.setTimeout(tunnelMs, () => asking.destroy(new Error(`no answer within ${tunnelMs / 1_000} s`)));
    asking.once('error', (error) => fail(error.message));
    asking.once('response', (answer) => {
      answer.resume();
      fail(`it answered ${answer.statusCode} to CONNECT ${authority}`);
    });
    asking.once('connect', (answer, socket: Socket, head: Buffer) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        fail(refusal(answer.statusCode, answer.statusMessage, authority));
        return;
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.end();
  });
}

function refusal(code: number | undefined, message: string | undefined, authority: string): string {
  const hint = code === 407 ? '; put the user and the password into its address' : '';
  return `it refuses a connection to ${authority} (${code} ${message ?? ''})${hint}`;
}

function askProxy(proxy: URL, authority: string): ClientRequest {
  const secure = proxy.protocol === 'https:';
  const host = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const options = {
    method: 'CONNECT',
    host,
    // Node would expect the name in the Host header, which is the server's, in the certificate of the proxy.
    servername: isIP(host) === 0 ? host : '',
    port: proxy.port === '' ? (secure ? 443 : 80) : Number(proxy.port),
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
    // A connection of its own: it becomes the tunnel.
    agent: false,
  };
  return secure ? httpsRequest(options) : httpRequest(options);
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** TLS with the server at the other end; the proxy sees only that it is TLS. */
export function secureTunnel(socket: Socket, options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({ ...options, socket });
    secured.once('secureConnect', () => {
      secured.off('error', reject);
      resolve(secured);
    });
    secured.once('error', reject);
    secured.once('close', () => reject(new Error('the connection was closed')));
  });
}

type Created = (error: Error | null, stream: Duplex) => void;

/** Keeps connections that go through a proxy. They are secured before a request gets them, so HTTP is all it speaks. */
export class TunnelAgent extends HttpAgent {
  readonly #open: () => Promise<Duplex>;

  constructor(options: AgentOptions, open: () => Promise<Duplex>) {
    super(options);
    this.#open = open;
  }

  override createConnection(_: object, created?: Created): undefined {
    this.#open().then(
      (stream) => created?.(null, stream),
      // The type asks for a stream; Node looks at the error alone.
      (error: unknown) => created?.(error instanceof Error ? error : new Error(String(error)), new Socket()),
    );
  }
}
