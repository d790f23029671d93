import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { realClock } from '../../../src/kube/time/clock.ts';
import { Connection } from '../../../src/kube/transport/connection.ts';
import type { ServerTarget } from '../../../src/kube/transport/target.ts';
import { connect, type Handler, json, plainTarget, status, syntheticServer, until } from '../support/server.ts';

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
  return { server, connection };
}

async function rawServer(onData: (socket: import('node:net').Socket, data: Buffer) => void): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => onData(socket, data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const get = { method: 'GET', path: '/x', deadlineMs: 5_000 } as const;
const post = { method: 'POST', path: '/x', body: '{}', deadlineMs: 5_000 } as const;

describe('a request', () => {
  test('carries what it is, and its answer comes back whole', async () => {
    const seen: Record<string, unknown>[] = [];
    const { connection } = await serve((request, response, body) => {
      seen.push({ ...request.headers, method: request.method, url: request.url, body });
      json(response, 201, { text: 'grüße' });
    });
    const answer = await connection.exchange({ ...post, path: '/a?b=c', body: '{"ü":1}' });
    expect(answer).toEqual({ ok: true, value: '{"text":"grüße"}' });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/a?b=c',
      body: '{"ü":1}',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': '8',
      'user-agent': 'holdfast-test',
    });
  });

  test('of DELETE frames its body, so that the next one on the connection is understood', async () => {
    const bodies: string[] = [];
    const { server, connection } = await serve((_, response, body) => {
      bodies.push(body);
      json(response, 200, {});
    });
    const body = '{"preconditions":{"uid":"u"}}';
    for (let i = 0; i < 3; i += 1) {
      expect(await connection.exchange({ method: 'DELETE', path: '/x', body, deadlineMs: 5_000 })).toMatchObject({
        ok: true,
      });
    }
    expect(bodies).toEqual([body, body, body]);
    expect(server.connections()).toBe(1);
  });

  test('goes below the path of the server', async () => {
    const server = await syntheticServer((_, response) => json(response, 200, {}));
    const connection = connect(plainTarget(`${server.url}/clusters/one/`));
    await connection.exchange({ ...get, path: '/api/v1' });
    connection.close();
    await server.close();
    expect(server.asked).toEqual(['GET /clusters/one/api/v1']);
  });

  test('that is refused is told with its reason', async () => {
    const { connection } = await serve((_, response) =>
      json(response, 429, status(429, 'TooManyRequests', 'later'), { 'retry-after': '3' }),
    );
    const answer = await connection.exchange(post);
    expect(answer).toMatchObject({
      ok: false,
      failure: { kind: 'tooManyRequests', retryAfterMs: 3_000, message: 'later' },
    });
  });
});

