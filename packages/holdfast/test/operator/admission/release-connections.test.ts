import { expect, it } from 'vitest';
import type { WebhookClock } from '../../../src/operator/admission/deadline.ts';
import type { WebhookHandler } from '../../../src/operator/admission/handler.ts';
import { reviewText } from './reviews.ts';
import { agentFor, send, startServer, until } from './support.ts';

/** Time is what a test says; nothing is waited for. */
function settable(): WebhookClock & { now: number } {
  return { now: 0, monotonic: () => clock.now, after: () => ({ cancel: () => undefined }) } as never;
}
let clock = settable();

async function running() {
  clock = settable();
  const waiting: (() => void)[] = [];
  const handler: WebhookHandler = {
    answer: () => new Promise((resolve) => waiting.push(() => resolve({ allowed: true }))),
    inDoubt: () => ({ allowed: true }),
  };
  const { server, keyPair } = await startServer({ handler, clock });
  const agent = agentFor(keyPair);
  const begin = async () => {
    const before = waiting.length;
    const answer = send({ agent, port: server.port, body: reviewText() });
    await until(() => waiting.length > before);
    return { answer };
  };
  const call = async () => {
    const { answer } = await begin();
    for (const go of waiting.splice(0)) go();
    return answer;
  };
  const kept = () => Object.values(agent.freeSockets).flat();
  return { server, agent, waiting, begin, call, kept };
}

it('[W2] a replica that is not ready closes idle connections, and answers what is under way before it ends the others', async () => {
  const { server, agent, waiting, begin, call, kept } = await running();
  const underWay = [await begin(), await begin()];
  for (const go of waiting.splice(1)) go();
  await underWay[1]?.answer;
  await until(() => kept().length === 1);
  const [idle] = kept();
  await until(() => {
    clock.now += 1_000;
    server.releaseConnections();
    return idle?.destroyed === true;
  });
  for (const go of waiting.splice(0)) go();
  expect(await underWay[0]?.answer).toMatchObject({ code: 200, headers: { connection: 'close' } });
  // A client that still calls is answered, also on a connection that ends then.
  expect(await call()).toMatchObject({ code: 200, headers: { connection: 'close' } });
  expect(kept()).toEqual([]);

  server.keepConnections();
  expect((await call()).headers.connection).not.toBe('close');
  await until(() => kept().length === 1);
  agent.destroy();
  await server.close(0);
});

it('[W2] a connection that was used a moment ago ends with its next answer, since a request may be on its way on it', async () => {
  const { server, agent, begin, waiting, call, kept } = await running();
  await call();
  await until(() => kept().length === 1);
  const [used] = kept();
  clock.now = 999;
  server.releaseConnections();
  const { answer } = await begin();
  expect(Object.values(agent.sockets).flat()).toEqual([used]);
  for (const go of waiting.splice(0)) go();
  expect(await answer).toMatchObject({ code: 200, headers: { connection: 'close' } });
  agent.destroy();
  await server.close(0);
});
