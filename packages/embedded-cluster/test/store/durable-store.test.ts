import { readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDurableStore } from '../../src/store/durable/durable-store.ts';
import { encodePut } from '../../src/store/durable/entries.ts';
import type { Processes } from '../../src/store/durable/processes.ts';
import type { Store } from '../../src/store/store.ts';
import { anObject, drop, put, storedValue } from './actions.ts';
import { aDirectory, opened, valuesOf } from './support.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

async function filled(directory: string): Promise<Store> {
  const { store } = await opened(directory);
  put(store, 'pods', 'a/x', 'grüße\n"\\');
  put(store, 'apps/statefulsets', 'a/x', { deep: [1, null, { a: '\u2028' }] });
  put(store, 'pods', 'a/gone', 1);
  drop(store, 'pods', 'a/gone');
  return store;
}

describe('a durable store', () => {
  it('is empty in an empty directory, and says so', async () => {
    const { store, recovered, reports } = await opened(await aDirectory());
    expect(recovered).toEqual({
      revision: 1,
      objects: 0,
      writes: 0,
      segments: 0,
      snapshot: undefined,
      cutBytes: 0,
      clean: true,
    });
    expect([store.revision, store.resources(), reports]).toEqual([1, [], []]);
    await store.close();
  });

  it('holds after an orderly end what it held before, at the same revision', async () => {
    const directory = await aDirectory();
    const before = await filled(directory);
    const state = valuesOf(before);
    const objects = before.list('pods').map(({ object }) => object);
    await before.close();
    const { store, recovered, reports } = await opened(directory);
    expect(valuesOf(store)).toEqual(state);
    expect(store.list('pods').map(({ object }) => object)).toEqual(objects);
    expect(store.revision).toBe(5);
    expect(recovered).toMatchObject({ objects: 2, writes: 4, clean: true, cutBytes: 0 });
    expect(reports).toEqual([]);
    expect(put(store, 'pods', 'a/y', 1).revision).toBe(6);
    await store.close();
  });

  it('keeps names of the prototype', async () => {
    const directory = await aDirectory();
    const first = await opened(directory);
    const object = JSON.parse('{"apiVersion":"v1","kind":"X","metadata":{"name":"__proto__"},"__proto__":{"a":1}}');
    first.store.create('__proto__', '__proto__', object);
    await first.store.close();
    const { store } = await opened(directory);
    expect(JSON.stringify(store.get('__proto__', '__proto__')?.object)).toContain('"__proto__":{"a":1}');
    await store.close();
  });

  it('has no history from before the start', async () => {
    const directory = await aDirectory();
    await (await filled(directory)).close();
    const { store } = await opened(directory);
    expect(store.watch('pods', 4, () => undefined)).toBe('expired');
    expect(store.watch('never-used', 4, () => undefined)).toBe('expired');
    expect(store.page({ resource: 'pods', revision: 4, limit: 1 })).toBe('expired');
    expect(store.watch('pods', 5, () => undefined)).not.toBe('expired');
    expect(store.page({ resource: 'pods', revision: 5, limit: 1 })).toMatchObject({ remaining: 0 });
    await store.close();
  });

  it('is durable once it says so, many writes with one fsync', async () => {
    const { store } = await opened(await aDirectory());
    const done: number[] = [];
    for (let value = 0; value < 100; value += 1) {
      const { revision } = put(store, 'pods', 'a/x', value);
      void store.durable(revision).then(() => done.push(revision));
    }
    expect(done).toEqual([]);
    await store.durable(store.revision);
    await tick();
    expect(done).toEqual(Array.from({ length: 100 }, (_, index) => index + 2));
    await store.close();
  });

  it('refuses writes once it is closed, and rejects what can no longer become durable', async () => {
    const { store } = await opened(await aDirectory());
    const waiting = store.durable(50);
    await Promise.all([store.close(), expect(waiting).rejects.toThrow('the store is closed')]);
    expect(() => store.create('pods', 'a/x', anObject('a/x', 1))).toThrow('the store is closed');
    await store.close();
  });

  it('does not take a write that cannot be serialised', async () => {
    const { store } = await opened(await aDirectory());
    expect(() => store.create('pods', 'a/x', anObject('a/x', 1n))).toThrow(TypeError);
    expect([store.revision, store.count('pods')]).toEqual([1, 0]);
    expect(put(store, 'pods', 'a/x', 1).revision).toBe(2);
    await store.close();
  });

  it('writes the bytes that readers get', async () => {
    const { store } = await opened(await aDirectory());
    const stored = put(store, 'pods', 'a/x', 1);
    expect(encodePut(stored)[1]).toBe(stored.bytes());
    await store.close();
  });

  it('says what is wrong where there can be no directory', async () => {
    const opening = await openDurableStore({ directory: '/dev/null/store', report: () => undefined });
    expect(opening).toMatchObject({
      ok: false,
      reason: 'unusable',
      message: expect.stringContaining('/dev/null/store'),
    });
  });
});

