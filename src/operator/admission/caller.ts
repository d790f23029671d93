import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { AcceptedPaths } from '../certificates/caller-paths.ts';
import { bare, splitPath } from '../certificates/path-segments.ts';

/** What a caller must show before it is listened to (I13). A caller that lacks any of it gets 404 and nothing else. */
export interface CallerRules {
  readonly paths: AcceptedPaths;
  /** Absent: no client certificate is asked for. */
  readonly clients?: ClientRules;
  /** Whether a bearer token is one of an API server's. Absent: none is asked for. Never rejects. */
  readonly isToken?: (token: string) => Promise<boolean>;
  /** Told of every caller that is not proven, and where it called from. */
  readonly onUnproven?: (lacks: Unproven, from: string) => void;
}

export interface ClientRules {
  /** PEM: who signs the certificates of API servers. */
  readonly authorities: string;
  /** Common names, or names for hosts, of which the certificate must have one: an authority may sign others' certificates as well. */
  readonly names: readonly string[];
}

export type Unproven = 'path' | 'certificate' | 'token';

export type Caller =
  | { readonly kind: 'proven'; readonly path: string; readonly query: string }
  | { readonly kind: 'unproven'; readonly lacks: Unproven };

/** From the head of a request alone: not a byte of the body is read. */
export function proveCaller(request: IncomingMessage, rules: CallerRules): Caller | Promise<Caller> {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const called = splitPath(mark < 0 ? url : url.slice(0, mark));
  const segment = called?.segment ?? bare;
  const query = mark < 0 ? '' : url.slice(mark + 1);
  const caller = { kind: 'proven', path: called?.base ?? '', query } as const;
  if (called === undefined) return lacking('path');
  if (rules.clients !== undefined && !hasName(request, rules.clients)) return lacking('certificate');
  if (rules.paths.accepts(segment) && rules.isToken === undefined) return caller;
  return proveSlowly(request, segment, rules, caller);
}

async function proveSlowly(
  request: IncomingMessage,
  segment: string,
  { paths, isToken }: CallerRules,
  caller: Caller,
): Promise<Caller> {
  if (!paths.accepts(segment)) await paths.look();
  if (!paths.accepts(segment)) return lacking('path');
  if (isToken === undefined) return caller;
  const [, token = ''] = /^Bearer ([\x21-\x7e]{1,8192})$/.exec(request.headers.authorization ?? '') ?? [];
  return token !== '' && (await isToken(token)) ? caller : lacking('token');
}

function lacking(lacks: Unproven): Caller {
  return { kind: 'unproven', lacks };
}

/** The handshake has checked who signed it, and goes on with any: so what is refused is counted here. */
function hasName({ socket }: IncomingMessage, { names }: ClientRules): boolean {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return false;
  const common = /(?:^|\n)CN=(.*)/.exec(certificate.subject)?.[1];
  const hosts = (certificate.subjectAltName ?? '').split(', ').map((one) => one.replace(/^DNS:/, ''));
  return names.some((name) => name === common || hosts.includes(name));
}
