import type { IncomingMessage } from 'node:http';
import type { WebhookHandler } from './handler.ts';

export type Route =
  | { readonly ok: true; readonly path: string; readonly query: string; readonly handler: WebhookHandler }
  | { readonly ok: false; readonly code: number; readonly problem: string; readonly allow?: string };

/** Which webhook is called, or why none is. */
export function routeOf(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  handlers: ReadonlyMap<string, WebhookHandler>,
): Route {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const handler = handlers.get(path);
  if (handler === undefined) return { ok: false, code: 404, problem: 'there is no webhook at this path' };
  if (request.method !== 'POST') return { ok: false, code: 405, problem: 'a webhook takes POST', allow: 'POST' };
  if (!isJson(request.headers['content-type'])) {
    return { ok: false, code: 415, problem: 'a webhook takes application/json' };
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return { ok: false, code: 415, problem: 'a webhook takes no compressed bodies' };
  return { ok: true, path, query: mark < 0 ? '' : url.slice(mark + 1), handler };
}

function isJson(type: string | undefined): boolean {
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
