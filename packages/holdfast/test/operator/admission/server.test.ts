import { request as httpsRequest } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookHandler } from '../../../src/operator/admission/handler.ts';
import { reviewText, reviewUid } from './reviews.ts';
import {
  agentFor,
  allowing,
  type Certified,
  ManualClock,
  newKeyPair,
  type Sending,
  type StartWish,
  send,
  startServer,
  until,
} from './support.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function started(wish: StartWish = {}) {
  const running = await startServer(wish);
  const agent = agentFor(running.keyPair);
  // A clock that stands still never ends a wait, so the limit is as good as none.
  let closed: Promise<unknown> | undefined;
  const close = () => {
    closed ??= running.server.close(0);
    return closed;
  };
  cleanUps.push(async () => {
    agent.destroy();
    const done = close();
    if (wish.clock instanceof ManualClock && wish.clock.waiting().includes(0)) wish.clock.fire(0);
    await done;
  });
  const post = (more: Partial<Sending> = {}) => send({ agent, port: running.server.port, body: reviewText(), ...more });
  return { ...running, agent, post };
}

const response = (text: string) => JSON.parse(text).response;

/** A handler that answers when it is told to. */
function held() {
  const waiting: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const handler: WebhookHandler = {
    answer: (_, { deadline }) => {
      signals.push(deadline.signal);
      return new Promise((resolve) => waiting.push(() => resolve({ allowed: true })));
    },
    inDoubt: (_, why) => ({ allowed: false, code: 429, reason: 'TooManyRequests', message: `in doubt: ${why}` }),
  };
  return { handler, signals, waiting, release: () => waiting.splice(0).forEach((go) => void go()) };
}

