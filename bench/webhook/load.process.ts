// The API servers that call the webhook, in a process of their own: what they cost is not the operator's.
import { setTimeout } from 'node:timers/promises';
import { webhookPaths } from '../../packages/holdfast/src/api/installation-names.ts';
import { answerWith } from '../cluster/answering.ts';
import { type Answer, Exchange } from './exchange.ts';
import type { Loaded, Review, ToLoad } from './messages.ts';
import { Tally } from './tally.ts';

interface Call {
  readonly bytes: Buffer;
  readonly deletion: Buffer;
}

answerWith<ToLoad>(async (order) => {
  const open = await Promise.all(Array.from({ length: order.connections }, () => Exchange.open(order.webhook)));
  try {
    return await drive(order, open);
  } finally {
    for (const one of open) one.close();
  }
});

function drive(order: ToLoad, open: readonly Exchange[]): Promise<Loaded> {
  const calls = order.reviews.map((review) => callOf(review, order.webhook.path));
  switch (order.do) {
    case 'hammer':
      return hammer({ seconds: order.seconds, atLeast: calls.length }, open, calls);
    case 'pace':
      return pace(order, open, calls);
    case 'disrupt':
      return disrupt(order, open, calls);
  }
}

/** @param path of the webhook; the bare server, to compare with, has none */
function callOf({ bytes, pod }: Review, path: string = webhookPaths.pods): Call {
  const text = Buffer.from(bytes, 'base64').toString();
  return {
    bytes: Buffer.from(text.replace(`POST ${webhookPaths.pods}?`, `POST ${path}?`)),
    deletion: Buffer.from(`DELETE ${pod} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n`),
  };
}

type AfterAnswer = (answer: Answer, call: Call, connection: number) => Promise<void>;

/** How long to go on: so many seconds, and on a slow machine until there were so many answers. */
interface Extent {
  readonly seconds: number;
  readonly atLeast: number;
}

async function hammer(
  { seconds, atLeast }: Extent,
  open: readonly Exchange[],
  calls: readonly Call[],
  after?: AfterAnswer,
): Promise<Loaded> {
  const tally = new Tally();
  const end = performance.now() + seconds * 1_000;
  let next = 0;
  const one = async (exchange: Exchange, connection: number): Promise<void> => {
    while (performance.now() < end || next < atLeast) {
      const call = calls[next++ % calls.length] as Call;
      const begun = performance.now();
      const answer = await exchange.send(call.bytes);
      tally.add(answer, performance.now() - begun);
      if (after !== undefined) await after(answer, call, connection);
    }
  };
  await Promise.all(open.map(one));
  return tally.result();
}

/** What an API server does after an allowed eviction. Where the operator completes evictions, there is nothing left to do. */
async function disrupt(
  { seconds, api, connections }: Extract<ToLoad, { do: 'disrupt' }>,
  open: readonly Exchange[],
  calls: readonly Call[],
): Promise<Loaded> {
  const extent = { seconds, atLeast: 0 };
  if (api === undefined) return hammer(extent, open, calls);
  const server = await Promise.all(Array.from({ length: connections }, () => Exchange.open(api)));
  try {
    return await hammer(extent, open, calls, async (answer, call, connection) => {
      if (Tally.isAllowed(answer)) await server[connection]?.send(call.deletion);
    });
  } finally {
    for (const one of server) one.close();
  }
}

/** Latency is counted from the moment at which a request was due: one that has to wait for a connection has waited, too. */
async function pace(
  { seconds, perSecond }: Extract<ToLoad, { do: 'pace' }>,
  open: readonly Exchange[],
  calls: readonly Call[],
): Promise<Loaded> {
  const tally = new Tally();
  const free = [...open];
  const waiting: ((exchange: Exchange) => void)[] = [];
  const one = async (due: number, call: Call): Promise<void> => {
    const exchange = free.pop() ?? (await new Promise<Exchange>((resolve) => waiting.push(resolve)));
    tally.add(await exchange.send(call.bytes), performance.now() - due);
    const next = waiting.shift();
    if (next === undefined) free.push(exchange);
    else next(exchange);
  };
  const begun = performance.now();
  const running: Promise<void>[] = [];
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = begun + (sent * 1_000) / perSecond;
    if (due > performance.now()) await setTimeout(1);
    else running.push(one(due, calls[sent++ % calls.length] as Call));
  }
  await Promise.all(running);
  return tally.result();
}
