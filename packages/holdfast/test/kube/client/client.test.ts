import { afterEach, describe, expect, test } from 'vitest';
import type { KubeClient, ResourceName } from '../../../src/kube/client/client.ts';
import { createClients } from '../../../src/kube/client/clients.ts';
import { list } from '../../../src/kube/client/list.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { clientOf, connect, type Handler, json, plainTarget, status, syntheticServer } from '../support/server.ts';

const pods: ResourceName = { group: '', version: 'v1', plural: 'pods', namespaced: true };
const sets: ResourceName = { group: 'apps', version: 'v1', plural: 'statefulsets', namespaced: true };
const nodes: ResourceName = { group: '', version: 'v1', plural: 'nodes', namespaced: false };
const at = { namespace: 'shop', name: 'a' };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(handler: Handler) {
  const server = await syntheticServer(handler);
  const connection = connect(plainTarget(server.url));
  cleanups.push(
    () => server.close(),
    () => connection.close(),
  );
  return { server, connection, client: clientOf(connection) };
}

type Call = (client: KubeClient) => Promise<unknown>;

describe('each verb', () => {
  const calls: readonly (readonly [string, Call, string, string | undefined, string])[] = [
    ['get', (c) => c.get(pods, at), 'GET /api/v1/namespaces/shop/pods/a', undefined, ''],
    [
      'get a scale',
      (c) => c.get(sets, { ...at, subresource: 'scale' }),
      'GET /apis/apps/v1/namespaces/shop/statefulsets/a/scale',
      undefined,
      '',
    ],
    ['get outside of namespaces', (c) => c.get(nodes, { name: 'n' }), 'GET /api/v1/nodes/n', undefined, ''],
    [
      'create',
      (c) => c.create(pods, { namespace: 'shop' }, { a: 1 }),
      'POST /api/v1/namespaces/shop/pods',
      'application/json',
      '{"a":1}',
    ],
    [
      'dry-run create',
      (c) => c.create(nodes, {}, {}, { dryRun: true, fieldManager: 'm', fieldValidation: 'Strict' }),
      'POST /api/v1/nodes?dryRun=All&fieldManager=m&fieldValidation=Strict',
      'application/json',
      '{}',
    ],
    [
      'evict',
      (c) => c.create(pods, { ...at, subresource: 'eviction' }, {}),
      'POST /api/v1/namespaces/shop/pods/a/eviction',
      'application/json',
      '{}',
    ],
    [
      'replace',
      (c) => c.replace(pods, { ...at, subresource: 'status' }, {}),
      'PUT /api/v1/namespaces/shop/pods/a/status',
      'application/json',
      '{}',
    ],
    [
      'patch by JSON patch',
      (c) => c.patch(pods, at, { type: 'json', operations: [{ op: 'remove', path: '/x' }] }),
      'PATCH /api/v1/namespaces/shop/pods/a',
      'application/json-patch+json',
      '[{"op":"remove","path":"/x"}]',
    ],
    [
      'patch by merge',
      (c) => c.patch(pods, at, { type: 'merge', body: { a: null } }),
      'PATCH /api/v1/namespaces/shop/pods/a',
      'application/merge-patch+json',
      '{"a":null}',
    ],
    [
      'patch strategically',
      (c) => c.patch(pods, at, { type: 'strategic', body: {} }),
      'PATCH /api/v1/namespaces/shop/pods/a',
      'application/strategic-merge-patch+json',
      '{}',
    ],
    [
      'apply',
      (c) => c.patch(pods, at, { type: 'apply', body: {}, fieldManager: 'm', force: true }),
      'PATCH /api/v1/namespaces/shop/pods/a?fieldManager=m&force=true',
      'application/apply-patch+yaml',
      '{}',
    ],
    [
      'delete',
      (c) => c.delete(pods, at, { preconditions: { uid: 'u' } }),
      'DELETE /api/v1/namespaces/shop/pods/a',
      'application/json',
      '{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"}}',
    ],
    [
      'delete many',
      (c) => c.deleteCollection(pods, { namespace: 'shop', labelSelector: 'a=b' }),
      'DELETE /api/v1/namespaces/shop/pods?labelSelector=a%3Db',
      'application/json',
      '{"apiVersion":"v1","kind":"DeleteOptions"}',
    ],
    ['ask for a document', (c) => c.document('/version'), 'GET /version', undefined, ''],
    [
      'quote names',
      (c) => c.get(pods, { namespace: 'shop', name: '../secrets?x' }),
      'GET /api/v1/namespaces/shop/pods/..%2Fsecrets%3Fx',
      undefined,
      '',
    ],
  ];

  test.each(calls)('%s', async (_, call, asked, contentType, sent) => {
    const seen: (string | undefined)[] = [];
    const { server, client } = await serve((request, response, body) => {
      seen.push(request.headers['content-type'], body);
      json(response, 200, { fine: true });
    });
    expect(await call(client)).toEqual({ ok: true, value: { fine: true } });
    expect(server.asked).toEqual([asked]);
    expect(seen).toEqual([contentType, sent]);
  });
});