describe('a call of a webhook', () => {
  it('gets its answer, with the uid of the review', async () => {
    const { post } = await started();
    const answer = await post();
    expect(answer).toMatchObject({ code: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(answer.text)).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: { uid: reviewUid, allowed: true },
    });
  });

  it('keeps its connection, for longer than API servers keep idle ones', async () => {
    const { post } = await started();
    const { headers } = await post();
    expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=120' });
  });

  it.each([
    ['another path', { path: '/other' }, 404],
    ['a path of every object', { path: '/__proto__' }, 404],
    ['a longer path', { path: '/judge/' }, 404],
    ['GET', { method: 'GET', body: '' }, 405],
    ['PUT', { method: 'PUT' }, 405],
    ['no content type', { headers: { 'content-type': '' } }, 415],
    ['YAML', { headers: { 'content-type': 'application/yaml' } }, 415],
    ['compression', { headers: { 'content-encoding': 'gzip' } }, 415],
    ['no body', { body: '' }, 400],
    ['no JSON', { body: '{' }, 400],
    ['no review', { body: '{"kind":"Pod"}' }, 400],
  ])('is refused with an HTTP error: %s', async (_, more, code) => {
    const { post } = await started();
    const answer = await post(more);
    expect(answer.code).toBe(code);
    expect(answer.text).toMatch(/^[\w ].*\n$/);
    expect((await post()).code).toBe(200);
  });

  it('says which method it takes', async () => {
    const { post } = await started();
    expect((await post({ method: 'DELETE' })).headers).toMatchObject({ allow: 'POST' });
  });

  it('takes parameters after the content type', async () => {
    const { post } = await started();
    expect((await post({ headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).code).toBe(200);
  });

  it('that has a uid and cannot be understood is refused in a review', async () => {
    const { post } = await started();
    const answer = await post({ body: reviewText({ operation: 'EAT' }) });
    expect(answer.code).toBe(200);
    expect(response(answer.text)).toMatchObject({
      uid: reviewUid,
      allowed: false,
      status: { code: 400, reason: 'BadRequest', message: expect.stringContaining('request.operation') },
    });
  });

  it('is counted by what became of it', async () => {
    const { post, metrics } = await started();
    await post();
    await post({ body: JSON.stringify(JSON.parse(reviewText()), undefined, 1) });
    await post({ path: '/any' });
    const text = await metrics.render();
    expect(text).toContain('holdfast_webhook_calls_total{webhook="/judge",outcome="allowed",code="200"} 2');
    expect(text).toContain('holdfast_webhook_calls_total{webhook="none",outcome="rejected",code="404"} 1');
  });
});

describe('a handler that fails', () => {
  const failing = (inDoubt: WebhookHandler['inDoubt']): WebhookHandler => ({
    answer: () => Promise.reject(new Error('the ledger burns')),
    inDoubt,
  });

  it('is asked what doubt means', async () => {
    const { post, lines } = await started({
      handler: failing((_, why) => ({ allowed: false, code: 429, reason: 'TooManyRequests', message: why })),
    });
    expect(response((await post()).text)).toMatchObject({ allowed: false, status: { code: 429, message: 'failed' } });
    expect(lines.join('')).toContain('the ledger burns');
  });

  it('twice is a 500', async () => {
    const broken = failing(() => {
      throw new Error('this, too');
    });
    const { post } = await started({ handler: broken });
    expect((await post()).code).toBe(500);
  });
});

describe('the deadline', () => {
  it.each([
    ['?timeout=10s', 9_000],
    ['?timeout=1s', 800],
    ['?timeout=30s', 29_000],
    ['?timeout=1h', 29_000],
    ['?timeout=0s', 50],
    ['?timeout=soon', 9_000],
    ['', 9_000],
  ])('of %s is before the API server stops waiting', async (query, deadline) => {
    const clock = new ManualClock();
    const { handler, signals } = held();
    const { post } = await started({ handler, clock });
    const answer = post({ path: `/judge${query}` });
    await until(() => signals.length === 1);
    expect(clock.waiting()).toEqual([deadline]);
    clock.fire(deadline);
    expect(response((await answer).text)).toMatchObject({ status: { code: 429, message: 'in doubt: late' } });
    expect(signals[0]).toMatchObject({ aborted: true, reason: 'late' });
  });

  it('ends with the answer', async () => {
    const clock = new ManualClock();
    const { post } = await started({ clock });
    await post();
    expect(clock.waiting()).toEqual([]);
  });

  it.each([
    ['the deadline of the call', 9_000],
    ['the least rate, for a body of 1,000 bytes', 2_001],
  ])('holds for a body that comes slowly, too: %s', async (_, ms) => {
    const clock = new ManualClock();
    const { server, agent } = await started({ clock });
    const answer = new Promise<{ code: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': '1000' };
      const options = { host: '127.0.0.1', port: server.port, path: '/judge', method: 'POST', agent, headers };
      const request = httpsRequest(options, (incoming) => {
        incoming.resume();
        resolve({ code: incoming.statusCode, connection: incoming.headers.connection });
      });
      request.on('error', reject);
      request.write('{"kind":');
    });
    await until(() => clock.waiting().length === 2);
    clock.fire(ms);
    expect(await answer).toEqual({ code: 408, connection: 'close' });
  });

  it('does not matter once the client has left', async () => {
    const { handler, signals } = held();
    const { server, agent, metrics } = await started({ handler });
    const headers = { 'content-type': 'application/json' };
    const request = httpsRequest({
      host: '127.0.0.1',
      port: server.port,
      path: '/judge',
      method: 'POST',
      agent,
      headers,
    });
    request.on('error', () => undefined);
    request.end(reviewText());
    await until(() => signals.length === 1);
    request.destroy();
    await until(() => signals[0]?.aborted === true && server.pending() === 0);
    expect(signals[0]?.reason).toBe('gone');
    expect(await metrics.render()).toContain('outcome="gone"');
  });
});

