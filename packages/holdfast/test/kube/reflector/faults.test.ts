import { afterEach, describe, expect, test } from 'vitest';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { Reflector, type ServerTraits } from '../../../src/kube/reflector/reflector.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { FakeCollection, type FakePod, type Fault } from '../support/fake-collection.ts';
import { clientOf, connect, plainTarget, syntheticServer, until } from '../support/server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Long enough for any machine. Tests of silence choose less. */
const patience = { stallMs: 60_000, initialStallMs: 60_000 };
const impatience = { stallMs: 150, initialStallMs: 60_000 };

async function reflect(prepare: (collection: FakeCollection) => void = () => {}, stall = patience) {
  const collection = new FakeCollection();
  collection.set('a');
  collection.set('b');
  prepare(collection);
  const server = await syntheticServer(collection.handle);
  const connection = connect(plainTarget(server.url));
  const errors: unknown[] = [];
  const reports: string[] = [];
  const cache = new ObjectCache<FakePod>({ report: (error) => errors.push(error) });
  const traits: ServerTraits = { watchList: true };
  const reflector = new Reflector<FakePod>({
    client: clientOf(connection),
    resource: { group: '', version: 'v1', plural: 'pods', namespaced: true },
    project: (object) => object as unknown as FakePod,
    sink: cache,
    traits,
    clock: realClock,
    random: () => 0.5,
    ...stall,
    backoff: { baseMs: 5, capMs: 20 },
    report: (end) => reports.push(end.kind === 'failed' ? end.failure.kind : end.kind),
  });
  cleanups.push(
    () => server.close(),
    () => connection.close(),
    () => reflector.stop(),
    () => expect(errors).toEqual([]),
  );
  reflector.start();
  const names = () => [...cache.items()].map((pod) => `${pod.metadata.name}@${pod.metadata.resourceVersion}`).sort();
  const current = () => until(() => cache.synced && String(names()) === String(collection.names()), 'the same state');
  const lists = () => server.asked.filter((asked) => !asked.includes('watch=true')).length;
  return { collection, server, cache, reflector, reports, traits, names, current, lists };
}

describe('a view of a collection', () => {
  test('begins with the state, and follows what happens', async () => {
    const { collection, cache, current, lists, server } = await reflect();
    expect(cache.synced).toBe(false);
    await current();
    collection.set('c');
    collection.set('a', 'n2');
    collection.delete('b');
    await current();
    expect(cache.get('shop', 'a')?.spec.nodeName).toBe('n2');
    expect(cache.resourceVersion).toBe(collection.version);
    expect(lists()).toBe(0);
    expect(server.asked[0]).toMatch(
      /watch=true&allowWatchBookmarks=true&timeoutSeconds=450&sendInitialEvents=true&resourceVersionMatch=NotOlderThan$/,
    );
  });

  test('learns from bookmarks how new it is', async () => {
    const { collection, cache, current, reflector } = await reflect();
    expect(reflector.silentMs()).toBe(Number.POSITIVE_INFINITY);
    await current();
    collection.bookmark();
    await until(() => cache.resourceVersion === collection.version);
    expect(reflector.silentMs()).toBeLessThan(60_000);
    expect(cache.size).toBe(2);
  });

  test.each<[string, FakeCollection['watchList']]>([
    ['refuses to send state as a watch', 'refuse'],
    ['never says that the state is complete', 'ignore'],
  ])('comes from a list where the server %s, and the server is not asked again', async (_, watchList) => {
    const { collection, current, lists, traits, server } = await reflect(
      (fake) => {
        fake.watchList = watchList;
      },
      { ...patience, initialStallMs: 500 },
    );
    await current();
    expect([lists(), traits.watchList]).toEqual([1, false]);
    await until(() => collection.watching > 0);
    collection.compact();
    collection.set('c');
    collection.faults.push('expire');
    collection.breakWatches();
    await until(() => lists() === 2);
    await current();
    expect(server.asked.filter((asked) => asked.includes('sendInitialEvents'))).toHaveLength(1);
  });
});

