import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { WebhookHandler } from '../../../src/operator/admission/handler.ts';
import { shutDown } from '../../../src/operator/admission/wire/shutdown.ts';
import { startHealthServer } from '../../../src/telemetry/health/health-server.ts';
import { createReadiness } from '../../../src/telemetry/health/readiness.ts';
import { reviewText } from './reviews.ts';
import { agentFor, ManualClock, send, startServer, until } from './support.ts';

interface Page {
  readonly code: number | undefined;
  readonly text: string;
}

function page(port: number, path: string, method = 'GET'): Promise<Page> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ code: response.statusCode, text }));
    });
    request.on('error', reject);
  });
}

const noticeMs = 5_000;
const drainMs = 20_000;

/** Both servers, with a clock that stands still and a handler that waits for `release`. */
async function running() {
  const clock = new ManualClock();
  const waiting: (() => void)[] = [];
  const handler: WebhookHandler = {
    answer: () => new Promise((resolve) => waiting.push(() => resolve({ allowed: true }))),
    inDoubt: () => ({ allowed: true }),
  };
  const { server, keyPair, metrics } = await startServer({ handler, clock });
  let synced = false;
  const readiness = createReadiness(new Map([['caches', () => synced]]));
  const health = await startHealthServer({ host: '127.0.0.1', port: 0, readiness, metrics });
  const agent = agentFor(keyPair);
  return {
    server,
    clock,
    health,
    agent,
    waiting,
    release: () => {
      for (const go of waiting.splice(0)) go();
    },
    becomeSynced: () => {
      synced = true;
    },
    /** Begun when this resolves; `answer` is the outcome. */
    begin: async () => {
      const before = waiting.length;
      const answer = send({ agent, port: server.port, body: reviewText() });
      answer.catch(() => undefined);
      await until(() => waiting.length > before);
      return { answer };
    },
    leave: () => shutDown({ readiness, webhook: server, health, clock, noticeMs, drainMs }),
  };
}

async function left(bed: Awaited<ReturnType<typeof running>>) {
  const leaving = bed.leave();
  bed.clock.fire(noticeMs);
  bed.agent.destroy();
  return leaving;
}

describe('the health server', () => {
  it('says that the process lives, whether it is ready, and what it measured', async () => {
    const bed = await running();
    const { port } = bed.health;
    expect(await page(port, '/healthz')).toEqual({ code: 200, text: 'ok\n' });
    expect(await page(port, '/readyz')).toEqual({ code: 503, text: 'not ready: caches\n' });
    bed.becomeSynced();
    expect(await page(port, '/readyz?verbose')).toEqual({ code: 200, text: 'ok\n' });
    expect((await page(port, '/metrics')).text).toContain('holdfast_webhook_calls_total');
    expect((await page(port, '/judge')).code).toBe(404);
    expect((await page(port, '/readyz', 'POST')).code).toBe(405);
    await left(bed);
  });
});

describe('a replica that leaves', () => {
  it('is not ready first, lets go of connections while it answers, and stops listening last', async () => {
    const bed = await running();
    bed.becomeSynced();
    const idle = await bed.begin();
    bed.release();
    await idle.answer;
    const [kept] = Object.values(bed.agent.freeSockets).flat();
    const closed = new Promise((resolve) => kept?.once('close', resolve));
    const underWay = await bed.begin();
    expect(Object.values(bed.agent.sockets).flat()).toEqual([kept]);
    const second = await bed.begin();
    bed.waiting.splice(1).forEach((go) => void go());
    await second.answer;

    const leaving = bed.leave();
    expect(await page(bed.health.port, '/readyz')).toEqual({ code: 503, text: 'not ready: shutting down\n' });
    expect((await page(bed.health.port, '/healthz')).code).toBe(200);

    // A client that has not noticed yet is still answered, on a connection that then ends.
    const late = await bed.begin();
    bed.waiting.splice(1).forEach((go) => void go());
    expect(await late.answer).toMatchObject({ code: 200, headers: { connection: 'close' } });

    bed.clock.fire(noticeMs);
    await expect(send({ agent: bed.agent, port: bed.server.port, body: reviewText() })).rejects.toThrow(/ECONNREFUSED/);
    expect((await page(bed.health.port, '/readyz')).code).toBe(503);

    bed.release();
    expect(await underWay.answer).toMatchObject({ code: 200, headers: { connection: 'close' } });
    await closed;
    expect(await leaving).toEqual({ dropped: 0 });
    await expect(page(bed.health.port, '/healthz')).rejects.toThrow(/ECONNREFUSED/);
    bed.agent.destroy();
  });

  it('leaves idle connections open as long as requests may come on them, and closes them then', async () => {
    const bed = await running();
    const both = [await bed.begin(), await bed.begin()];
    bed.release();
    for (const { answer } of both) await answer;
    const idle = Object.values(bed.agent.freeSockets).flat();
    expect(idle).toHaveLength(2);
    const closed = Promise.all(idle.map((one) => new Promise((resolve) => one?.once('close', resolve))));
    const leaving = bed.leave();
    const late = await bed.begin();
    expect(idle).toContain(Object.values(bed.agent.sockets).flat()[0]);
    bed.release();
    expect(await late.answer).toMatchObject({ code: 200, headers: { connection: 'close' } });
    bed.clock.fire(noticeMs);
    await closed;
    expect(await leaving).toEqual({ dropped: 0 });
  });

  it('cuts off what is not done when the limit has passed, and says how many', async () => {
    const bed = await running();
    const stuck = [await bed.begin(), await bed.begin()];
    const leaving = bed.leave();
    bed.clock.fire(noticeMs);
    await until(() => bed.clock.waiting().includes(drainMs));
    bed.clock.fire(drainMs);
    expect(await leaving).toEqual({ dropped: 2 });
    for (const { answer } of stuck) await expect(answer).rejects.toThrow();
    bed.agent.destroy();
  });
});
