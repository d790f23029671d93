import { posix } from 'node:path';
import type { ClientConfig } from './webhook.ts';

/** Where a service can be reached from here, and the name its certificate is for. */
export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
  path: string,
) => { readonly url: string; readonly serverName: string } | undefined;

export interface WebhookEndpoint {
  /** As error texts name it. */
  readonly shown: string;
  readonly url: URL;
  readonly host: string | undefined;
  readonly serverName: string | undefined;
  readonly caBundle: string | undefined;
}

function shownUrl(config: ClientConfig): string {
  if (config.kind === 'service') {
    return `https://${config.name}.${config.namespace}.svc:${config.port}${cleanPath(config.path)}`;
  }
  const [, authority = config.url, path = ''] = /^(https:\/\/[^/]*)(.*)$/.exec(config.url) ?? [];
  return authority + cleanPath(path);
}

/** Requests go to the shortest form of the path. */
function cleanPath(path: string): string {
  const clean = posix.join('/', path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** The endpoint, or why there is none. */
export function locate(
  config: ClientConfig,
  resolveService: ResolveService,
  timeoutSeconds: number,
): WebhookEndpoint | string {
  const shown = shownUrl(config);
  const query = `?timeout=${timeoutSeconds}s`;
  const { caBundle } = config;
  if (caBundle !== undefined && !caBundle.includes('-----BEGIN CERTIFICATE-----')) {
    return 'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block';
  }
  if (config.kind === 'url') {
    return { shown: shown + query, url: new URL(shown + query), host: undefined, serverName: undefined, caBundle };
  }
  const found = resolveService(config.namespace, config.name, config.port, config.path);
  if (!found) return `failed to call webhook: Post "${shown}${query}": service "${config.name}" not found`;
  const url = new URL(found.url);
  url.search = query;
  const host = `${config.name}.${config.namespace}.svc:${config.port}`;
  return { shown: shown + query, url, host, serverName: found.serverName, caBundle };
}
