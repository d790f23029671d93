import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { bare, splitPath } from '../../../trust/path-segments.ts';
import type { AcceptedPaths } from '../../certificates/caller-paths.ts';
import { type ClientAuthorities, fingerprintsOf } from '../../certificates/client-authorities.ts';
import type { Deadline } from '../deadline.ts';

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
  /** Who signs the certificates of API servers. */
  readonly authorities: ClientAuthorities;
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
function hasName({ socket }: IncomingMessage, { names, authorities }: ClientRules): boolean {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  if (!isSignedBy(socket, authorities.current())) return false;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return false;
  const common = /(?:^|\n)CN=(.*)/.exec(certificate.subject)?.[1];
  const hosts = (certificate.subjectAltName ?? '').split(', ').map((one) => one.replace(/^DNS:/, ''));
  return names.some((name) => name === common || hosts.includes(name));
}

/** By which authorities a connection was last found to be good: most calls come on a connection that was checked before. */
const checked = new WeakMap<TLSSocket, string>();

/** The authorities may be others than when the handshake was made, and API servers keep connections for long. */
function isSignedBy(socket: TLSSocket, authorities: string): boolean {
  if (checked.get(socket) === authorities) return true;
  const trusted = fingerprintsOf(authorities);
  const signed = chainOf(socket).some((fingerprint) => trusted.has(fingerprint));
  if (signed) checked.set(socket, authorities);
  return signed;
}

/** No chain that is believed is longer. */
const maxChain = 10;

function chainOf(socket: TLSSocket): readonly string[] {
  const fingerprints: string[] = [];
  let one = socket.getPeerCertificate(true);
  while (one?.fingerprint256 !== undefined && fingerprints.length < maxChain) {
    fingerprints.push(one.fingerprint256);
    // An authority that signed itself is its own issuer.
    if (one.issuerCertificate === one) break;
    one = one.issuerCertificate;
  }
  return fingerprints;
}

export type RequestBody =
  /** Its memory is the reader's, until it gives it back. */
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly release: () => void }
  /** It is longer than a review can be. */
  | { readonly kind: 'tooLarge' }
  /** All bodies that are being read now are more than the memory that is set aside for them. */
  | { readonly kind: 'busy' }
  /** It did not come in time. */
  | { readonly kind: 'late' }
  /** The client went away. */
  | { readonly kind: 'gone' };

export interface BodyLimits {
  /** Of one review. */
  readonly maxBytes: number;
  /** Of all reviews that are being read. */
  readonly maxReadingBytes: number;
  /** Of that, what only small reviews may take: a few large ones must not stop all others. */
  readonly smallShareBytes: number;
  /** A review that says it has no more than this is small: more than nine in ten pods are. */
  readonly smallBytes: number;
  /** How long the body may take to begin to arrive, and at least how fast it must come then. */
  readonly graceMs: number;
  readonly minBytesPerSecond: number;
}

/** How many bytes all bodies together may hold. */
export class BodyMemory {
  readonly #limits: BodyLimits;
  #used = 0;
  #usedByLarge = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  isSmall(announced: number | undefined): boolean {
    return announced !== undefined && announced <= this.#limits.smallBytes;
  }

  take(bytes: number, small: boolean): boolean {
    const { maxReadingBytes, smallShareBytes } = this.#limits;
    if (this.#used + bytes > maxReadingBytes) return false;
    if (!small && this.#usedByLarge + bytes > maxReadingBytes - smallShareBytes) return false;
    this.#used += bytes;
    if (!small) this.#usedByLarge += bytes;
    return true;
  }

  give(bytes: number, small: boolean): void {
    this.#used -= bytes;
    if (!small) this.#usedByLarge -= bytes;
  }
}

/** When a body of this size must have arrived, from the head of its request on. */
function bodyMs({ maxBytes, graceMs, minBytesPerSecond }: BodyLimits, announced = maxBytes): number {
  return graceMs + Math.ceil((Math.min(announced, maxBytes) / minBytesPerSecond) * 1_000);
}

/**
 * Reads a body up to the limit. What is too much is still taken from the wire, for a while, and thrown away: a client that is cut
 * off while it writes never reads why.
 */
export function readRequestBody(
  request: IncomingMessage,
  limits: BodyLimits,
  memory: BodyMemory,
  callDeadline: Deadline,
): Promise<RequestBody> {
  return new Promise((resolve) => {
    const { 'content-length': length } = request.headers;
    const announced = length === undefined ? undefined : Number(length);
    const deadline = callDeadline.within(bodyMs(limits, announced));
    const collected = new Collected(limits.maxBytes, memory, announced);
    const finish = (body: RequestBody) => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      unsubscribe();
      deadline.release();
      if (body.kind !== 'read') collected.forget();
      request.resume();
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      if (!collected.add(chunk)) finish({ kind: 'tooLarge' });
    };
    const onEnd = () => finish(collected.body());
    const onGone = () => finish({ kind: 'gone' });
    let unsubscribe = () => {};
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
    unsubscribe = deadline.onEnd((kind) => finish({ kind }));
  });
}

/** What has arrived of one body. */
class Collected {
  readonly #limit: number;
  readonly #memory: BodyMemory;
  readonly #small: boolean;
  #chunks: Buffer[] = [];
  #kept = 0;
  #received = 0;
  #refused: 'tooLarge' | 'busy' | undefined;

  constructor(limit: number, memory: BodyMemory, announced: number | undefined) {
    this.#limit = limit;
    this.#memory = memory;
    this.#small = memory.isSmall(announced);
    this.#refused = (announced ?? 0) > limit ? 'tooLarge' : undefined;
  }

  /** False: it is not worth listening any longer. */
  add(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#received > this.#limit) this.#refused ??= 'tooLarge';
    if (this.#refused === undefined && !this.#memory.take(chunk.length, this.#small)) this.#refused = 'busy';
    if (this.#refused === undefined) {
      this.#kept += chunk.length;
      this.#chunks.push(chunk);
    } else this.forget();
    return this.#received <= 2 * this.#limit;
  }

  forget(): void {
    this.#memory.give(this.#kept, this.#small);
    this.#kept = 0;
    this.#chunks = [];
  }

  body(): RequestBody {
    if (this.#refused !== undefined) return { kind: this.#refused };
    // Most reviews arrive in one piece.
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    return { kind: 'read', bytes, release: () => this.forget() };
  }
}
