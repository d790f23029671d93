import type { IncomingMessage } from 'node:http';
import { methodNotAllowed } from '../errors.ts';
import { type Check, healthReport } from '../health.ts';
import { pageNotFound, type Reply } from './reply.ts';
import type { PathRequest } from './request-info.ts';

export interface PathOptions {
  /** gitVersion, e.g. v1.37.1: the Kubernetes whose API this is. */
  readonly version: Readonly<Record<string, string>>;
  /** What has to be well, for each of the paths that say whether it is. */
  checks(endpoint: HealthEndpoint): readonly Check[];
  metrics(): string;
  documents(path: string, query: URLSearchParams, headers: IncomingMessage['headers']): Reply | undefined;
}

/** Everything that is not a resource. */
export async function handlePath(
  options: PathOptions,
  request: IncomingMessage,
  info: PathRequest,
  query: URLSearchParams,
): Promise<Reply | undefined> {
  if (info.verb !== 'get' && info.verb !== 'head') {
    const known = fixedPaths.has(info.path) || options.documents(info.path, query, {}) !== undefined;
    if (known) throw methodNotAllowed();
    return pageNotFound;
  }
  const [, endpoint = '', check, more] = info.path.split('/');
  if (isHealthEndpoint(endpoint) && more === undefined) return health(options.checks(endpoint), endpoint, check, query);
  switch (info.path) {
    case '/version':
    case '/version/':
      return { code: 200, body: options.version };
    case '/metrics':
      return { code: 200, body: options.metrics(), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
    default:
      return (
        options.documents(info.path, query, request.headers) ?? (isVersionPath(info.path) ? undefined : pageNotFound)
      );
  }
}

const fixedPaths = new Set(['/version', '/healthz', '/livez', '/readyz', '/metrics']);

/** `/api/v9`, `/apis/apps/v9`: there is something that could have such a version. */
function isVersionPath(path: string): boolean {
  return /^\/api\/[^/]+\/?$|^\/apis\/[^/]+\/[^/]+\/?$/.test(path);
}

const healthEndpoints = ['healthz', 'livez', 'readyz'] as const;
export type HealthEndpoint = (typeof healthEndpoints)[number];

function isHealthEndpoint(name: string): name is HealthEndpoint {
  return (healthEndpoints as readonly string[]).includes(name);
}

/** All that has to be well, or one check by its name. */
async function health(
  all: readonly Check[],
  endpoint: HealthEndpoint,
  name: string | undefined,
  query: URLSearchParams,
): Promise<Reply> {
  const checks = name ? all.filter((check) => check.name === name) : all;
  if (checks.length === 0) return pageNotFound;
  const verbose = query.has('verbose');
  const report = await healthReport({ endpoint, checks, verbose, exclude: query.getAll('exclude') });
  return text(report.code, report.text);
}

function text(code: number, body: string): Reply {
  return { code, body, contentType: 'text/plain; charset=utf-8' };
}
