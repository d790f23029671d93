import { Agent } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createPki } from '../../../../embedded-cluster/src/auth/pki.ts';
import type { EventNote } from '../../../src/kube/events/recorder.ts';
import { failed, succeeded } from '../../../src/kube/outcome/failure.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import type { CallerRules, Unproven } from '../../../src/operator/admission/wire/call.ts';
import { Tokens } from '../../../src/operator/admission/wire/tokens.ts';
import { unprovenCalls } from '../../../src/operator/admission/wire/unproven-calls.ts';
import { type AcceptedPaths, barePaths, CallerPaths } from '../../../src/operator/certificates/caller-paths.ts';
import { isAmong, segmentsText } from '../../../src/trust/path-segments.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { FakeStore } from '../certificates/fake-store.ts';
import { logInto } from '../certificates/support.ts';
import { reviewText } from './reviews.ts';
import { agentFor, type Certified, type StartWish, send, startServer, until } from './support.ts';

const segment = 'a'.repeat(64);
const other = 'b'.repeat(64);
const provenPath = `/${segment}/judge?timeout=10s`;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function started(wish: StartWish) {
  const running = await startServer(wish);
  closing.push(() => running.server.close(0));
  return running;
}

/** Accepts one segment, and another one after a look. */
function paths(
  accepted: readonly string[],
  afterLook: readonly string[] = accepted,
): AcceptedPaths & { looks: number } {
  let now = accepted;
  return {
    looks: 0,
    accepts: (given) => isAmong(given, now),
    async look() {
      this.looks += 1;
      now = afterLook;
    },
    current: () => now[0],
  };
}

function agentOf(keyPair: Certified): Agent {
  const agent = agentFor(keyPair);
  closing.push(() => agent.destroy());
  return agent;
}

describe('[I13] a call', () => {
  it('with the right path is answered; one without it gets 404, is counted, and its body is not waited for', async () => {
    const told: string[] = [];
    const callers: CallerRules = {
      paths: paths([segment]),
      onUnproven: (lacks, from) => told.push(`${lacks} ${from}`),
    };
    const { server, keyPair, metrics } = await started({ callers });
    const agent = agentOf(keyPair);
    const { port } = server;
    const body = reviewText();
    expect((await send({ agent, port, body, path: `/${segment}/judge?timeout=10s` })).code).toBe(200);
    for (const path of ['/judge', `/${other}/judge`, `/${segment}`, '/', `/${segment}/judge/x`]) {
      const answer = await send({ agent, port, body, path });
      expect(answer).toMatchObject({ code: 404, text: 'not found\n', headers: { connection: 'close' } });
    }
    expect(await neverSending(port, keyPair, `/${other}/judge`)).toContain('HTTP/1.1 404');
    expect(await metrics.render()).toContain('holdfast_webhook_unproven_calls_total{lacks="path"} 6');
    expect(new Set(told)).toEqual(new Set(['path 127.0.0.1']));
  });

  it('with a path that this replica has not seen yet waits for one look', async () => {
    const known = paths([other], [segment]);
    const { server, keyPair } = await started({ callers: { paths: known } });
    const call = { agent: agentOf(keyPair), port: server.port, body: reviewText() };
    expect((await send({ ...call, path: `/${segment}/judge` })).code).toBe(200);
    expect((await send({ ...call, path: `/${segment}/judge` })).code).toBe(200);
    expect(known.looks).toBe(1);
  });

  it('needs the client certificate and the token that were asked for', async () => {
    const pki = createPki({ clock: realClock });
    const authorities = { current: () => pki.material.caCertificate, onChange: () => undefined };
    const clients = { authorities, names: ['api-server'] };
    const isToken = async (token: string) => token === 'good';
    const { server, keyPair, metrics } = await started({ callers: { paths: barePaths, clients, isToken } });
    const call = async (client: ReturnType<typeof pki.issueClient> | undefined, token: string) => {
      const agent = new Agent({ ca: keyPair.ca, ...(client && { cert: client.certificate, key: client.key }) });
      closing.push(() => agent.destroy());
      const headers = { authorization: `Bearer ${token}` };
      return (await send({ agent, port: server.port, body: reviewText(), headers })).code;
    };
    const ours = pki.issueClient('api-server', []);
    expect(await call(ours, 'good')).toBe(200);
    expect(await call(ours, 'bad')).toBe(404);
    expect(await call(undefined, 'good')).toBe(404);
    expect(await call(pki.issueClient('kubelet', []), 'good')).toBe(404);
    expect(await call(createPki({ clock: realClock }).issueClient('api-server', []), 'good')).toBe(404);
    const text = await metrics.render();
    expect(text).toContain('holdfast_webhook_unproven_calls_total{lacks="certificate"} 3');
    expect(text).toContain('holdfast_webhook_unproven_calls_total{lacks="token"} 1');
  });
});

