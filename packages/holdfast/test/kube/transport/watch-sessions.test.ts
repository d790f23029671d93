import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ConnectProxy } from '../../../../../test/support/connect-proxy.ts';
import { ConnectionProxy } from '../../../../../test/support/connection-proxy.ts';
import { createPki } from '../../../../embedded-cluster/src/auth/pki.ts';
import { realClock as clusterClock } from '../../../../embedded-cluster/src/time/clock.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { Reflector } from '../../../src/kube/reflector/reflector.ts';
import type { Reflected } from '../../../src/kube/reflector/sink.ts';
import { Connection } from '../../../src/kube/transport/connection.ts';
import type { ServerTarget } from '../../../src/kube/transport/target.ts';
import type { WatchProof } from '../../../src/kube/transport/wire.ts';
import { JumpClock } from '../../operator/certificates/jump-clock.ts';
import { clientOf, plainTarget, syntheticServer, until } from '../support/server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const pings = { afterMs: 4_000, deadMs: 9_000 };
const terms = { deadlineMs: 20_000 };

interface Served {
  readonly server: Http2SecureServer;
  readonly sessions: ServerHttp2Session[];
  readonly streams: ServerHttp2Stream[];
  readonly paths: string[];
  readonly target: ServerTarget;
  readonly proxy: ConnectionProxy;
}

