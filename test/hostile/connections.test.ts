import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WatchReader } from '../support/watch-reader.ts';
import { type ClusterProcess, startClusterProcess } from './cluster-process.ts';
import { answerIn, RawConnection } from './raw-connection.ts';

const megabyte = 1024 * 1024;
const configMaps = '/api/v1/namespaces/default/configmaps';

/** Large enough that a few of them fill every buffer on the way. */
const payload = 'x'.repeat(100_000);

describe('clients that do not behave', () => {
  let cluster: ClusterProcess;
  const open: RawConnection[] = [];

  beforeAll(async () => {
    cluster = await startClusterProcess();
  });

  afterAll(async () => {
    for (const connection of open) connection.close();
    await cluster.close();
  });

  const connection = async (): Promise<RawConnection> => {
    const made = await RawConnection.open(cluster.access);
    open.push(made);
    return made;
  };

  const expectServed = async (): Promise<void> => {
    const { code } = await cluster.http.request('GET', '/api/v1/namespaces/default');
    expect(code).toBe(200);
  };

  const create = async (name: string): Promise<void> => {
    const { code } = await cluster.http.request('POST', configMaps, {
      body: { metadata: { name }, data: { payload } },
    });
    expect(code).toBe(201);
  };

  const refused: [what: string, sent: string, code: number][] = [
    ['what is not HTTP', 'hello\r\n\r\n', 400],
    ['a version that does not exist', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: a\r\nnonsense\r\n\r\n', 400],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a length that is none', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: many\r\n\r\n', 400],
    ['a chunk that is none', `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['headers without end', `GET / HTTP/1.1\r\nhost: a\r\nlong: ${'x'.repeat(megabyte)}\r\n\r\n`, 431],
    ['a path without end', `GET /${'x'.repeat(megabyte)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431],
  ];

  it.each(refused)('tells who sends %s', async (_what, sent, code) => {
    const one = await connection();
    one.send(sent);
    const answer = answerIn(await one.untilClosed());
    expect(answer).toMatchObject({ code, body: { kind: 'Status', status: 'Failure', code } });
    await expectServed();
  });

  it('closes on who speaks without TLS', async () => {
    const socket = connect(Number(new URL(cluster.access.server).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'close');
    await expectServed();
  });

  const paths = [
    '/api/v1/namespaces/__proto__/pods/constructor',
    '/api/v1/namespaces/default/__proto__',
    '/api/v1/namespaces/default/configmaps/__proto__',
    '/api/constructor/pods',
    '/apis/__proto__/constructor/toString',
    '/apis/apps/v1/namespaces/default/deployments/a/__proto__',
    '/openapi/v3/apis/__proto__/constructor',
    '/api/v1/%00%ff%2e%2e/pods',
    '/../../../etc/passwd',
    `/api/v1/namespaces/${'n'.repeat(10_000)}/pods/x`,
  ];

  it.each(paths.map((path) => [path.slice(0, 60), path] as const))('finds nothing at %s', async (_short, path) => {
    const { code } = await cluster.http.request('GET', path);
    expect(code).toBe(404);
  });

  const queries: [query: string, code: number][] = [
    ['labelSelector=%21%21%21', 400],
    [`labelSelector=${Array.from({ length: 5_000 }, (_, i) => `k${i}`).join(',')}`, 200],
    ['labelSelector=a%20in%20((((((((((', 400],
    ['fieldSelector=__proto__%3Dx', 400],
    ['fieldSelector=constructor.name%3Dx', 400],
    ['limit=1e9', 400],
    ['continue=not-a-token', 400],
    [`continue=${Buffer.from('{"__proto__":{"v":1}}').toString('base64url')}`, 400],
    ['resourceVersion=999999999999999999999999', 504],
    ['resourceVersion=-1', 400],
    ['resourceVersionMatch=__proto__&resourceVersion=1', 422],
    ['watch=true&resourceVersion=x', 400],
  ];

  it.each(queries.map(([query, code]) => [query.slice(0, 60), code, query] as const))(
    'answers a list with %s by %i',
    async (_short, code, query) => {
      const answer = await cluster.http.request('GET', `${configMaps}?${query}`);
      expect(answer.code).toBe(code);
      if (code !== 200) expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    },
  );

  it('gives up on who never finishes a request', async () => {
    const headers = await connection();
    headers.send('GET / HTTP/1.1\r\nhost: a\r\n');
    const body = await connection();
    body.send(
      `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    );
    await expectServed();
    expect(answerIn(await headers.untilClosed())).toMatchObject({ code: 408, body: { kind: 'Status', code: 408 } });
    await body.untilClosed();
    await expectServed();
  });

  it('gives up on who sends a body without end', async () => {
    const one = await connection();
    one.send(
      `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const timer = setInterval(() => one.send(chunk.repeat(8)), 5);
    const received = await one.untilClosed();
    clearInterval(timer);
    // Whichever is reached first: the time for a request, or as much as is let pass.
    expect([408, 413]).toContain(answerIn(received).code);
    await expectServed();
  });

  it('holds little for those who ask for much and read nothing, and gives up on them', async () => {
    for (let i = 0; i < 100; i += 1) await create(`large-${i}`);
    const before = await cluster.inspect();
    const readers = await Promise.all(Array.from({ length: 20 }, connection));
    for (const reader of readers) {
      reader.socket.pause();
      reader.send(`GET ${configMaps} HTTP/1.1\r\nhost: a\r\n\r\n`);
    }
    await expectServed();
    const during = await cluster.inspect();
    // Each answer is 10 MB.
    expect(during.usedBytes - before.usedBytes).toBeLessThan(40 * megabyte);
    while ((await cluster.inspect()).connections > during.connections - readers.length) await setTimeout(100);
    await expectServed();
  });

  it('holds little for watchers that never read, and loses nothing for one that does', async () => {
    const before = await cluster.inspect();
    const stuck = await Promise.all(Array.from({ length: 50 }, connection));
    for (const one of stuck) {
      one.socket.pause();
      one.send(`GET ${configMaps}?watch=true HTTP/1.1\r\nhost: a\r\n\r\n`);
    }
    const list = await cluster.http.request('GET', `${configMaps}?limit=1`);
    const since = list.body.metadata.resourceVersion;
    const reader = new WatchReader(await cluster.http.open('GET', `${configMaps}?watch=true&resourceVersion=${since}`));
    const names: string[] = [];
    for (let i = 0; i < 300; i += 1) {
      names.push(`watched-${i}`);
      await create(`watched-${i}`);
    }
    const seen = await reader.take(names.length);
    expect(seen.map(({ object }) => object.metadata.name)).toEqual(names);
    reader.close();
    const after = await cluster.inspect();
    // 30 MB were created, and are kept once as objects, once as bytes and once as lines of the watch.
    expect(after.usedBytes - before.usedBytes).toBeLessThan(200 * megabyte);
    await expectServed();
  });

  it('is not worn out by connections that come and go', async () => {
    const before = await cluster.inspect();
    for (let round = 0; round < 10; round += 1) {
      const some = await Promise.all(Array.from({ length: 20 }, connection));
      for (const one of some) one.send(`GET ${configMaps}?watch=true HTTP/1.1\r\nhost: a\r\n\r\n`);
      for (const one of some) one.close();
    }
    await expectServed();
    const after = await cluster.inspect();
    expect(after.usedBytes - before.usedBytes).toBeLessThan(30 * megabyte);
  });
});