describe('a large body', () => {
  const limits = { bodies: { maxBytes: 10_000 } };

  it.each([
    ['announced', { 'content-length': '15000' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('is refused and the connection closed: %s', async (_, headers) => {
    const { post } = await started({ limits });
    const answer = await post({ body: 'x'.repeat(15_000), headers });
    expect(answer).toMatchObject({ code: 413, headers: { connection: 'close' } });
  });

  it('is not listened to without end', async () => {
    const { server, agent } = await started({ limits });
    const code = new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { host: '127.0.0.1', port: server.port, path: '/judge', method: 'POST', agent, headers };
      const request = httpsRequest(options, (incoming) => resolve(incoming.resume().statusCode));
      request.on('error', reject);
      // Never ended by the client.
      request.write('x'.repeat(25_000));
    });
    expect(await code).toBe(413);
  });

  it('may be as large as the limit', async () => {
    const { post } = await started({ limits });
    const text = reviewText();
    expect((await post({ body: text + ' '.repeat(10_000 - text.length) })).code).toBe(200);
    expect((await post({ body: text + ' '.repeat(10_001 - text.length) })).code).toBe(413);
  });

  it('cannot take the memory that is kept for small ones', async () => {
    const { handler, waiting, release } = held();
    const text = reviewText();
    const large = text + ' '.repeat(3_000);
    const bodies = {
      smallBytes: text.length,
      maxReadingBytes: large.length + text.length,
      smallShareBytes: text.length,
    };
    const { post } = await started({ handler, limits: { bodies } });
    const first = post({ body: large });
    await until(() => waiting.length === 1);
    expect((await post({ body: large })).code).toBe(503);
    const small = post({ body: text });
    await until(() => waiting.length === 2);
    release();
    expect([(await first).code, (await small).code]).toEqual([200, 200]);
  });

  it('waits for no memory: what does not fit beside the others is refused', async () => {
    const { handler, waiting, release } = held();
    const size = Buffer.byteLength(reviewText());
    const { post } = await started({ handler, limits: { bodies: { maxReadingBytes: size } } });
    const first = post();
    await until(() => waiting.length === 1);
    expect((await post()).code).toBe(503);
    release();
    expect((await first).code).toBe(200);
    const again = post();
    await until(() => waiting.length === 1);
    release();
    expect((await again).code).toBe(200);
  });
});

describe('what is not TLS 1.3', () => {
  it('is turned away: TLS 1.2', async () => {
    const { server, keyPair, metrics, post } = await started();
    const error = await new Promise<Error>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: keyPair.ca, maxVersion: 'TLSv1.2' });
      socket.on('error', resolve);
      socket.on('secureConnect', () => reject(new Error('TLS 1.2 was accepted')));
    });
    expect(error.message).toMatch(/protocol version/i);
    expect((await post()).code).toBe(200);
    expect(await metrics.render()).toContain('holdfast_webhook_tls_failures_total 1');
  });

  it('is turned away: plain text', async () => {
    const { server, post } = await started();
    await new Promise<void>((resolve) => {
      const socket = connectTcp({ host: '127.0.0.1', port: server.port });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume().write('POST /judge HTTP/1.1\r\nhost: x\r\n\r\n');
    });
    expect((await post()).code).toBe(200);
  });
});

/** The certificate that a new connection gets, as its fingerprint. */
function served(
  port: number,
  trusted: readonly Certified[],
  maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca: trusted.map((one) => one.ca), maxVersion }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('a new certificate', () => {
  it('is served to new connections, and no request under way notices', async () => {
    const { server, keyPair } = await started({
      handler: { ...allowing, answer: () => new Promise((resolve) => setImmediate(() => resolve({ allowed: true }))) },
    });
    const pairs = [keyPair, newKeyPair(), newKeyPair(), newKeyPair()];
    let stop = false;
    const clients = Array.from({ length: 8 }, async (_, index) => {
      let agent = agentFor(...pairs);
      let answered = 0;
      while (!stop) {
        const { code } = await send({ agent, port: server.port, body: reviewText() });
        expect(code).toBe(200);
        answered += 1;
        // Half of the clients open a new connection for each request.
        if (index % 2 === 0 && answered % 5 === 0) {
          agent.destroy();
          agent = agentFor(...pairs);
        }
      }
      agent.destroy();
      return answered;
    });
    const seen = new Set<string>();
    for (const pair of pairs.slice(1)) {
      expect(server.rotate(pair)).toEqual({ ok: true });
      for (let count = 0; count < 5; count += 1) seen.add(await served(server.port, [pair]));
    }
    stop = true;
    for (const answered of await Promise.all(clients)) expect(answered).toBeGreaterThan(0);
    expect(seen.size).toBe(3);
  });

  it('leaves connections that exist as they are', async () => {
    const { server, post, agent } = await started();
    await post();
    const [socket] = Object.values(agent.freeSockets).flat();
    server.rotate(newKeyPair());
    // This agent does not trust the new authority: only its old connection can do.
    expect((await post()).code).toBe(200);
    expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
  });

  it('does not lower the version of TLS', async () => {
    const { server } = await started();
    const pair = newKeyPair();
    server.rotate(pair);
    await expect(served(server.port, [pair], 'TLSv1.2')).rejects.toThrow(/protocol version/i);
  });

  it.each([
    ['no certificate', () => ({ certificate: 'nothing', key: newKeyPair().key })],
    ['the key of another', () => ({ certificate: newKeyPair().certificate, key: newKeyPair().key })],
  ])('that cannot be used is refused, and the old one stays: %s', async (_, pair) => {
    const { server, keyPair } = await started();
    const before = await served(server.port, [keyPair]);
    expect(server.rotate(pair())).toMatchObject({ ok: false, problem: expect.stringMatching(/./) });
    expect(await served(server.port, [keyPair])).toBe(before);
  });
});
