/** Network failures in the words that people know from API server logs and search for. */

import { isIP } from 'node:net';

interface NetworkError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly Error[];
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

const unknownAuthority: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

const dialProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  ETIMEDOUT: 'i/o timeout',
};

export function failureText(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const error = failure as NetworkError;
  const code = error.code ?? '';
  // A host with several addresses fails with one error for each.
  if (error.errors?.[0]) return failureText(error.errors[0]);
  if (unknownAuthority.has(code)) return certificate('certificate signed by unknown authority');
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return certificate('certificate has expired or is not yet valid');
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return certificate(wrongName(error));
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${error.hostname ?? ''}: no such host`;
  const dial = Object.hasOwn(dialProblems, code) ? dialProblems[code] : undefined;
  if (dial !== undefined) return `dial tcp ${hostPort(error)}: ${dial}`;
  if (error.message === 'socket hang up') return 'EOF';
  if (code === 'ECONNRESET') return 'read: connection reset by peer';
  if (/wrong version number|packet length too long/.test(error.message)) {
    return 'http: server gave HTTP response to HTTPS client';
  }
  return error.message;
}

function certificate(problem: string): string {
  return `tls: failed to verify certificate: x509: ${problem}`;
}

function wrongName({ host = '', cert }: NetworkError): string {
  const names = (cert?.subjectaltname ?? '').split(', ');
  const prefix = isIP(host) === 0 ? 'DNS:' : 'IP Address:';
  const valid = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (valid.length > 0) return `certificate is valid for ${valid.join(', ')}, not ${host}`;
  if (isIP(host) === 0) return `certificate is not valid for any names, but wanted to match ${host}`;
  return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
}

function hostPort({ address = '', port = 0 }: NetworkError): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What a status code outside 2xx means to a client of the API server's own kind. */
const statusProblems: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

const maxShownText = 2_048;

/** `body` is undefined where the answer is not text. */
export function statusText(code: number, body: string | undefined): string {
  const said = body === undefined ? 'unknown' : body.slice(0, maxShownText).trim();
  if (code === 403 || code === 415) return said;
  if (code === 406) {
    return said === '' || said === 'unknown'
      ? 'the server was unable to respond with a content type that the client supports'
      : said;
  }
  const known = statusProblems[code];
  if (known !== undefined) return known;
  if (code >= 500) return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