describe('revisions over restarts', () => {
  it.each(['put', 'remove'])('never go back after a crash whose last write was a %s', async (last) => {
    const directory = await aDirectory();
    // Not closed, and the process it names is gone: what a crash leaves.
    const dead = processes(4242, []);
    let highest = 0;
    for (let round = 0; round < 4; round += 1) {
      const { store, recovered } = await opened(directory, { processes: dead, ceilingStep: 10 });
      onTestFinished(() => store.close());
      expect(store.revision).toBeGreaterThan(highest);
      expect(recovered.clean).toBe(round === 0);
      const key = `a/${round}`;
      put(store, 'pods', key, round);
      if (last === 'remove') drop(store, 'pods', key);
      await store.durable(store.revision);
      // Seen by readers, but lost: no writer waited for these.
      for (let value = 0; value < 5; value += 1) put(store, 'nodes', 'n', value);
      highest = store.revision;
    }
  });

  it('stay ahead of the disk by no more than it has promised', async () => {
    const { store } = await opened(await aDirectory(), { ceilingStep: 10 });
    for (let value = 0; value < 10; value += 1) put(store, 'pods', 'a/x', value);
    expect(() => put(store, 'pods', 'a/x', 'too far')).toThrow('does not keep up');
    await store.durable(store.revision);
    await tick();
    expect(put(store, 'pods', 'a/x', 'now').revision).toBe(12);
    expect(storedValue(store.get('pods', 'a/x'))).toBe('now');
    await store.close();
  });
});

function processes(own: number, alive: readonly (readonly [pid: number, start: string | undefined])[]): Processes {
  const known = new Map(alive);
  return { own, alive: (pid) => known.has(pid), startOf: (pid) => known.get(pid) };
}

describe('the lock of a directory', () => {
  it('lets one process in at a time, and names it', async () => {
    const directory = await aDirectory();
    const { store } = await opened(directory);
    const second = await openDurableStore({ directory, report: () => undefined });
    expect(second).toMatchObject({
      ok: false,
      reason: 'locked',
      message: expect.stringContaining(String(process.pid)),
    });
    await store.close();
    await (await opened(directory)).store.close();
    expect((await readdir(directory)).filter((name) => name.startsWith('lock'))).toEqual([]);
  });

  it.each([
    ['is alive', [[1, 's1']], 'locked'],
    ['is gone', [], 'taken over'],
    ['is another process with the same number by now', [[1, 's2']], 'taken over'],
    ['is alive, on a system that knows no start times', [[1, undefined]], 'locked'],
  ] as const)('when its holder %s, is %s', async (_, alive, expected) => {
    const directory = await aDirectory();
    const first = await opened(directory, { processes: processes(1, [[1, 's1']]) });
    const second = await openDurableStore({ directory, report: () => undefined, processes: processes(2, alive) });
    expect(second.ok ? 'taken over' : second.reason).toBe(expected);
    if (second.ok) await second.store.close();
    await first.store.close();
  });
});