describe('a deadline', () => {
  const silent: Handler = () => {};
  const halfHearted: Handler = (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('{');
  const halfRefusal: Handler = (_, response) => void response.writeHead(500, { 'content-length': '100' }).write('{');

  test.each([
    ['no answer', silent],
    ['half an answer', halfHearted],
    ['half a refusal', halfRefusal],
  ])('ends a request with %s', async (_, handler) => {
    const { connection } = await serve(handler);
    const late = { kind: 'retry', cause: 'deadline' };
    expect(await connection.exchange({ ...get, deadlineMs: 50 })).toMatchObject({
      failure: { ...late, maybeDone: false },
    });
    expect(await connection.exchange({ ...post, deadlineMs: 50 })).toMatchObject({
      failure: { ...late, maybeDone: true },
    });
  });

  test('covers asking for credentials', async () => {
    const target: ServerTarget = { ...plainTarget('http://127.0.0.1:1'), identity: () => new Promise(() => {}) };
    const answer = await connect(target).exchange({ ...post, deadlineMs: 20 });
    expect(answer).toMatchObject({ failure: { kind: 'retry', cause: 'deadline', maybeDone: false } });
  });

  test('covers a handshake that does not come to its end', async () => {
    const url = await rawServer(() => {});
    const connection = connect(plainTarget(url.replace('http:', 'https:')));
    const answer = await connection.exchange({ ...post, deadlineMs: 50 });
    expect(answer).toMatchObject({ failure: { kind: 'retry', cause: 'deadline', maybeDone: false } });
  });

  test('ends with the head of a stream, whose body may take longer', async () => {
    const { connection } = await serve((_, response) => {
      response.writeHead(200).write('a');
      realClock.after(120, () => response.end('b'));
    });
    const opened = await connection.open({ ...get, deadlineMs: 60 });
    if (!opened.ok) throw new Error(opened.failure.message);
    let text = '';
    for await (const chunk of opened.value) text += String(chunk);
    expect(text).toBe('ab');
  });
});

describe('a caller who gives up', () => {
  test('before asking, while waiting, or while reading, is told so', async () => {
    const control = new AbortController();
    const { connection } = await serve((request, response) => {
      response.writeHead(200).write('a');
      if (request.method === 'POST') control.abort();
    });
    const before = await connection.exchange({ ...get, signal: AbortSignal.abort() });
    expect(before).toMatchObject({ failure: { kind: 'aborted', maybeDone: false } });
    expect(await connection.exchange({ ...post, signal: control.signal })).toMatchObject({
      failure: { kind: 'aborted', maybeDone: true },
    });
    const reading = new AbortController();
    const opened = await connection.open({ ...get, signal: reading.signal });
    if (!opened.ok) throw new Error(opened.failure.message);
    reading.abort();
    await expect(opened.value.toArray()).rejects.toThrow();
  });
});

describe('a connection that breaks', () => {
  test('is used again for a request that changes nothing, once', async () => {
    let requests = 0;
    const url = await rawServer((socket) => {
      requests += 1;
      if (requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
    const connection = connect(plainTarget(url));
    cleanups.push(() => connection.close());
    expect(await connection.exchange(get)).toMatchObject({ ok: true });
    expect(await connection.exchange(get)).toMatchObject({ ok: true });
    expect(requests).toBe(3);
  });

  test('is not used again for a write, which may have happened', async () => {
    let requests = 0;
    const url = await rawServer((socket) => {
      requests += 1;
      if (requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
    const connection = connect(plainTarget(url));
    cleanups.push(() => connection.close());
    await connection.exchange(get);
    expect(await connection.exchange(post)).toMatchObject({
      failure: { kind: 'retry', cause: 'connection', maybeDone: true },
    });
    expect(requests).toBe(2);
  });

  test('was never there: nothing has happened', async () => {
    const server = await syntheticServer(() => {});
    await server.close();
    expect(await connect(plainTarget(server.url)).exchange(post)).toMatchObject({
      failure: { kind: 'retry', cause: 'connection', maybeDone: false },
    });
  });

  test('in the middle of an answer is a failure, not half an answer', async () => {
    const { connection } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{}');
      realClock.after(20, () => response.destroy());
    });
    expect(await connection.exchange(get)).toMatchObject({ failure: { kind: 'retry', cause: 'connection' } });
  });
});

describe('an answer', () => {
  test('that is larger than allowed is not read to its end', async () => {
    const { connection } = await serve((_, response) => {
      response.writeHead(200);
      const flood = () => {
        while (response.writable && response.write('x'.repeat(10_000)));
        if (response.writable) response.once('drain', flood);
      };
      flood();
    });
    const answer = await connection.exchange({ ...get, maxBytes: 100_000 });
    expect(answer).toMatchObject({ failure: { kind: 'retry', cause: 'garbled' } });
  });
});

describe('an identity', () => {
  async function guarded(accepted: () => string) {
    const server = await syntheticServer((request, response) => {
      const known = request.headers.authorization === accepted();
      json(response, known ? 200 : 401, known ? {} : status(401, 'Unauthorized'));
    }, true);
    cleanups.push(() => server.close());
    return server;
  }

  test('that the server refuses is fetched again, and only once', async () => {
    const server = await guarded(() => 'Bearer b');
    let token = 'a';
    let forgotten = 0;
    const tls = { ca: server.caCertificate, certificate: undefined, key: undefined };
    const target: ServerTarget = {
      ...plainTarget(server.url),
      identity: () => Promise.resolve({ tls, headers: { authorization: `Bearer ${token}` } }),
      forget: () => {
        forgotten += 1;
        token = 'b';
        return true;
      },
    };
    const connection = new Connection(target, { clock: realClock, userAgent: 'test' });
    cleanups.push(() => connection.close());
    expect(await connection.exchange(post)).toMatchObject({ ok: true });
    expect(forgotten).toBe(1);
    expect(server.asked).toHaveLength(2);
  });

  test('of a server without a trusted signer is not believed, unless a person said so', async () => {
    const server = await guarded(() => 'x');
    const strict = await connect(plainTarget(server.url)).exchange(get);
    expect(strict).toMatchObject({ failure: { kind: 'retry', cause: 'connection', maybeDone: false } });
    const lax = connect({ ...plainTarget(server.url), verify: false });
    cleanups.push(() => lax.close());
    expect(await lax.exchange(get)).toMatchObject({ failure: { kind: 'denied' } });
  });

  test('of a server by another name is what the certificate must show', async () => {
    const server = await guarded(() => 'x');
    const identity = () =>
      Promise.resolve({ tls: { ca: server.caCertificate, certificate: undefined, key: undefined }, headers: {} });
    const named = (serverName: string) => connect({ ...plainTarget(server.url), identity, serverName }).exchange(get);
    expect(await named('kubernetes.default')).toMatchObject({ failure: { kind: 'denied' } });
    expect(await named('example.com')).toMatchObject({ failure: { kind: 'retry', cause: 'connection' } });
  });

  test('that cannot be had, or cannot be sent, is a failure with its reason', async () => {
    const broken: ServerTarget = {
      ...plainTarget('http://127.0.0.1:1'),
      identity: () => Promise.reject(new Error('no plugin')),
    };
    expect(await connect(broken).exchange(post)).toMatchObject({
      failure: { kind: 'retry', cause: 'credentials', message: 'no plugin', maybeDone: false },
    });
    const tls = { ca: undefined, certificate: undefined, key: undefined };
    const odd: ServerTarget = {
      ...plainTarget('http://127.0.0.1:1'),
      identity: () => Promise.resolve({ tls, headers: { authorization: 'a\nb' } }),
    };
    expect(await connect(odd).exchange(post)).toMatchObject({ failure: { kind: 'retry', cause: 'credentials' } });
  });

  test('that changed is used on new connections', async () => {
    const server = await guarded(() => 'x');
    let certificate: string | undefined;
    const target: ServerTarget = {
      ...plainTarget(server.url),
      identity: () =>
        Promise.resolve({
          tls: { ca: server.caCertificate + (certificate ?? ''), certificate: undefined, key: undefined },
          headers: {},
        }),
    };
    const connection = connect(target);
    cleanups.push(() => connection.close());
    await connection.exchange(get);
    await connection.exchange(get);
    expect(server.connections()).toBe(1);
    certificate = '\n';
    await connection.exchange(get);
    await until(() => server.connections() === 2);
  });
});

test('that is aborted while its answer ends does not end the process', async () => {
  const { connection } = await serve((_, response) => json(response, 200, {}));
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('uncaughtException', note);
  cleanups.push(() => process.off('uncaughtException', note));
  const caller = new AbortController();
  const opened = await connection.open({ ...get, signal: caller.signal });
  if (!opened.ok) expect.fail(opened.failure.message);
  // The answer ends before the error of its socket arrives: the socket goes back to the agent, and its listeners are taken off.
  opened.value.on('data', () => caller.abort());
  await new Promise((resolve) => opened.value.once('close', resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unhandled).toEqual([]);
});
