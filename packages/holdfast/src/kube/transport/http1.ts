import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, ConnectionOptions as TlsConnectionOptions } from 'node:tls';
import { failedAttempt, pathBelow, requestHeadersOf, type Sent, type Timebox } from './attempt.ts';
import type { ClientIdentity, ServerTarget, TlsMaterial } from './target.ts';
import { openTunnel, secureTunnel, TunnelAgent, type TunnelEnd } from './tunnel.ts';
import { connectionFailure, credentialsFailure, endFailure, type WireRequest } from './wire.ts';

/**
 * Node.js takes its own listener off a socket when an answer has ended, and the agent puts another one on a moment later. A request that
 * is aborted in between destroys the socket with an error that nothing listens to, which would end the process. The request itself
 * reports its errors elsewhere.
 */
const ignoreError = () => undefined;

/** Requests over HTTP/1.1, on connections that are kept. */
export class Http1 {
  readonly #target: ServerTarget;
  readonly #userAgent: string;
  readonly #agents: Agents;

  constructor(target: ServerTarget, userAgent: string) {
    this.#target = target;
    this.#userAgent = userAgent;
    this.#agents = new Agents(target);
  }

  /** Connections that exist may be dead, without having been closed: those that are idle are not used again. */
  dropIdle(): void {
    this.#agents.dropIdle();
  }

  close(): void {
    this.#agents.close();
  }

  send(request: WireRequest, identity: ClientIdentity, timebox: Timebox): Promise<Sent> {
    return new Promise((resolve) => {
      const sending = this.#begin(request, identity);
      if (sending instanceof Error) return resolve(failedAttempt(credentialsFailure(sending)));
      let connected = false;
      sending.on('socket', (socket) => {
        if (!socket.listeners('error').includes(ignoreError)) socket.on('error', ignoreError);
        if (!socket.connecting) connected = true;
        else
          socket.once(this.#target.server.protocol === 'http:' ? 'connect' : 'secureConnect', () => (connected = true));
      });
      sending.on('response', (body) => {
        // A reader sees the error as well; but it may come while nothing reads the body, and would then end the process.
        body.on('error', () => {});
        resolve({ kind: 'answered', code: body.statusCode ?? 0, headers: body.headers, body });
      });
      sending.on('error', (error) => {
        if (timebox.ended !== undefined) {
          // A kept connection that gives no answer may be one of many that a network lost at the same moment.
          if (timebox.ended === 'deadline' && sending.reusedSocket) this.dropIdle();
          return resolve(failedAttempt(endFailure(timebox, connected, request)));
        }
        const failure = connectionFailure(error, connected, request);
        // A kept connection may have been closed by the other side meanwhile. Only what changes nothing is sent twice.
        resolve({ kind: 'failed', failure, stale: sending.reusedSocket && request.method === 'GET' });
      });
      timebox.onEnd(() => sending.destroy(new Error(timebox.ended)));
      sending.end(request.body);
    });
  }

  /** A certificate that cannot be read, or a header that cannot be sent, shows here. */
  #begin(request: WireRequest, identity: ClientIdentity): ClientRequest | Error {
    try {
      return this.#request(request, identity);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #request(request: WireRequest, identity: ClientIdentity): ClientRequest {
    const { server, proxy } = this.#target;
    const options = {
      ...addressOf(server),
      method: request.method,
      path: pathBelow(server, request.path),
      headers: requestHeadersOf(request, identity, this.#userAgent) as OutgoingHttpHeaders,
      agent: this.#agents.for(identity.tls),
    };
    return server.protocol === 'http:' || proxy !== undefined ? httpRequest(options) : httpsRequest(options);
  }
}

/** The API server closes idle connections after 90 s; one that closes while we write to it costs a retry. */
const idleMs = 60_000;
const tcpKeepAliveMs = 30_000;

/** Connections to one server, kept alive. A new certificate of ours means new connections. */
export class Agents {
  readonly #target: ServerTarget;
  #agent: HttpAgent | undefined;
  #material: TlsMaterial | undefined;

  constructor(target: ServerTarget) {
    this.#target = target;
  }

  for(material: TlsMaterial): HttpAgent {
    if (this.#agent !== undefined && sameMaterial(this.#material, material)) return this.#agent;
    // Busy connections end with their requests: without an idle limit an agent lets go of them then.
    if (this.#agent !== undefined) {
      this.#agent.maxFreeSockets = 0;
      this.dropIdle();
    }
    this.#material = material;
    this.#agent = this.#create(material);
    return this.#agent;
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  /** Requests that are under way go on. */
  dropIdle(): void {
    for (const sockets of Object.values(this.#agent?.freeSockets ?? {})) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  #create(material: TlsMaterial): HttpAgent {
    const { server, serverName } = this.#target;
    if (this.#target.connect !== undefined) return new ConnectedAgent(this.#target.connect);
    const options = { keepAlive: true, keepAliveMsecs: tcpKeepAliveMs, timeout: idleMs };
    if (this.#target.proxy !== undefined) return new TunnelAgent(options, () => throughProxy(this.#target, material));
    if (server.protocol === 'http:') return new HttpAgent(options);
    return new HttpsAgent({
      ...options,
      ...tlsOptionsOf(this.#target, material),
      ...(serverName === undefined ? {} : { servername: serverName }),
    });
  }
}

/** A connection to the server through its proxy, secured as one without would be. */
async function throughProxy(target: ServerTarget, material: TlsMaterial): Promise<Duplex> {
  const { server, proxy } = target;
  if (proxy === undefined) throw new Error('the target has no proxy');
  const socket = await openTunnel(proxy, addressOf(server));
  return server.protocol === 'http:' ? socket : secureTunnel(socket, peerOptionsOf(target, material));
}

/** Whom to expect at the other end of a connection. */
export function peerOptionsOf(target: ServerTarget, material: TlsMaterial): TlsConnectionOptions {
  const { host } = addressOf(target.server);
  const servername = target.serverName ?? (isIP(host) === 0 ? host : undefined);
  return { ...tlsOptionsOf(target, material), host, ...(servername === undefined ? {} : { servername }) };
}

/** Keeps connections that its caller makes. */
class ConnectedAgent extends HttpAgent {
  readonly #connect: () => Duplex;

  constructor(connect: () => Duplex) {
    super({ keepAlive: true });
    this.#connect = connect;
  }

  override createConnection(): Duplex {
    return this.#connect();
  }
}

export function sameMaterial(left: TlsMaterial | undefined, right: TlsMaterial): boolean {
  return left?.ca === right.ca && left?.certificate === right.certificate && left?.key === right.key;
}

function tlsOptionsOf(
  { verify }: ServerTarget,
  { ca, certificate, key }: TlsMaterial,
): SecureContextOptions & {
  readonly rejectUnauthorized: boolean;
} {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: verify,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined || key === undefined ? {} : { cert: certificate, key }),
  };
}

/** Where the agent connects to. Brackets around an IPv6 address belong to URLs only. */
export function addressOf(server: URL): TunnelEnd {
  const port = server.port === '' ? (server.protocol === 'http:' ? 80 : 443) : Number(server.port);
  return { host: server.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}