test('metadata alone is asked for where nothing else is read, and plain JSON of servers that know no other', async () => {
  const accepts: (string | undefined)[] = [];
  const { client } = await serve((request, response) => {
    accepts.push(request.headers.accept);
    json(response, 200, { metadata: { uid: 'u' } });
  });
  const place = { namespace: 'shop', name: 'a' };
  await client.delete(pods, place);
  await client.getMetadata(pods, place);
  await client.get(pods, place);
  const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json';
  expect(accepts).toEqual([metadata, metadata, 'application/json']);
});

describe('a name that would be another request', () => {
  test.each([
    ['empty', { namespace: 'shop', name: '' }],
    ['a step up', { namespace: 'shop', name: '..' }],
    ['in an empty namespace', { namespace: '', name: 'a' }],
    ['in no namespace', { name: 'a' }],
  ])('%s: is never sent', async (_, place) => {
    const { server, client } = await serve((_request, response) => json(response, 200, {}));
    expect(await client.get(pods, place)).toMatchObject({ ok: false, failure: { kind: 'rejected' } });
    expect(await client.delete(pods, place)).toMatchObject({ ok: false, failure: { kind: 'rejected' } });
    expect(await client.create(pods, {}, {})).toMatchObject({ ok: false, failure: { kind: 'rejected' } });
    expect(server.asked).toEqual([]);
  });
});

test('an answer that is not JSON is a failure', async () => {
  const { client } = await serve((_, response) => void response.end('<html>'));
  expect(await client.get(pods, at)).toMatchObject({ failure: { kind: 'retry', cause: 'garbled', maybeDone: false } });
  expect(await client.replace(pods, at, {})).toMatchObject({ failure: { cause: 'garbled', maybeDone: true } });
});

describe('purposes', () => {
  test('do not wait for each other', async () => {
    const { connection } = await serve((request, response) => {
      if (request.url?.includes('slow') !== true) json(response, 200, {});
    });
    const one = { perSecond: 1, burst: 1, concurrent: 1, waiting: 1 };
    const clients = createClients(connection, { events: one, webhook: one }, realClock);
    const stuck = clients.events.document('/slow', { deadlineMs: 300 });
    const behind = clients.events.document('/fast', { deadlineMs: 100 });
    const dropped = await clients.events.document('/fast', { deadlineMs: 100 });
    expect(dropped).toMatchObject({ failure: { kind: 'retry', cause: 'limited', maybeDone: false } });
    expect(await clients.webhook.document('/fast', { deadlineMs: 5_000 })).toMatchObject({ ok: true });
    expect(await behind).toMatchObject({ failure: { cause: 'limited' } });
    expect(await stuck).toMatchObject({ failure: { cause: 'deadline' } });
  });

  test('a caller who gives up while waiting has given up', async () => {
    const { client } = await serve(() => {});
    expect(await client.get(pods, at, { signal: AbortSignal.abort() })).toMatchObject({ failure: { kind: 'aborted' } });
  });
});

