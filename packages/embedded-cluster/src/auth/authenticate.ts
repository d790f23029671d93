import type { PeerCertificate, TLSSocket } from 'node:tls';
import { authenticatedGroup, credentialIdKey, withGroup } from './identities.ts';
import type { ServiceAccountTokens } from './tokens/service-account-tokens.ts';
import type { User } from './user.ts';

export interface Credentials {
  /** From the TLS connection, see `certificateUser`. */
  readonly certificate: User | undefined;
  /** The Authorization header. */
  readonly authorization: string | undefined;
}

export interface Authenticator {
  /** Who asks; undefined without credentials, and for those that prove nothing: the answer is a 401. */
  authenticate(credentials: Credentials): User | undefined;
  /** What a token alone proves, for TokenReviews. */
  authenticateToken(token: string, audiences: readonly string[] | undefined): TokenOutcome;
}

export type TokenOutcome =
  | { readonly authenticated: true; readonly user: User; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string };

export interface AuthenticatorOptions {
  /** Tokens that were handed out beforehand, and for whom. */
  readonly staticTokens: ReadonlyMap<string, User>;
  readonly serviceAccounts: ServiceAccountTokens;
}

/** A certificate goes before a token; a bad token beside a good certificate does no harm, and the other way round. */
export function createAuthenticator({ staticTokens, serviceAccounts }: AuthenticatorOptions): Authenticator {
  const authenticateToken: Authenticator['authenticateToken'] = (token, audiences) => {
    const known = staticTokens.get(token);
    if (known) return staticOutcome(known, audiences, serviceAccounts.audiences);
    const verdict = serviceAccounts.verify(token, audiences);
    switch (verdict.kind) {
      case 'genuine':
        return { authenticated: true, user: authenticated(verdict.user), audiences: verdict.audiences };
      case 'foreign':
        return { authenticated: false, error: 'invalid bearer token' };
      case 'refused':
        return { authenticated: false, error: `[invalid bearer token, ${verdict.why}]` };
    }
  };
  return {
    authenticateToken,
    authenticate({ certificate, authorization }) {
      if (certificate) return authenticated(certificate);
      const token = bearerToken(authorization);
      const outcome = token === undefined ? undefined : authenticateToken(token, undefined);
      return outcome?.authenticated ? outcome.user : undefined;
    },
  };
}

/** Such a token says nothing about audiences, so it is for the API server alone. */
function staticOutcome(user: User, audiences: readonly string[] | undefined, own: readonly string[]): TokenOutcome {
  const shared = audiences ? own.filter((audience) => audiences.includes(audience)) : own;
  if (shared.length === 0) return { authenticated: false, error: 'invalid bearer token' };
  return { authenticated: true, user: authenticated(user), audiences: shared };
}

function authenticated(user: User): User {
  return { ...user, groups: withGroup(user.groups, authenticatedGroup) };
}

function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme, token] = authorization?.trim().split(' ') ?? [];
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}

/** Taking a certificate apart costs more than answering a request, and a connection has the same one all its life. */
const usersByConnection = new WeakMap<TLSSocket, User>();

/** The user that a connection's client certificate stands for, if it was issued by the CA the server was given. */
export function certificateUser(socket: TLSSocket): User | undefined {
  const known = usersByConnection.get(socket);
  if (known) return known;
  const user = readCertificate(socket);
  if (user) usersByConnection.set(socket, user);
  return user;
}

function readCertificate(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined;
  // Null once the connection is gone; empty for a resumed session without a certificate, which Node calls authorized.
  const peer: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  const name = listOf(peer?.subject?.CN).at(-1);
  if (!name || !peer?.fingerprint256) return undefined;
  const fingerprint = peer.fingerprint256.replaceAll(':', '').toLowerCase();
  return { name, groups: listOf(peer.subject?.O), extra: { [credentialIdKey]: [`X509SHA256=${fingerprint}`] } };
}

/** Node gives a list where a certificate has several; the types do not say so. */
function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}
