import type { Duplex } from 'node:stream';

/** What a connection needs to know of the other side, and of itself. */

export interface TlsMaterial {
  /** PEM. Without: the certificate authorities that Node trusts. */
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export interface ClientIdentity {
  readonly tls: TlsMaterial;
  /** Authorization and impersonation. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface ServerTarget {
  /** `https://host:port/prefix`; plain HTTP only where a person configured it. */
  readonly server: URL;
  /** The name to expect in the server's certificate, when it is not the host. */
  readonly serverName: string | undefined;
  readonly verify: boolean;
  /** An HTTP proxy between here and the server: `http://user:password@host:port`, or https. */
  readonly proxy?: URL | undefined;
  /** Asked before each request: tokens and certificates get old. Throws with a sentence for people. */
  identity(): Promise<ClientIdentity>;
  /** The server did not accept the identity (401): what was kept of it is not worth keeping. Says whether asking again may help. */
  forget(): boolean;
  /** Where there is no network: a new connection to the server. HTTP is spoken over it, without TLS. */
  connect?(): Duplex;
  /** What `connect` gives can die without being closed, as on a network. Absent: it cannot. */
  readonly connectionsDie?: boolean;
}