describe('listing', () => {
  const item = (n: number) => ({ metadata: { name: `p${n}` } });
  const nameOf = (object: Readonly<Record<string, unknown>>) => (object['metadata'] as { name: string }).name;
  const page = (items: object[], next?: string) => ({
    metadata: { resourceVersion: '10', ...(next === undefined ? {} : { continue: next }) },
    items,
  });
  const request = (client: KubeClient) => ({ client, resource: pods, project: nameOf, clock: realClock, pageSize: 2 });

  test('follows the pages to the end', async () => {
    const { server, client } = await serve((req, response) => {
      const next = new URL(req.url ?? '', 'http://x').searchParams.get('continue');
      json(response, 200, next === null ? page([item(1), item(2)], 'k/2') : page([item(3)]));
    });
    const listed = await list({ ...request(client), selection: { namespace: 'shop', labelSelector: 'app in (a)' } });
    expect(listed).toEqual({ ok: true, value: { items: ['p1', 'p2', 'p3'], resourceVersion: '10' } });
    const base = 'GET /api/v1/namespaces/shop/pods?labelSelector=app+in+%28a%29&limit=2';
    expect(server.asked).toEqual([base, `${base}&continue=k%2F2`]);
  });

  test('asks for everything at once when the pages are no longer kept', async () => {
    const { server, client } = await serve((req, response) => {
      if (req.url?.includes('continue') === true) json(response, 410, status(410, 'Expired'));
      else json(response, 200, req.url?.includes('limit') === true ? page([item(1)], 'x') : page([item(1), item(2)]));
    });
    expect(await list(request(client))).toMatchObject({ ok: true, value: { items: ['p1', 'p2'] } });
    expect(server.asked.at(-1)).toBe('GET /api/v1/pods');
  });

  test.each([
    [
      'is cut',
      (r: import('node:http').ServerResponse) => void r.writeHead(200, { 'content-length': '999' }).end('{"items":['),
      'connection',
    ],
    ['is not a list', (r: import('node:http').ServerResponse) => void r.end('<html>'), 'garbled'],
    ['has no version', (r: import('node:http').ServerResponse) => void r.end('{"items":[]}'), 'garbled'],
    [
      'has an item that makes no sense',
      (r: import('node:http').ServerResponse) => void r.end('{"metadata":{"resourceVersion":"1"},"items":[{}]}'),
      'garbled',
    ],
    [
      'does not end',
      (r: import('node:http').ServerResponse) => void r.writeHead(200).write('{"items":['),
      'connection',
    ],
  ])('fails when the answer %s', async (_, answer, cause) => {
    const { client } = await serve((_request, response) => answer(response));
    const outcome = await list({ ...request(client), deadlineMs: 100 });
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'retry', cause } });
  });

  test('ends when the caller gives up', async () => {
    const control = new AbortController();
    const { client } = await serve((_, response) => {
      response.writeHead(200).write('{"items":[');
      realClock.after(20, () => control.abort());
    });
    expect(await list({ ...request(client), signal: control.signal })).toMatchObject({ failure: { kind: 'aborted' } });
  });
});

test('many calls may share one signal, without a warning of a leak', async () => {
  const { client } = await serve((_request, response) => json(response, 200, {}));
  const warnings: Error[] = [];
  const hear = (warning: Error) => void warnings.push(warning);
  process.on('warning', hear);
  cleanups.push(() => process.off('warning', hear));
  const { signal } = new AbortController();
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.get(pods, at, { signal })));
  expect(answers.filter(({ ok }) => !ok)).toEqual([]);
  // Warnings come a turn later.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
