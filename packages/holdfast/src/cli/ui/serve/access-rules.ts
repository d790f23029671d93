import { createHash, timingSafeEqual } from 'node:crypto';

/** What a request says of itself. */
export interface Credentials {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`: browsers say where a request comes from. */
  readonly site: string | undefined;
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
}

export interface Secrets {
  /** In the address that is printed. */
  readonly token: string;
  /** In the cookie: not the token, which stays in the history of browsers. */
  readonly session: string;
}

export type AccessDecision =
  | { readonly kind: 'admitted' }
  /** 403: it comes by another name or from another page. */
  | { readonly kind: 'foreign'; readonly why: string }
  /** 401: it proves nothing. */
  | { readonly kind: 'unknown' };

/** Cookies know no ports: two servers on one machine must not take each other's. */
function cookieName(port: number): string {
  return `holdfast-ui-${port}`;
}

function hostsOf(port: number): readonly string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`);
}

/**
 * A name that resolves to this machine (DNS rebinding) fails by its Host, a page of another site by its Origin and by the cookie, which
 * browsers do not send for other sites (SameSite=Strict).
 */
export function admit(request: Credentials, port: number, secrets: Secrets): AccessDecision {
  const foreign = foreignness(request, port);
  if (foreign !== undefined) return { kind: 'foreign', why: foreign };
  const known = [cookieValue(request.cookie, cookieName(port)), bearerOf(request.authorization)];
  const isKnown = isEqual(known[0], secrets.session) || isEqual(known[1], secrets.token);
  return isKnown ? { kind: 'admitted' } : { kind: 'unknown' };
}

/** Why the request is not one of our own page or of a program of this machine; undefined: it is. */
export function foreignness({ host, origin, site }: Credentials, port: number): string | undefined {
  const hosts = hostsOf(port);
  if (host === undefined || !hosts.includes(host.toLowerCase())) return 'the Host of the request is not this server';
  if (origin !== undefined && !hosts.some((one) => origin === `http://${one}`)) {
    return 'the request comes from a page of another origin';
  }
  if (site !== undefined && !['same-origin', 'none'].includes(site)) return 'the request comes from another site';
  return undefined;
}

export function isToken(given: string | undefined, { token }: Secrets): boolean {
  return isEqual(given, token);
}

/** HttpOnly: no script reads it. Without Secure, because loopback has no TLS. It ends with the browser's session. */
export function cookieFor(port: number, { session }: Secrets): string {
  return `${cookieName(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`;
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}

function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(header ?? '')?.[1];
}

/** In a time that does not depend on where they differ. */
function isEqual(given: string | undefined, secret: string): boolean {
  if (given === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