/** Everything that comes back for a head that announces a body, of which nothing is ever sent. */
async function neverSending(port: number, { ca }: Certified, path: string): Promise<string> {
  const socket = await secure(port, ca);
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

async function secure(port: number, ca: string): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca });
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  return socket;
}

describe('[I13] a connection on which nothing was proven', () => {
  const connections = { maxUnproven: 4, maxUnprovenPerAddress: 3, provenWithinMs: 5_000 };

  function idle(port: number) {
    const socket = connectTcp({ host: '127.0.0.1', port });
    socket.on('error', () => undefined);
    closing.push(() => socket.destroy());
    return { ended: () => socket.destroyed || socket.readableEnded, socket: socket.resume() };
  }

  it('ends after its time, and one on which a call was proven goes on', async () => {
    const clock = new TestClock();
    const { server, keyPair } = await started({ clock, limits: { connections } });
    const agent = agentOf(keyPair);
    await send({ agent, port: server.port, body: reviewText() });
    const silent = idle(server.port);
    await new Promise((resolve) => silent.socket.once('connect', resolve));
    const half = await secure(server.port, keyPair.ca);
    half.write('POST /judge HTTP/1.1\r\n');
    await clock.advance(connections.provenWithinMs);
    await until(() => silent.ended() && half.destroyed);
    const [kept] = Object.values(agent.freeSockets).flat();
    expect((await send({ agent, port: server.port, body: reviewText() })).code).toBe(200);
    expect(Object.values(agent.freeSockets).flat()[0]).toBe(kept);
  });

  it('makes room for the next of its address: the oldest goes, and a caller that proves itself stays', async () => {
    const { server, keyPair } = await started({ limits: { connections } });
    const agent = agentOf(keyPair);
    await send({ agent, port: server.port, body: reviewText() });
    const idles: ReturnType<typeof idle>[] = [];
    for (let count = 0; count < 5; count += 1) {
      const one = idle(server.port);
      await new Promise((resolve) => one.socket.once('connect', resolve));
      idles.push(one);
    }
    await until(() => idles.filter(({ ended }) => ended()).length === 2);
    expect(idles.map(({ ended }) => ended())).toEqual([true, true, false, false, false]);
    const fresh = agentOf(keyPair);
    expect((await send({ agent: fresh, port: server.port, body: reviewText() })).code).toBe(200);
    expect((await send({ agent, port: server.port, body: reviewText() })).code).toBe(200);
  });
});

