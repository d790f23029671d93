import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../packages/embedded-cluster/src/time/virtual-clock.ts';
import { Wire } from './wire.ts';

function aWire(delays: readonly number[] = []) {
  const clock = new VirtualClock();
  const left = [...delays];
  let closed = 0;
  const terms = { clock, delay: () => left.shift() ?? 0, closed: () => (closed += 1) };
  const wire = new Wire('a', 'b', terms);
  return { clock, wire, arrived: textOf(wire.far), closed: () => closed };
}

function textOf(end: Duplex): () => string {
  let text = '';
  end.on('data', (piece: Buffer) => (text += piece.toString()));
  return () => text;
}

test('pieces arrive in the order in which they were sent, however long each takes', async () => {
  const { clock, wire, arrived } = aWire([500, 0, 20]);
  for (const piece of ['one ', 'two ', 'three']) wire.near.write(piece);
  expect(arrived()).toBe('');
  await clock.advance(510);
  expect(arrived()).toBe('one two ');
  await clock.advance(20);
  expect(arrived()).toBe('one two three');
});

test('a connection that is cut ends for both, and what was on its way is lost', async () => {
  const { clock, wire, arrived, closed } = aWire([1_000]);
  textOf(wire.near);
  wire.near.write('never');
  wire.cut();
  await Promise.all([once(wire.near, 'close'), once(wire.far, 'close')]);
  await clock.advance(2_000);
  expect(arrived()).toBe('');
  expect(closed()).toBe(1);
});

test('a connection that died silently delivers nothing and tells neither end', async () => {
  const { clock, wire, arrived } = aWire();
  wire.freeze();
  wire.near.write('never');
  wire.near.destroy();
  wire.release();
  await clock.advance(60_000);
  expect(arrived()).toBe('');
  expect(wire.far.readableEnded || wire.far.destroyed).toBe(false);
});

test('what is sent while a process is stopped arrives when it goes on, also the end of the connection', async () => {
  const { clock, wire, arrived } = aWire();
  wire.hold();
  wire.near.end('later');
  await clock.advance(60_000);
  expect(arrived()).toBe('');
  wire.release();
  await once(wire.far, 'end');
  expect(arrived()).toBe('later');
});
