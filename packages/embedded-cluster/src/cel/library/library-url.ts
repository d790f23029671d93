import type { Environment } from '@marcbachmann/cel-js';

const sync = { async: false };

class Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(scheme: string, host: string, path: string, query: string) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }
}

const absolute = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?#\s]*)([^?#\s]*)(?:\?([^\s]*))?$/;
const relative = /^()()(\/[^?#\s]*)(?:\?([^\s]*))?$/;

/** As written: nothing is normalised, unlike URLs of browsers. */
function parseUrl(text: string): Url | undefined {
  const match = absolute.exec(text) ?? relative.exec(text);
  if (!match) return undefined;
  const [, scheme = '', authority = '', path = '', query = ''] = match;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (/%(?![0-9a-fA-F]{2})/.test(path) || !/^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.test(host)) return undefined;
  return new Url(scheme.toLowerCase(), host, path, query);
}

function urlOf(text: string): Url {
  const url = parseUrl(text);
  if (!url) throw new Error(`URL parse error during conversion from string: parse "${text}": invalid URI for request`);
  return url;
}

function queryOf(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}

export function registerUrl(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  environment.registerType('net.URL', Url);
  add('url(string): net.URL', urlOf);
  add('isURL(string): bool', (text: string) => parseUrl(text) !== undefined);
  add('net.URL.getScheme(): string', (url: Url) => url.scheme);
  add('net.URL.getHost(): string', (url: Url) => url.host);
  add('net.URL.getHostname(): string', (url: Url) => url.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'));
  add('net.URL.getPort(): string', (url: Url) => /:(\d*)$/.exec(url.host)?.[1] ?? '');
  add('net.URL.getEscapedPath(): string', (url: Url) => url.path);
  add('net.URL.getQuery(): map<string, list<string>>', (url: Url) => queryOf(url.query));
}
