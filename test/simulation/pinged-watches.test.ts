import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { drive } from '../../packages/holdfast/src/cli/simulate/drive.ts';
import { Connection } from '../../packages/holdfast/src/kube/transport/connection.ts';
import { networkTarget } from './replica.ts';
import { openStack, type Stack } from './stack.ts';

const pings = { afterMs: 4_000, deadMs: 9_000 };

function connectionTo({ clock, network, cluster }: Stack): Connection {
  const connect = (accept: (end: Duplex) => void) => () => network.connect('client', 'api', accept);
  const target = networkTarget(
    'administrator',
    connect((end) => cluster.api.accept(end)),
  );
  const connectHttp2 = connect((end) => cluster.api.acceptHttp2(end));
  return new Connection({ ...target, connectHttp2 }, { clock, userAgent: 'test', pings });
}

async function withWatch(
  judge: (stack: Stack, state: { readonly silentMs: () => number; readonly ended: () => boolean }) => Promise<void>,
): Promise<void> {
  const stack = await openStack({
    seed: 1,
    replicas: 0,
    running: { apps: [], others: [] },
    skews: [],
    http2: true,
    logLevel: 'error',
    report: () => {},
  });
  const connection = connectionTo(stack);
  const opening = connection.openWatch({ deadlineMs: 5_000 }, () => '/api/v1/pods?watch=true&timeoutSeconds=300');
  const driven = await drive(stack.clock, opening);
  if (driven.kind !== 'done' || !driven.value.ok) throw new Error('the watch did not open');
  const { proof, body } = driven.value.value;
  if (proof.kind !== 'pinged') throw new Error(`the proof is ${proof.kind}`);
  let hasEnded = false;
  body
    .on('error', () => undefined)
    .once('close', () => {
      hasEnded = true;
    });
  body.resume();
  await judge(stack, { silentMs: proof.silentMs, ended: () => hasEnded });
  connection.close();
  await drive(stack.clock, stack.close());
}

test('a watch over HTTP/2 in which nothing happens is kept alive by pings', async () => {
  await withWatch(async ({ clock }, { silentMs, ended }) => {
    await clock.advance(60_000);
    expect(ended()).toBe(false);
    expect(silentMs()).toBeLessThan(6_000);
  });
});

test('a watch over HTTP/2 whose connection dies silently ends after nine to ten seconds', async () => {
  await withWatch(async ({ clock, network }, { ended }) => {
    expect(network.freeze('client')).toBeGreaterThan(0);
    await clock.advance(8_000);
    expect(ended()).toBe(false);
    await clock.advance(3_000);
    expect(ended()).toBe(true);
  });
});