/** A server that speaks HTTP/2, as API servers do, behind something that forwards connections. */
async function http2Server(onStream: (stream: ServerHttp2Stream) => void = greet): Promise<Served> {
  const { material } = createPki({ clock: clusterClock });
  const server = createSecureServer({ cert: material.serverCertificate, key: material.serverKey, allowHTTP1: true });
  const sessions: ServerHttp2Session[] = [];
  const streams: ServerHttp2Stream[] = [];
  const paths: string[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    streams.push(stream);
    paths.push(String(headers[':path']));
    onStream(stream);
  });
  server.on('request', (request, response) => {
    if (request.httpVersionMajor !== 1) return;
    paths.push(request.url ?? '');
    if (request.url?.includes('proof=') === true) response.writeHead(200).write('{}\n');
    else response.writeHead(200).end(JSON.stringify({ metadata: { resourceVersion: '9' }, items: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const proxy = await ConnectionProxy.start({ server: url } as never);
  const { server: through } = proxy.through({ server: url } as never);
  const tls = { ca: material.caCertificate, certificate: undefined, key: undefined };
  const headers = { authorization: 'Bearer x' };
  const target = { ...plainTarget(String(through)), identity: () => Promise.resolve({ tls, headers }) };
  cleanups.push(
    () => server.close(),
    () => {
      for (const session of sessions) session.destroy();
    },
    () => proxy.close(),
  );
  return { server, sessions, streams, paths, target, proxy };
}

function greet(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 });
  stream.write('{}\n');
}

function connectionTo(target: ServerTarget, clock = new JumpClock()): { connection: Connection; clock: JumpClock } {
  const connection = new Connection(target, { clock, userAgent: 'test', pings });
  cleanups.push(() => connection.close());
  return { connection, clock };
}

/** So that every timer of a second is due, one after the other, and what the server answers is read in between. */
async function pass(clock: JumpClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.jump(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pathFor = (proof: WatchProof['kind']) => `/watch?proof=${proof}`;

async function opened(connection: Connection) {
  const watch = await connection.openWatch(terms, pathFor);
  if (!watch.ok) throw new Error(watch.failure.message);
  return watch.value;
}

describe('watches of a server that speaks HTTP/2', () => {
  test('share one connection, which is asked whether it is alive', async () => {
    const { target, sessions, paths } = await http2Server();
    const { connection, clock } = connectionTo(target);
    const watches = await Promise.all([opened(connection), opened(connection), opened(connection)]);
    expect(sessions).toHaveLength(1);
    expect(paths).toEqual(Array.from({ length: 3 }, () => '/watch?proof=pinged'));
    let acknowledged = 0;
    sessions[0]?.on('ping', () => {
      acknowledged += 1;
    });
    await pass(clock, 20);
    expect(acknowledged).toBeGreaterThanOrEqual(3);
    for (const { body, proof } of watches) {
      expect(body.destroyed).toBe(false);
      expect(proof.kind === 'pinged' ? proof.silentMs() : undefined).toBeLessThan(pings.deadMs);
    }
  });

  test('share one connection through an HTTP proxy, too, and end with it', async () => {
    const { target, sessions, paths, proxy } = await http2Server();
    const way = await ConnectProxy.start();
    cleanups.push(() => way.close());
    const { connection, clock } = connectionTo({ ...target, proxy: new URL(way.url) });
    const [watch] = await Promise.all([opened(connection), opened(connection)]);
    expect(sessions).toHaveLength(1);
    expect(way.asked).toEqual([target.server.host]);
    expect(paths).toEqual(['/watch?proof=pinged', '/watch?proof=pinged']);
    await pass(clock, 20);
    expect(watch.proof.kind === 'pinged' ? watch.proof.silentMs() : undefined).toBeLessThan(pings.deadMs);
    const ended = new Promise((resolve) => watch.body.once('error', resolve));
    watch.body.resume();
    proxy.freeze();
    await pass(clock, 20);
    expect(await ended).toMatchObject({ message: expect.stringContaining('answered no ping') });
  });

  test('[W1] end when the connection gives no sign any more, and new ones get another', async () => {
    const { target, proxy, sessions } = await http2Server();
    const { connection, clock } = connectionTo(target);
    const { body } = await opened(connection);
    const errors: Error[] = [];
    body.on('error', (error) => errors.push(error));
    body.resume();
    await pass(clock, 3);
    proxy.freeze();
    await pass(clock, 11);
    expect(errors.map(({ name }) => name)).toEqual(['DeadConnection']);
    expect((await opened(connection)).body.destroyed).toBe(false);
    expect(sessions).toHaveLength(2);
  });

  test('go on when this process stood still, and the server answered meanwhile', async () => {
    const { target } = await http2Server();
    const { connection, clock } = connectionTo(target);
    const { body } = await opened(connection);
    body.resume();
    clock.jump(60_000);
    await pass(clock, 10);
    expect(body.destroyed).toBe(false);
  });

  test('that a server leaves alone go on, and new ones get another connection', async () => {
    const { target, sessions, streams } = await http2Server();
    const { connection } = connectionTo(target);
    const { body } = await opened(connection);
    const text: string[] = [];
    body.on('data', (chunk) => text.push(String(chunk)));
    sessions[0]?.goaway();
    await until(() => text.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await opened(connection);
    expect(sessions).toHaveLength(2);
    streams[0]?.write('more\n');
    await until(() => text.join('').includes('more'));
  });

  test('that are refused say why', async () => {
    const { target } = await http2Server((stream) => {
      stream.respond({ ':status': 410 });
      stream.end(JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }));
    });
    const { connection } = connectionTo(target);
    expect(await connection.openWatch(terms, pathFor)).toMatchObject({
      ok: false,
      failure: { kind: 'gone', message: 'too old' },
    });
  });

  test('that get no answer end with their deadline, and their caller can give up', async () => {
    const { target, streams } = await http2Server(() => undefined);
    const { connection } = connectionTo(target);
    expect(await connection.openWatch({ deadlineMs: 50 }, pathFor)).toMatchObject({
      failure: { kind: 'retry', cause: 'deadline' },
    });
    const control = new AbortController();
    const asked = connection.openWatch({ ...terms, signal: control.signal }, pathFor);
    await until(() => streams.length === 2);
    control.abort();
    expect(await asked).toMatchObject({ failure: { kind: 'aborted' } });
  });

  test('of a server that cannot be reached fail, and are tried again on another connection', async () => {
    const { target, proxy } = await http2Server();
    const { connection } = connectionTo(target);
    proxy.cutOff();
    expect(await connection.openWatch(terms, pathFor)).toMatchObject({
      failure: { kind: 'retry', cause: 'connection' },
    });
    proxy.restore();
    expect((await opened(connection)).proof.kind).toBe('pinged');
  });
});

test('watches of a server that speaks HTTP/1.1 only are told so', async () => {
  const server = await syntheticServer((_, response) => void response.writeHead(200).write('{}\n'), true);
  cleanups.push(() => server.close());
  const tls = { ca: server.caCertificate, certificate: undefined, key: undefined };
  const { connection } = connectionTo({
    ...plainTarget(server.url),
    identity: () => Promise.resolve({ tls, headers: {} }),
  });
  expect((await opened(connection)).proof.kind).toBe('renewed');
  expect(server.asked).toEqual(['GET /watch?proof=renewed']);
});

test('watches of a client that does not ask for proof are trusted', async () => {
  const { target } = await http2Server();
  const connection = new Connection(target, { clock: new JumpClock(), userAgent: 'test' });
  cleanups.push(() => connection.close());
  expect((await opened(connection)).proof.kind).toBe('trusted');
});

describe('a view of a collection in which nothing happens', () => {
  const state = [
    JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '5' } } }),
    JSON.stringify({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } } },
    }),
  ];

  async function quietView() {
    const served = await http2Server((stream) => {
      stream.respond({ ':status': 200 });
      const path = served.paths.at(-1) ?? '';
      if (path.includes('sendInitialEvents')) stream.write(`${state.join('\n')}\n`);
    });
    const { connection, clock } = connectionTo(served.target);
    const cache = new ObjectCache<Reflected>({ report: () => undefined });
    const ends: string[] = [];
    const reflector = new Reflector<Reflected>({
      client: clientOf(connection, clock),
      resource: { group: '', version: 'v1', plural: 'pods', namespaced: true },
      project: (object) => object as unknown as Reflected,
      sink: cache,
      traits: { watchList: true },
      clock,
      random: () => 0.5,
      report: (end) => ends.push(end.kind),
    });
    cleanups.push(() => reflector.stop());
    reflector.start();
    await until(() => cache.synced);
    return { ...served, reflector, clock, ends };
  }

  test('[W1] is known to be current for as long as the connection is alive, without events or bookmarks', async () => {
    const { reflector, clock, ends, paths } = await quietView();
    await pass(clock, 100);
    expect(reflector.stale).toBe(false);
    expect(ends).toEqual([]);
    expect(paths).toHaveLength(1);
  });

  test('[W1] is read again after 130 seconds without a bookmark: a proxy may answer pings for a server that it has lost', async () => {
    const { reflector, clock, ends, paths } = await quietView();
    await pass(clock, 135);
    await until(() => paths.length > 1);
    expect(ends).toEqual(['stalled']);
    expect(paths[1]).not.toContain('resourceVersion=7');
    expect(reflector.stale).toBe(false);
  });

  test('[W1] goes on over another connection when its own died, from where it was', async () => {
    const { reflector, clock, ends, proxy, paths } = await quietView();
    await pass(clock, 3);
    proxy.freeze();
    await pass(clock, 11);
    await until(() => paths.length === 2);
    expect(ends).toEqual(['dead']);
    expect(paths[1]).toContain('resourceVersion=7');
    await pass(clock, 2);
    expect(reflector.stale).toBe(false);
  });

  test('[W1] is stale after 15 seconds without the server, and read again as soon as it is back', async () => {
    const { reflector, clock, proxy, paths } = await quietView();
    await pass(clock, 3);
    proxy.cutOff();
    await pass(clock, 8);
    expect(reflector.stale).toBe(false);
    await pass(clock, 180);
    expect(reflector.stale).toBe(true);
    proxy.restore();
    const asked = paths.length;
    await pass(clock, 4);
    await until(() => !reflector.stale);
    // Everything, before anything is watched from where it was.
    expect(paths[asked]).not.toContain('resourceVersion=7');
  });
});
