import type { IncomingHttpHeaders } from 'node:http';
import { createDiscovery, type DocumentAnswer } from '../../discovery/discovery.ts';
import { swaggerForm } from '../../discovery/negotiation.ts';
import { createOpenApi } from '../../discovery/openapi.ts';
import { createSwagger } from '../../discovery/swagger.ts';
import { notAcceptable } from '../../errors.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import type { Reply } from '../reply.ts';

/** `/api`, `/apis/...` and `/openapi/...`: what the server serves, in the server's own words. */
export function documentHandler(types: ResourceTypes, serverAddress: string) {
  const discovery = createDiscovery(types, { serverAddress });
  const openApi = createOpenApi(types);
  const swagger = createSwagger(types);
  const paths = () => [...rootPaths, ...[...new Set([...types.all()].map(pathOf))].sort()];
  return (path: string, query: URLSearchParams, headers: IncomingHttpHeaders): Reply | undefined => {
    const segments = path.split('/').filter((segment) => segment !== '');
    const [root, second, third] = segments;
    if (root === undefined) return { code: 200, body: { paths: paths() } };
    if (root === 'openapi' && second === 'v2' && third === undefined) {
      const form = swaggerForm(headers.accept);
      return form === undefined ? { code: 406, body: '' } : answered(swagger(form), headers);
    }
    if (root === 'openapi' && second === 'v3')
      return openApiReply(openApi, segments.slice(2).join('/'), query, headers);
    if (root === 'api' && segments.length <= 2) {
      if (second === undefined) return answered(discovery.api(headers.accept) ?? refuse(), headers);
      return reply(discovery.version('', second), headers);
    }
    if (root !== 'apis' || segments.length > 3) return undefined;
    if (second === undefined) return answered(discovery.apis(headers.accept) ?? refuse(), headers);
    return reply(third === undefined ? discovery.group(second) : discovery.version(second, third), headers);
  };
}

const rootPaths = [
  '/api',
  '/api/v1',
  '/apis',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
];

function pathOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
}

function refuse(): never {
  throw notAcceptable(['application/json']);
}

function reply(answer: DocumentAnswer | undefined, headers: IncomingHttpHeaders): Reply | undefined {
  return answer && answered(answer, headers);
}

function answered(answer: DocumentAnswer, headers: IncomingHttpHeaders): Reply {
  const etag: Record<string, string> = answer.etag === undefined ? {} : { etag: answer.etag, vary: 'Accept' };
  if (answer.etag !== undefined && headers['if-none-match'] === answer.etag) {
    // Caches put the headers of this answer over those they have: the content type must be the same.
    return { code: 304, body: '', contentType: answer.contentType, headers: etag };
  }
  return { code: 200, body: answer.body, contentType: answer.contentType, headers: etag };
}

function openApiReply(
  openApi: ReturnType<typeof createOpenApi>,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Reply | undefined {
  if (path === '') return answered(openApi.index(), headers);
  const found = openApi.document(path, query.get('hash') ?? undefined);
  switch (found.kind) {
    case 'missing':
      return undefined;
    case 'moved':
      return { code: 301, body: '', headers: { location: found.location } };
    case 'found':
      return answered(found.answer, headers);
  }
}
