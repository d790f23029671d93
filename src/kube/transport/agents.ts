import { Agent as HttpAgent, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Target, TlsMaterial } from './target.ts';

/** The API server closes idle connections after 90 s; one that closes while we write to it costs a retry. */
const idleMs = 60_000;
const tcpKeepAliveMs = 30_000;

/** Connections to one server, kept alive. A new certificate of ours means new connections. */
export class Agents {
  readonly #target: Target;
  #agent: HttpAgent | undefined;
  #material: TlsMaterial | undefined;

  constructor(target: Target) {
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
    if (server.protocol === 'http:') return new HttpAgent(options);
    return new HttpsAgent({
      ...options,
      ...tlsOptionsOf(this.#target, material),
      ...(serverName === undefined ? {} : { servername: serverName }),
    });
  }
}

/** Keeps connections that somebody else makes. */
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

export function tlsOptionsOf(
  { verify }: Target,
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
export function addressOf(server: URL): RequestOptions {
  const port = server.port === '' ? (server.protocol === 'http:' ? 80 : 443) : Number(server.port);
  return { host: server.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}
