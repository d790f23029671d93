import { connect } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import { accessFrom } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;

async function isWell(): Promise<void> {
  expect((await cluster.request('GET', '/healthz')).code).toBe(200);
}

describe('bodies', () => {
  const refused: [string, string | Buffer, number][] = [
    ['half an object', '{"metadata":', 400],
    ['nothing', '', 400],
    ['a list', '[]', 400],
    ['a number', '3', 400],
    ['no text at all', Buffer.from([0xff, 0xfe, 0x00, 0x01]), 400],
    ['20000 lists in each other', `{"metadata":{"name":"deep"},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400],
  ];
  it.each(refused)('are refused: %s', async (_what, body, code) => {
    const answer = await cluster.request('POST', configMaps, { body });
    expect(answer).toMatchObject({ code, body: { kind: 'Status', status: 'Failure' } });
    await isWell();
  });

  it.each([4, 10])('are refused: %d MiB', async (size) => {
    const body = JSON.stringify({ metadata: { name: 'big' }, data: { x: 'x'.repeat(size * 1024 * 1024) } });
    const answer = await cluster.request('POST', configMaps, { body }).catch((error: NodeJS.ErrnoException) => error);
    // A server that closes before everything is sent may be seen as a broken connection.
    if (answer instanceof Error) expect(answer.code).toMatch(/EPIPE|ECONNRESET/);
    else expect(answer).toMatchObject({ code: 413, body: { reason: 'RequestEntityTooLarge' } });
    await isWell();
  });

  it('that cannot be read are shown to their sender', async () => {
    const { body } = await cluster.request('POST', configMaps, { body: '{"a' });
    expect(body.message).toBe(
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"a)',
    );
  });

  it('may have nulls where something should be', async () => {
    const refused: object[] = [
      { finalizers: [null] },
      { ownerReferences: [null, null] },
      { name: null },
      { labels: { 'a b': null } },
    ];
    for (const metadata of refused) {
      const { code } = await cluster.request('POST', configMaps, {
        body: { metadata: { name: 'nulls', ...metadata } },
      });
      expect(code, JSON.stringify(metadata)).toBe(422);
    }
    const body = {
      metadata: { name: 'nulls', labels: null, annotations: { a: null }, managedFields: [null] },
      data: { a: null },
    };
    const answer = await cluster.request('POST', configMaps, { body });
    expect(answer).toMatchObject({ code: 201, body: { data: { a: '' }, metadata: { annotations: { a: '' } } } });
    const path = `${configMaps}/nulls`;
    for (const options of [{ preconditions: 'x' }, { dryRun: 'All' }]) {
      expect((await cluster.request('DELETE', path, { body: options })).code).toBe(400);
    }
    expect((await cluster.request('DELETE', path, { body: 'null' })).code).toBe(200);
  });

  it('of an unknown kind of content are refused', async () => {
    const answer = await cluster.request('POST', configMaps, { body: 'x', contentType: 'text/plain' });
    expect(answer).toMatchObject({ code: 415, body: { reason: 'UnsupportedMediaType' } });
  });

  it('keep keys that mean something to JavaScript', async () => {
    const body = '{"metadata":{"name":"proto"},"data":{"__proto__":"1","constructor":"2","toString":"3"}}';
    expect((await cluster.request('POST', configMaps, { body })).code).toBe(201);
    const { text } = await cluster.request('GET', `${configMaps}/proto`);
    expect(text).toContain('"__proto__":"1"');
    expect(text).toContain('"constructor":"2"');
    expect(Object.hasOwn(Object.prototype, '1')).toBe(false);
  });

  it('with ten thousand labels are taken or refused, and found again', async () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`l${index}`, 'x']));
    await made(cluster.request('POST', configMaps, { body: { metadata: { name: 'labels', labels } } }));
    const list = await made(cluster.request('GET', `${configMaps}?labelSelector=l9999%3Dx,l0`));
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['labels']);
  });
});

describe('paths and queries', () => {
  it.each([
    `${configMaps}/%00`,
    `${configMaps}/..%2f..`,
    `${configMaps}/%zz`,
    `${configMaps}/a/b/c/d`,
    '/api/v1/__proto__',
    '/apis/__proto__/constructor/toString',
    `${configMaps}?labelSelector=${'a,'.repeat(2000)}`,
    `${configMaps}?continue=${'A'.repeat(4000)}`,
    `${configMaps}?limit=1e9`,
    `${configMaps}?resourceVersion=9999999999999999999999`,
  ])('are refused: %s', async (path) => {
    const { code } = await cluster.request('GET', path);
    expect(code).toBeGreaterThanOrEqual(400);
    expect(code === 504 || code < 500).toBe(true);
    await isWell();
  });
});

describe('connections', () => {
  it('that say something else than HTTP are closed', async () => {
    const { server, ca } = accessFrom(cluster.kubeconfig);
    const { port } = new URL(server);
    const socket = connect({ host: '127.0.0.1', port: Number(port), ca });
    const closed = new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.on('error', () => resolve());
    });
    socket.on('secureConnect', () => socket.write('GARBAGE\r\n\r\n'));
    socket.resume();
    await closed;
    await isWell();
  });

  it('of watchers that never read hurt no other client', async () => {
    const lazy = await cluster.open('GET', `${configMaps}?watch=true`);
    lazy.pause();
    const eager = await cluster.watch(`${configMaps}?labelSelector=eager`);
    const data = { x: 'x'.repeat(200_000) };
    for (let index = 0; index < 40; index += 1) {
      await made(cluster.request('POST', configMaps, { body: { metadata: { name: `much-${index}` }, data } }));
    }
    await made(cluster.request('POST', configMaps, { body: { metadata: { name: 'eager', labels: { eager: 'x' } } } }));
    expect((await eager.take(1))[0]?.object.metadata.name).toBe('eager');
    lazy.destroy();
    await isWell();
  });
});
