import type { OutgoingHttpHeaders } from 'node:http';
import type { ProbeHandler } from '@holdfast/base/probes/probe-handler';

export type HttpGet = Extract<ProbeHandler, { kind: 'httpGet' }>;

export const userAgent = 'kube-probe/holdfast';

/** The path is taken as it is written: a second slash must not become a host, nor a question mark a part of the path. */
export function urlOf({ scheme, path }: HttpGet, host: string, port: number): URL {
  const url = new URL(`${scheme.toLowerCase()}://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const [text = ''] = path.split('#', 1);
  const mark = text.indexOf('?');
  url.pathname = mark < 0 ? text : text.slice(0, mark);
  url.search = mark < 0 ? '' : text.slice(mark);
  return url;
}

/** As the kubelet has them: what the probe says counts, and an empty Accept is none. */
export function probeHeadersOf({ httpHeaders }: HttpGet): OutgoingHttpHeaders {
  const headers = new Map<string, string[]>([
    ['user-agent', [userAgent]],
    ['accept', ['*/*']],
  ]);
  const given = new Set<string>();
  for (const { name, value } of httpHeaders) {
    const key = name.toLowerCase();
    const values = given.has(key) ? (headers.get(key) ?? []) : [];
    given.add(key);
    headers.set(key, [...values, value]);
  }
  if (headers.get('accept')?.[0] === '') headers.delete('accept');
  // Node takes lists for most headers, but a single host.
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

export type Next =
  /** Not a redirect, or one that says nowhere to go. */
  | { readonly kind: 'here' }
  | { readonly kind: 'follow'; readonly url: URL; readonly keepHost: boolean }
  | { readonly kind: 'elsewhere'; readonly host: string }
  | { readonly kind: 'bad'; readonly why: string };

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRequests = 10;

/** Where an answer leads. Only the first host is asked: what another one says is about something else. */
export function nextStop(first: URL, current: URL, made: number, code: number, location: string | undefined): Next {
  if (!redirects.has(code) || location === undefined || location === '') return { kind: 'here' };
  if (!URL.canParse(location, current.href)) return { kind: 'bad', why: 'redirected to something that is not a URL' };
  const url = new URL(location, current);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { kind: 'bad', why: `redirected to the scheme ${url.protocol.slice(0, -1)}` };
  }
  if (url.hostname !== first.hostname) return { kind: 'elsewhere', host: url.hostname };
  if (made >= maxRequests) return { kind: 'bad', why: `stopped after ${maxRequests} redirects` };
  // A Host header of the probe's own is about the URL that it was given for.
  return { kind: 'follow', url, keepHost: !URL.canParse(location) };
}