describe('[I13] bodies of unproven callers', () => {
  it('cannot take the memory of those that API servers send', async () => {
    const { server, keyPair } = await started({ callers: { paths: paths([segment]) } });
    const mebibyte = 1024 * 1024;
    // All that bodies may hold together, but for less than a review needs.
    const sizes = [...Array.from({ length: 15 }, () => 4 * mebibyte), 4 * mebibyte - 300];
    for (const size of sizes) {
      const socket = await secure(server.port, keyPair.ca);
      socket.write('POST /judge?timeout=30s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
      socket.write(`content-length: ${7 * mebibyte}\r\n\r\n`);
      socket.write(Buffer.alloc(size, ' '));
    }
    const agent = agentOf(keyPair);
    const codes = new Set<number>();
    for (let call = 0; call < 60; call += 1) {
      codes.add((await send({ agent, port: server.port, body: reviewText(), path: provenPath })).code);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect([...codes]).toEqual([200]);
  });
});

describe('[I13] tokens', () => {
  const users = ['system:serviceaccount:kube-system:webhooks'];

  function bench(answer: (token: string) => 'ours' | 'another' | 'unknown' | 'unreachable') {
    const clock = new TestClock();
    const asked: string[] = [];
    const create = async <T>(
      ...[, , body]: Parameters<ConstructorParameters<typeof Tokens>[0]['client']['create']>
    ) => {
      const { token } = (body as { spec: { token: string } }).spec;
      asked.push(token);
      const said = answer(token);
      if (said === 'unreachable') {
        return failed({
          kind: 'retry',
          cause: 'network',
          message: 'no',
          retryAfterMs: undefined,
          maybeDone: false,
        } as never);
      }
      const username = said === 'ours' ? users[0] : 'system:serviceaccount:shop:default';
      return succeeded({ status: { authenticated: said !== 'unknown', user: { username } } } as T);
    };
    return { clock, asked, tokens: new Tokens({ client: { create }, clock, users }) };
  }

  it('count when they are of a user that was named: every pod has a valid one', async () => {
    const { tokens } = bench((token) => token as 'ours');
    expect(await tokens.isToken('ours')).toBe(true);
    expect(await tokens.isToken('another')).toBe(false);
    expect(await tokens.isToken('unknown')).toBe(false);
    expect(await tokens.isToken('unreachable')).toBe(false);
  });

  it('are asked about once a minute, and believed for a while where nothing can be asked', async () => {
    let said: 'ours' | 'another' | 'unreachable' = 'ours';
    const { tokens, asked, clock } = bench(() => said);
    await Promise.all([tokens.isToken('t'), tokens.isToken('t')]);
    await tokens.isToken('t');
    expect(asked).toEqual(['t']);
    said = 'unreachable';
    await clock.advance(61_000);
    expect(await tokens.isToken('t')).toBe(true);
    await clock.advance(600_000);
    expect(await tokens.isToken('t')).toBe(false);
    said = 'another';
    expect(await tokens.isToken('t')).toBe(false);
  });
});

describe('[I13] what a replica accepts', () => {
  it('is what the Secret lists and a configuration carries; a look asks for both, at most once a second', async () => {
    const store = new FakeStore();
    const clock = new TestClock();
    const accepted = new CallerPaths(store, clock, logInto([]));
    accepted.secretSeen(new Map([['paths', segmentsText([{ segment, madeMs: 1 }])]]));
    expect([accepted.accepts(segment), accepted.accepts(''), accepted.current()]).toEqual([true, false, segment]);
    store.configuration = { webhooks: [{ clientConfig: { caBundle: 'eA==', service: { path: '/pods' } } }] };
    await Promise.all([accepted.look(), accepted.look()]);
    expect([accepted.accepts(segment), accepted.accepts('')]).toEqual([false, true]);
    store.configuration = { webhooks: [] };
    let looked = false;
    void accepted.look().then(() => {
      looked = true;
    });
    await clock.advance(900);
    expect([looked, accepted.accepts('')]).toEqual([false, true]);
    await clock.advance(100);
    expect([looked, accepted.accepts('')]).toEqual([true, false]);
  });

  it('does not change where the API server cannot be asked', async () => {
    const store = new FakeStore();
    const accepted = new CallerPaths(store, new TestClock(), logInto([]));
    accepted.secretSeen(new Map([['paths', segmentsText([{ segment, madeMs: 1 }])]]));
    store.readFates = ['failed', 'failed'];
    await accepted.look();
    expect(accepted.accepts(segment)).toBe(true);
  });
});

it('[I13] an administrator hears of unproven calls once a minute, by an Event', async () => {
  const clock = new TestClock();
  const notes: EventNote[] = [];
  const tell = unprovenCalls({
    recorder: { record: (note) => notes.push(note) },
    log: logInto([]),
    clock,
    namespace: 'own',
  });
  const say = (lacks: Unproven) => tell(lacks, '10.0.0.9');
  say('path');
  say('token');
  await clock.advance(60_000);
  say('token');
  expect(notes.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    expect.stringMatching(/^UnprovenCalls the webhooks were called without the path/),
    expect.stringMatching(/^UnprovenCalls the webhooks were called without a token/),
  ]);
  expect(notes[0]?.subject).toEqual({ apiVersion: 'v1', kind: 'Service', namespace: 'own', name: 'holdfast' });
});
