import type { IncomingMessage } from 'node:http';
import { methodNotAllowed } from '../errors.ts';
import { pageNotFound, type Reply } from './reply.ts';
import type { PathRequest } from './request-info.ts';

export interface PathOptions {
  /** gitVersion, e.g. v1.37.1: the Kubernetes whose API this is. */
  readonly version: Readonly<Record<string, string>>;
  ready(): boolean;
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
  switch (info.path) {
    case '/version':
    case '/version/':
      return { code: 200, body: options.version };
    case '/healthz':
    case '/livez':
      return text(200, 'ok');
    case '/readyz':
      return options.ready() ? text(200, 'ok') : text(500, 'not ready: starting');
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

function text(code: number, body: string): Reply {
  return { code, body, contentType: 'text/plain; charset=utf-8' };
}