describe('a watch recovers by itself from', () => {
  const faults: readonly (readonly [string, Fault, string, number])[] = [
    ['a reset', 'reset', 'broken', 0],
    ['a 503', 'refuse', 'retry', 0],
    ['a 429', 'throttle', 'tooManyRequests', 0],
    ['a 410 as an answer', 'expire', 'gone', 1],
    ['a 410 inside of the watch', 'expireInside', 'gone', 1],
    ['an error inside of the watch', 'failInside', 'retry', 0],
    ['a watch that stalls', 'stall', 'stalled', 1],
    ['a garbled line', 'garble', 'garbled', 0],
    ['a line that is cut', 'cut', 'broken', 0],
    ['an end', 'end', '', 0],
  ];

  test.each(faults)('%s', async (_, fault, reported, resyncs) => {
    const { collection, current, reports, server } = await reflect(
      undefined,
      fault === 'stall' ? impatience : patience,
    );
    await current();
    await until(() => collection.watching === 1);
    collection.faults.push(fault);
    collection.breakWatches();
    await until(() => collection.faults.length === 0 && collection.watching === 1, 'another watch');
    collection.set('c');
    collection.delete('a');
    await current();
    const expected = reported === '' ? ['broken'] : ['broken', reported];
    const readings = server.asked.filter((asked) => asked.includes('sendInitialEvents')).length;
    if (fault === 'stall') {
      // Where silence is short, it may come more than once.
      expect([...new Set(reports)].sort()).toEqual(expected);
      expect(readings).toBeGreaterThanOrEqual(1 + resyncs);
    } else {
      expect(reports).toEqual(expected);
      expect(readings).toBe(1 + resyncs);
    }
  });

  test.each(faults)('%s, where events were missed meanwhile', async (_, fault) => {
    const { collection, current } = await reflect(undefined, fault === 'stall' ? impatience : patience);
    await current();
    await until(() => collection.watching === 1);
    collection.faults.push(fault, fault);
    collection.breakWatches();
    collection.set('a', 'n9');
    collection.delete('b');
    collection.set('b', 'n3');
    await current();
    await until(() => collection.faults.length === 0);
    collection.set('d');
    await current();
  });

  test('state that is gone while it was away', async () => {
    const { collection, current, cache } = await reflect();
    await current();
    const deltas: string[] = [];
    cache.listen({ delta: (delta) => deltas.push(`${delta.type} ${delta.item.metadata.name}`) });
    await until(() => collection.watching === 1);
    collection.faults.push('refuse', 'refuse');
    collection.breakWatches();
    collection.delete('a');
    collection.set('c');
    collection.compact();
    await current();
    expect(deltas).toEqual(['added a', 'added b', 'deleted a', 'added c']);
  });

  test('faults while the state is being read', async () => {
    const { current, reports } = await reflect((fake) => fake.faults.push('refuse', 'reset'));
    await current();
    expect(reports[0]).toBe('retry');
  });

  test('many faults in a row', async () => {
    const all = faults.map(([, fault]) => fault);
    const { collection, current } = await reflect((fake) => fake.faults.push(...all), impatience);
    for (let round = 0; round < 20; round += 1) {
      collection.set(`p${round % 7}`, `n${round}`);
      collection.delete(`p${(round * 3) % 7}`);
      await current();
      if (round % 3 === 0) collection.breakWatches();
    }
    await until(() => collection.faults.length === 0);
    await current();
  });
});

test.each<[string, Fault]>([
  ['is garbled', 'garble'],
  ['the server fails at', 'failInside'],
])('an event that %s each time is stepped over by reading the state', async (_, fault) => {
  const { collection, current, server } = await reflect();
  await current();
  await until(() => collection.watching === 1);
  collection.faults.push(fault, fault, fault);
  collection.breakWatches();
  await until(() => server.asked.filter((asked) => asked.includes('sendInitialEvents')).length === 2);
  collection.set('c');
  await current();
});

test('stopping ends the watch, and what comes later is not taken in', async () => {
  const { collection, current, reflector, cache } = await reflect();
  await current();
  await reflector.stop();
  await until(() => collection.watching === 0);
  collection.set('c');
  expect(cache.size).toBe(2);
});

test('stopping does not wait for a delay to pass', async () => {
  const { reflector } = await reflect((fake) =>
    fake.faults.push(...Array.from({ length: 1_000 }, () => 'refuse' as const)),
  );
  await reflector.stop();
});
