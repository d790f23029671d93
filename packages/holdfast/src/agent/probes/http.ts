import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type AttemptTerms, attempt, type ProbeAttempt } from './attempt.ts';
import { type HttpGet, type Next, nextStop, probeHeadersOf, urlOf } from './http-request.ts';
import type { Lookups } from './lookup.ts';
import { errorText, type ProbeResult, probeFailed, probeSucceeded } from './probe-result.ts';

/** What a body has beyond this is not waited for. */
const maxBodyBytes = 10 * 1024;

export interface HttpTarget {
  readonly handler: HttpGet;
  readonly host: string;
  readonly port: number;
  readonly lookups: Lookups;
}

interface Visit {
  readonly first: URL;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  /** Requests made, this one included. */
  readonly made: number;
  readonly lookup: LookupFunction;
}

/**
 * Asks as the kubelet does: certificates are not verified, redirects are followed on the same host, and 200 to 399 is a success.
 * Bodies are never shown: a probe may name any host, and readers of the pod's status must not read that host's answers.
 */
export function probeHttp(terms: AttemptTerms, { handler, host, port, lookups }: HttpTarget): Promise<ProbeResult> {
  return attempt(terms, (to) => {
    const url = urlOf(handler, host, port);
    visit(to, { first: url, url, headers: probeHeadersOf(handler), made: 1, lookup: lookups.of(to) });
  });
}

function visit(to: ProbeAttempt, { url, headers, ...rest }: Visit): void {
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const path = `${url.pathname}${url.search}`;
  // Each probe has a connection of its own: one that was kept could outlive what it was opened to.
  const common = { host, port, path, headers, lookup: rest.lookup, agent: false } as const;
  const sent = isTls
    ? httpsRequest({ ...common, ...trusting(), servername: isIP(host) === 0 ? host : '' })
    : httpRequest(common);
  to.onEnd(() => sent.destroy());
  let left = false;
  sent.on('response', (response) => {
    const next = nextStop(rest.first, url, rest.made, response.statusCode ?? 0, response.headers.location);
    left = next.kind === 'follow';
    if (next.kind !== 'follow') arrive(to, response, next);
    else {
      sent.destroy();
      follow(to, { url, headers, ...rest }, next);
    }
  });
  sent.on('upgrade', (response) =>
    to.settle(probeFailed(`HTTP status ${response.statusCode}: the protocol was changed`)),
  );
  sent.on('error', (error) => {
    // What is left behind may end as it likes.
    if (!left) to.settle(probeFailed(error.message));
  });
  sent.end();
}

let context: SecureContext | undefined;

/** Any certificate is accepted. Shared: a new context for each connection would be a quarter of what the connection costs. */
function trusting() {
  context ??= createSecureContext();
  return { rejectUnauthorized: false, secureContext: context };
}

function follow(
  to: ProbeAttempt,
  { headers, made, ...rest }: Visit,
  { url, keepHost }: Extract<Next, { kind: 'follow' }>,
): void {
  const { host: _, ...others } = headers;
  try {
    visit(to, { ...rest, url, headers: keepHost ? headers : others, made: made + 1 });
  } catch (error) {
    to.settle(probeFailed(errorText(error)));
  }
}

function arrive(to: ProbeAttempt, response: IncomingMessage, next: Exclude<Next, { kind: 'follow' }>): void {
  const code = response.statusCode ?? 0;
  if (code < 200 || code >= 400) to.settle(probeFailed(`HTTP status ${code}`));
  else if (next.kind === 'bad') to.settle(probeFailed(next.why));
  else if (code < 300) readToEnd(to, response, probeSucceeded(`HTTP status ${code}`));
  else {
    const why =
      next.kind === 'here'
        ? 'the redirect has no Location'
        : `redirected to another host, ${next.host}, which is not called`;
    readToEnd(to, response, { ...probeSucceeded(`HTTP status ${code}: ${why}`), warning: true });
  }
}

/** An answer that does not end is none. */
function readToEnd(to: ProbeAttempt, response: IncomingMessage, result: ProbeResult): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size >= maxBodyBytes) to.settle(result);
  });
  response.on('end', () => to.settle(result));
  response.on('error', (error) => to.settle(probeFailed(`the connection broke during the answer: ${error.message}`)));
}
