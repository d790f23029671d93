import { BlockList, isIP } from 'node:net';
import { ConfigError } from './access.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that a kubeconfig or the environment names. Throws a ConfigError that repeats no password. */
export function proxyUrl(text: string, where: string): URL {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(withScheme)) throw new ConfigError(`${where} is no address of a proxy`);
  const url = new URL(withScheme);
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  const { protocol, host } = url;
  throw new ConfigError(
    `${where} names a ${protocol.slice(0, -1)} proxy (${host}), which is not supported: use one with an http:// or https:// address`,
  );
}

/** As kubectl finds it, where the kubeconfig names none. Loopback addresses are never behind a proxy. */
export function environmentProxy(env: Environment, server: URL): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = either(env, name);
  if (text === '' || isLoopback(server) || isExcepted(server, either(env, 'NO_PROXY'))) return undefined;
  return proxyUrl(text, name);
}

function either(env: Environment, name: string): string {
  return [env[name], env[name.toLowerCase()]].find((value) => value !== undefined && value !== '') ?? '';
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(server: URL): boolean {
  const host = hostOf(server);
  return host === 'localhost' || contains(loopback, host);
}

/** `NO_PROXY`: a list of `*`, hosts, domains, addresses and networks, each with a port or without. */
function isExcepted(server: URL, list: string): boolean {
  const host = hostOf(server);
  const port = String(portOf(server));
  return list
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .some((entry) => entry === '*' || (entry !== '' && matches(entry, host, port)));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return contains(networkOf(entry), host);
  const { name, only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0) return name === host;
  // `.example.com` and `*.example.com`: below it alone; `example.com`: that host, and what is below it.
  const domain = name.startsWith('*.') ? name.slice(1) : name;
  if (domain.startsWith('.')) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): { readonly name: string; readonly only: string | undefined } {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(entry) ?? (isIP(entry) === 6 ? null : /^([^:]*):(\d+)$/.exec(entry));
  return bracketed === null ? { name: entry, only: undefined } : { name: bracketed[1] ?? '', only: bracketed[2] };
}

function networkOf(entry: string): BlockList {
  const list = new BlockList();
  const [address = '', bits = ''] = entry.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most) {
    list.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

function contains(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
