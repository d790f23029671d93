import type { Event } from 'kubernetes-types/core/v1.js';
import { afterEach, describe, expect, test } from 'vitest';
import {
  aggregationLimits,
  EventAggregator,
  type EventNote,
  EventRecorder,
} from '../../../src/kube/events/recorder.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { clientOf, connect, json, plainTarget, status, syntheticServer } from '../support/server.ts';

const subject = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a', uid: 'u' };
const note: EventNote = { subject, type: 'Warning', reason: 'Blocked', message: 'by a budget' };

describe('events that are alike', () => {
  test('are one event with a count', () => {
    const aggregator = new EventAggregator();
    const first = aggregator.add(note, 1_000);
    const second = aggregator.add(note, 2_000);
    expect(first).toMatchObject({ count: 1, firstAt: 1_000, lastAt: 1_000 });
    expect(second).toMatchObject({ count: 2, firstAt: 1_000, lastAt: 2_000, eventName: first?.eventName });
  });

  test.each<[string, Partial<EventNote>]>([
    ['message', { message: 'other' }],
    ['reason', { reason: 'Other' }],
    ['type', { type: 'Normal' }],
    ['object', { subject: { ...subject, name: 'b' } }],
    ['life of the object', { subject: { ...subject, uid: 'v' } }],
  ])('but of another %s, are two', (_, other) => {
    const aggregator = new EventAggregator();
    const first = aggregator.add(note, 0);
    const second = aggregator.add({ ...note, ...other }, 0);
    expect(second?.count).toBe(1);
    expect(second?.eventName).not.toBe(first?.eventName);
  });

  test('are a new event after a long silence', () => {
    const aggregator = new EventAggregator();
    aggregator.add(note, 0);
    expect(aggregator.add(note, aggregationLimits.windowMs + 1)?.count).toBe(1);
  });

  test('but of ever new messages, are combined after ten', () => {
    const aggregator = new EventAggregator();
    const series = Array.from({ length: 13 }, (_, i) => aggregator.add({ ...note, message: `try ${i}` }, i));
    expect(new Set(series.map((one) => one?.eventName)).size).toBe(11);
    expect(series[9]).toMatchObject({ count: 1, note: { message: 'try 9' } });
    expect(series[12]).toMatchObject({ count: 3, note: { message: '(combined from similar events): try 12' } });
  });

  test('are dropped when there are too many about one object, and about others are not', () => {
    const aggregator = new EventAggregator();
    const said = Array.from({ length: 30 }, () => aggregator.add(note, 0) !== undefined);
    expect(said.filter(Boolean)).toHaveLength(25);
    expect(aggregator.add({ ...note, subject: { ...subject, name: 'b' } }, 0)).toBeDefined();
    expect(aggregator.add(note, aggregationLimits.refillMs)).toBeDefined();
    expect(aggregator.add(note, aggregationLimits.refillMs)).toBeUndefined();
  });

  test('are remembered only so long', () => {
    const aggregator = new EventAggregator({ ...aggregationLimits, maxRemembered: 2 });
    for (const name of ['a', 'b', 'c']) aggregator.add({ ...note, subject: { ...subject, name } }, 0);
    expect(aggregator.add({ ...note, subject: { ...subject, name: 'c' } }, 0)?.count).toBe(2);
    expect(aggregator.add(note, 0)?.count).toBe(1);
  });
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function record(refuse: (asked: string, turn: number) => number | undefined = () => undefined) {
  const stored = new Map<string, Event>();
  const reports: string[] = [];
  let turn = 0;
  const server = await syntheticServer((request, response, body) => {
    turn += 1;
    const code = refuse(request.method ?? '', turn);
    const sent = JSON.parse(body) as Event;
    const name = request.method === 'POST' ? (sent.metadata.name ?? '') : (request.url?.split('/').at(-1) ?? '');
    const known = stored.get(name);
    if (code !== undefined) return json(response, code, status(code, 'Refused', 'no'));
    if (request.method === 'PATCH' && known === undefined) return json(response, 404, status(404, 'NotFound'));
    if (request.method === 'POST' && known !== undefined) return json(response, 409, status(409, 'AlreadyExists'));
    stored.set(name, { ...known, ...sent });
    return json(response, 200, sent);
  });
  const connection = connect(plainTarget(server.url));
  cleanups.push(
    () => server.close(),
    () => connection.close(),
  );
  const recorder = new EventRecorder({
    client: clientOf(connection),
    clock: realClock,
    random: () => 0,
    component: 'holdfast',
    instance: 'holdfast-1',
    report: (message) => reports.push(message),
  });
  return { recorder, stored, reports, server };
}

describe('a recorder', () => {
  test('writes what kubectl shows', async () => {
    const { recorder, stored } = await record();
    recorder.record(note);
    recorder.record({ ...note, subject: { apiVersion: 'v1', kind: 'Node', name: 'n' }, message: 'x'.repeat(5_000) });
    await recorder.flush();
    const [first, second] = [...stored.values()];
    expect(first).toMatchObject({
      metadata: { namespace: 'shop', name: expect.stringMatching(/^a\.[0-9a-f]+$/) },
      involvedObject: subject,
      type: 'Warning',
      reason: 'Blocked',
      message: 'by a budget',
      count: 1,
      source: { component: 'holdfast' },
      reportingComponent: 'holdfast',
      reportingInstance: 'holdfast-1',
      firstTimestamp: expect.stringMatching(/Z$/),
    });
    expect([second?.metadata.namespace, second?.message?.length]).toEqual(['default', 1_024]);
  });

  test('writes no control characters that an application or a webhook wrote', async () => {
    const { recorder, stored } = await record();
    recorder.record({ ...note, message: 'the probe said \u001b[2J\u009b31m' });
    await recorder.flush();
    expect([...stored.values()].map(({ message }) => message)).toEqual(['the probe said \ufffd[2J\ufffd31m']);
  });

  test('counts up in place, and begins again when the event is gone', async () => {
    const { recorder, stored, server } = await record();
    recorder.record(note);
    await recorder.flush();
    recorder.record(note);
    await recorder.flush();
    expect([...stored.values()].map((event) => event.count)).toEqual([2]);
    stored.clear();
    recorder.record(note);
    await recorder.flush();
    expect([...stored.values()].map((event) => event.count)).toEqual([3]);
    expect(server.asked.map((asked) => asked.split(' ')[0])).toEqual(['POST', 'PATCH', 'PATCH', 'POST']);
  });

  test('sends only the last of those that waited together', async () => {
    const { recorder, server, stored } = await record();
    for (let i = 0; i < 20; i += 1) recorder.record(note);
    await recorder.flush();
    expect(server.asked.length).toBeLessThanOrEqual(3);
    expect([...stored.values()].map((event) => event.count)).toEqual([20]);
  });

  test('tries again what may pass, and reports what it gives up', async () => {
    const { recorder, stored, reports } = await record((_, turn) => (turn === 1 ? 503 : turn === 3 ? 403 : undefined));
    recorder.record(note);
    await recorder.flush();
    expect([stored.size, reports]).toEqual([1, []]);
    recorder.record({ ...note, reason: 'Other' });
    await recorder.flush();
    expect([stored.size, reports]).toEqual([1, ['event Other of a: no']]);
  });

  test('that is stopped takes nothing more, and does not wait for a server that is away', async () => {
    const { recorder, reports } = await record(() => 503);
    recorder.record(note);
    await recorder.stop();
    recorder.record(note);
    await recorder.flush();
    expect(reports).toHaveLength(1);
  });
});
