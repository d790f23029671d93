import { describe, expect, it } from 'vitest';
import { requestInfo } from '../../src/http/request-info.ts';

const resource = (fields: object) => ({
  kind: 'resource',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
  rest: '',
  ...fields,
});

describe('what a request is about', () => {
  const cases: [what: string, method: string, url: string, want: object][] = [
    ['a list of all namespaces', 'GET', '/api/v1/pods', resource({ verb: 'list' })],
    ['a list in one namespace', 'GET', '/api/v1/namespaces/a/pods', resource({ verb: 'list', namespace: 'a' })],
    ['a watch', 'GET', '/api/v1/pods?watch=true', resource({ verb: 'watch' })],
    ['a watch as older clients ask for it', 'GET', '/api/v1/pods?watch=1', resource({ verb: 'watch' })],
    ['one object', 'GET', '/api/v1/namespaces/a/pods/p', resource({ verb: 'get', namespace: 'a', name: 'p' })],
    [
      'one object is never watched by its name in the path',
      'GET',
      '/api/v1/namespaces/a/pods/p?watch=true',
      resource({ verb: 'get', namespace: 'a', name: 'p' }),
    ],
    [
      'a list narrowed to one name asks for the right to that name',
      'GET',
      '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp',
      resource({ verb: 'list', namespace: 'a', name: 'p' }),
    ],
    [
      'a subresource',
      'POST',
      '/api/v1/namespaces/a/pods/p/eviction',
      resource({ verb: 'create', namespace: 'a', name: 'p', subresource: 'eviction' }),
    ],
    [
      'a namespace is in itself',
      'GET',
      '/api/v1/namespaces/a',
      resource({ verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a' }),
    ],
    [
      'a namespace has two subresources of its own',
      'PUT',
      '/api/v1/namespaces/a/finalize',
      resource({ verb: 'update', resource: 'namespaces', namespace: 'a', name: 'a', subresource: 'finalize' }),
    ],
    [
      'deleting a collection',
      'DELETE',
      '/apis/apps/v1/namespaces/a/deployments',
      resource({ verb: 'deletecollection', group: 'apps', resource: 'deployments', namespace: 'a' }),
    ],
    ['the groups are no resource', 'GET', '/apis', { kind: 'path', verb: 'get', path: '/apis' }],
    ['a group version is no resource', 'GET', '/apis/apps/v1', { kind: 'path', verb: 'get', path: '/apis/apps/v1' }],
    ['metrics are no resource', 'GET', '/metrics', { kind: 'path', verb: 'get', path: '/metrics' }],
    [
      'escapes that are none are taken as they are',
      'GET',
      '/api/v1/namespaces/%zz/pods',
      resource({ verb: 'list', namespace: '%zz' }),
    ],
  ];

  it.each(cases)('%s', (_what, method, url, want) => {
    const [path, query] = url.split('?');
    expect(requestInfo(method, path as string, new URLSearchParams(query))).toEqual(want);
  });
});
