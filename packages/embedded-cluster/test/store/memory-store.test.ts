import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store, StoreEvent, Subscription } from '../../src/store/store.ts';
import { anObject, drop, put, storedValue, written } from './actions.ts';

const frozen = () => createMemoryStore({ freeze: true });
const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key);
const seen = (events: readonly StoreEvent[]) => events.map(({ type, key, revision }) => `${type} ${key} ${revision}`);

function watching(store: Store, resource: string, since: number): { events: StoreEvent[]; subscription: Subscription } {
  const events: StoreEvent[] = [];
  const subscription = store.watch(resource, since, (event) => events.push(event));
  if (subscription === 'expired') throw new Error('expired');
  return { events, subscription };
}

describe('writing', () => {
  it('begins above resource version 0, which means "any" to clients', () => {
    expect(frozen().revision).toBe(1);
    expect(createMemoryStore({ startRevision: 41 }).revision).toBe(41);
  });

  it('stamps each object with its revision', () => {
    const store = frozen();
    const created = put(store, 'pods', 'a/x', 1);
    const updated = put(store, 'pods', 'a/x', 2);
    expect([created.revision, updated.revision, store.revision]).toEqual([2, 3, 3]);
    expect(created.object.metadata.resourceVersion).toBe('2');
    expect(updated.object.metadata.resourceVersion).toBe('3');
    expect(store.get('pods', 'a/x')).toBe(updated);
  });

  it('refuses what is there already, what is missing and what is stale, and leaves no trace of it', () => {
    const store = frozen();
    const { events } = watching(store, 'pods', 1);
    const current = put(store, 'pods', 'a/x', 1);
    const object = anObject('a/x', 2);
    expect(store.create('pods', 'a/x', object)).toEqual({ ok: false, why: 'exists' });
    expect(store.update('pods', 'a/y', object, 2)).toEqual({ ok: false, why: 'missing' });
    expect(store.remove('pods', 'a/y', 2)).toEqual({ ok: false, why: 'missing' });
    expect(store.update('pods', 'a/x', object, 1)).toEqual({ ok: false, why: 'stale', current });
    expect(store.remove('pods', 'a/x', 1)).toEqual({ ok: false, why: 'stale', current });
    expect(object.metadata.resourceVersion).toBeUndefined();
    expect(store.revision).toBe(2);
    expect(events).toHaveLength(1);
  });

  it('gives the removed object the revision of its removal, and leaves its last state as it was', () => {
    const store = frozen();
    const { events } = watching(store, 'pods', 1);
    const last = put(store, 'pods', 'a/x', 1);
    drop(store, 'pods', 'a/x');
    expect(events[1]).toMatchObject({ type: 'DELETED', revision: 3, previous: last });
    expect(events[1]?.stored.object).toEqual({
      ...last.object,
      metadata: { ...last.object.metadata, resourceVersion: '3' },
    });
    expect(last.object.metadata.resourceVersion).toBe('2');
    expect(store.get('pods', 'a/x')).toBeUndefined();
  });

  it.each([
    ['the object itself', (object: ReturnType<typeof anObject>) => object],
    ['an object with the same metadata', (object: ReturnType<typeof anObject>) => ({ ...object, data: {} })],
  ])('does not change what was stored when %s is written again', (_, change) => {
    const store = createMemoryStore();
    const first = put(store, 'pods', 'a/x', 1);
    const second = written(store.update('pods', 'a/x', change(first.object), first.revision));
    expect(first.object.metadata.resourceVersion).toBe('2');
    expect(second.object.metadata.resourceVersion).toBe('3');
  });

  it('serialises an object once', () => {
    const stored = put(frozen(), 'pods', 'a/ü', { text: 'grüße' });
    expect(JSON.parse(stored.bytes().toString())).toEqual(stored.object);
    expect(stored.bytes()).toBe(stored.bytes());
  });

  it('treats names of the prototype as any other', () => {
    const store = frozen();
    for (const key of ['__proto__', 'constructor', 'a/__proto__']) {
      expect(store.get('__proto__', key)).toBeUndefined();
      put(store, '__proto__', key, key);
      expect(storedValue(store.get('__proto__', key))).toBe(key);
    }
    expect(store.resources()).toEqual(['__proto__']);
    expect(store.list('constructor')).toEqual([]);
  });
});

describe('listing', () => {
  const filled = () => {
    const store = frozen();
    for (const key of ['a/z', 'a-b/x', 'a/x', 'a.b/x', 'ab/x', 'a0/x', 'b/x']) put(store, 'pods', key, key);
    return store;
  };

  it('is in the order of keys, whatever the order of writes', () => {
    expect(keysOf(filled().list('pods'))).toEqual(['a-b/x', 'a.b/x', 'a/x', 'a/z', 'a0/x', 'ab/x', 'b/x']);
  });

  it.each([
    ['a', ['a/x', 'a/z']],
    ['a-b', ['a-b/x']],
    ['a0', ['a0/x']],
    ['b', ['b/x']],
    ['none', []],
  ])('gives exactly what is in namespace %s', (namespace, keys) => {
    expect(keysOf(filled().list('pods', namespace))).toEqual(keys);
  });

  it('stays as it was when the store moves on', () => {
    const store = filled();
    const [all, inA] = [store.list('pods'), store.list('pods', 'a')];
    put(store, 'pods', 'a/y', 'new');
    drop(store, 'pods', 'a/x');
    expect([all.length, inA.length]).toEqual([7, 2]);
    expect(keysOf(store.list('pods', 'a'))).toEqual(['a/y', 'a/z']);
    expect(store.list('pods')).toHaveLength(7);
  });

  it('gives the same array again while nothing was written', () => {
    const store = filled();
    expect(store.list('pods')).toBe(store.list('pods'));
    expect(store.list('pods', 'a')).toBe(store.list('pods', 'a'));
    const inA = store.list('pods', 'a');
    put(store, 'pods', 'b/x', 'other namespace');
    expect(store.list('pods', 'a')).toBe(inA);
  });

  it('keeps the order of thousands, through growth and removal', () => {
    const store = createMemoryStore();
    const expected = new Set<string>();
    for (let index = 0; index < 6000; index += 1) {
      const key = `ns-${index % 3}/${(index * 7919) % 2500}`;
      if (expected.delete(key)) drop(store, 'pods', key);
      else put(store, 'pods', key, index);
      if (store.get('pods', key)) expected.add(key);
      if (index % 500 !== 499) continue;
      expect(keysOf(store.list('pods'))).toEqual([...expected].sort());
      const inOne = [...expected].filter((name) => name.startsWith('ns-1/')).sort();
      expect(keysOf(store.list('pods', 'ns-1'))).toEqual(inOne);
    }
    for (const key of expected) drop(store, 'pods', key);
    expect(store.list('pods')).toEqual([]);
    put(store, 'pods', 'a/x', 1);
    expect(keysOf(store.list('pods', 'a'))).toEqual(['a/x']);
  });

  it('counts, and names only collections that hold something', () => {
    const store = filled();
    put(store, 'nodes', 'n', 1);
    expect([store.count('pods'), store.count('nodes'), store.count('none')]).toEqual([7, 1, 0]);
    drop(store, 'nodes', 'n');
    expect(store.resources()).toEqual(['pods']);
  });
});

describe('paging', () => {
  const matches = (object: { [field: string]: unknown }) => (object['data'] as { value: number }).value % 2 === 1;

  function ofFive(): Store {
    const store = frozen();
    for (const value of [1, 2, 3, 4, 5]) put(store, 'pods', `a/${value}`, value);
    put(store, 'pods', 'b/1', 1);
    return store;
  }

  it.each([
    [{ limit: 2 }, ['a/1', 'a/2'], true, 4],
    [{ limit: 2, after: 'a/2' }, ['a/3', 'a/4'], true, 2],
    [{ limit: 2, after: 'a/4' }, ['a/5', 'b/1'], false, 0],
    [{ limit: 2, after: 'a/4', namespace: 'a' }, ['a/5'], false, 0],
    [{ limit: 5, namespace: 'a' }, ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'], false, 0],
    [{ limit: 0 }, ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'b/1'], false, 0],
    [{ limit: 9, after: 'a/45' }, ['a/5', 'b/1'], false, 0],
    [{ limit: 9, after: 'z' }, [], false, 0],
    [{ limit: 9, after: 'c/1', namespace: 'a' }, [], false, 0],
    [{ limit: 9, after: 'a', namespace: 'b' }, ['b/1'], false, 0],
    [{ limit: 2, matches }, ['a/1', 'a/3'], true, undefined],
    [{ limit: 2, after: 'a/3', matches }, ['a/5', 'b/1'], false, undefined],
    [{ limit: 3, namespace: 'a', matches }, ['a/1', 'a/3', 'a/5'], false, undefined],
  ])('answers %o', (query, keys, more, remaining) => {
    const store = ofFive();
    const page = store.page({ resource: 'pods', revision: store.revision, ...query });
    if (page === 'expired') throw new Error('expired');
    expect(keysOf(page.items)).toEqual(keys);
    expect([page.more, page.remaining]).toEqual([more, remaining]);
  });

  it('goes on with the state of its first page while the collection changes', () => {
    const store = ofFive();
    const revision = store.revision;
    drop(store, 'pods', 'a/4');
    put(store, 'pods', 'a/35', 'created later');
    put(store, 'pods', 'a/5', 'changed later');
    put(store, 'pods', 'a/4', 'created again');
    const page = store.page({ resource: 'pods', revision, after: 'a/2', limit: 3, namespace: 'a' });
    expect(page).toMatchObject({ more: false, remaining: 0 });
    expect(page === 'expired' ? [] : page.items.map(storedValue)).toEqual([3, 4, 5]);
  });

  it('has expired when the history is too short, and only then', () => {
    const store = createMemoryStore({ history: 2 });
    for (const value of [1, 2, 3]) put(store, 'pods', 'a/x', value);
    expect(store.page({ resource: 'pods', revision: 1, limit: 1 })).toBe('expired');
    expect(store.page({ resource: 'pods', revision: 2, limit: 1 })).toMatchObject({ remaining: 0 });
    expect(store.page({ resource: 'never-used', revision: 1, limit: 1 })).toEqual({
      items: [],
      more: false,
      remaining: 0,
    });
    expect(store.page({ resource: 'never-used', revision: 0, limit: 1 })).toBe('expired');
  });
});

describe('watching', () => {
  it('replays what came after a revision, then follows, one collection only', () => {
    const store = frozen();
    put(store, 'pods', 'a/x', 1);
    put(store, 'nodes', 'n', 1);
    put(store, 'pods', 'a/x', 2);
    const { events, subscription } = watching(store, 'pods', 2);
    expect(seen(events)).toEqual(['MODIFIED a/x 4']);
    drop(store, 'pods', 'a/x');
    put(store, 'nodes', 'n', 2);
    expect(seen(events)).toEqual(['MODIFIED a/x 4', 'DELETED a/x 5']);
    subscription.stop();
    put(store, 'pods', 'a/x', 3);
    expect(events).toHaveLength(2);
  });

  it.each([
    [2, 1, 'expired'],
    [2, 2, 'open'],
    [3, 1, 'open'],
    [0, 3, 'expired'],
    [0, 4, 'open'],
  ])('with a history of %d, after three writes a watch since %d is %s', (history, since, expected) => {
    const store = createMemoryStore({ history });
    for (const value of [1, 2, 3]) put(store, 'pods', 'a/x', value);
    const outcome = store.watch('pods', since, () => undefined);
    expect(outcome === 'expired' ? 'expired' : 'open').toBe(expected);
  });

  it('does not reach back before the start', () => {
    const store = createMemoryStore({ startRevision: 10 });
    expect(store.watch('pods', 9, () => undefined)).toBe('expired');
    expect(store.watch('pods', 10, () => undefined)).not.toBe('expired');
  });

  it('since a revision that is yet to come is told only what is above it', () => {
    const store = frozen();
    const { events } = watching(store, 'pods', 3);
    for (const value of [1, 2, 3]) put(store, 'pods', 'a/x', value);
    expect(seen(events)).toEqual(['MODIFIED a/x 4']);
  });

  it('tells those who follow everything first', () => {
    const store = frozen();
    const order: string[] = [];
    store.watch('pods', 1, () => order.push('pods'));
    store.subscribe(() => order.push('everything'));
    put(store, 'pods', 'a/x', 1);
    put(store, 'nodes', 'n', 1);
    expect(order).toEqual(['everything', 'pods', 'everything']);
  });

  it('keeps a listener that throws away from the others', () => {
    const errors: unknown[] = [];
    const store = createMemoryStore({ report: (error) => errors.push(error) });
    const bug = new Error('bug');
    store.watch('pods', 1, () => {
      throw bug;
    });
    const { events } = watching(store, 'pods', 1);
    put(store, 'pods', 'a/x', 1);
    put(store, 'pods', 'a/x', 2);
    expect(events).toHaveLength(2);
    expect(errors).toEqual([bug, bug]);
  });
});

describe('listeners that use the store while they are called', () => {
  it('see and show events in the order of revisions', () => {
    const store = frozen();
    const first: StoreEvent[] = [];
    store.watch('pods', 1, (event) => {
      first.push(event);
      if (first.length < 4) put(store, 'pods', `a/${first.length}`, 'nested');
    });
    const second = watching(store, 'pods', 1).events;
    const all: StoreEvent[] = [];
    store.subscribe((event) => all.push(event));
    put(store, 'pods', 'a/0', 'outer');
    const expected = ['ADDED a/0 2', 'ADDED a/1 3', 'ADDED a/2 4', 'ADDED a/3 5'];
    expect([seen(first), seen(second), seen(all)]).toEqual([expected, expected, expected]);
  });

  it('may write while the past is replayed to them', () => {
    const store = frozen();
    for (const key of ['a/0', 'a/1']) put(store, 'pods', key, 'past');
    const other = watching(store, 'pods', 1).events;
    const events: StoreEvent[] = [];
    store.watch('pods', 1, (event) => {
      events.push(event);
      if (event.key === 'a/0') put(store, 'pods', 'a/9', 'nested');
    });
    const expected = ['ADDED a/0 2', 'ADDED a/1 3', 'ADDED a/9 4'];
    expect([seen(events), seen(other)]).toEqual([expected, expected]);
  });

  it('may begin to watch, and miss nothing nor see anything twice', () => {
    const store = frozen();
    const late: StoreEvent[] = [];
    const fromNow: StoreEvent[] = [];
    const subscription = store.watch('pods', 1, () => {
      if (subscription !== 'expired') subscription.stop();
      put(store, 'pods', 'a/1', 'nested');
      store.watch('pods', 1, (event) => late.push(event));
      store.subscribe((event) => fromNow.push(event));
      put(store, 'pods', 'a/2', 'nested');
    });
    put(store, 'pods', 'a/0', 'outer');
    expect(seen(late)).toEqual(['ADDED a/0 2', 'ADDED a/1 3', 'ADDED a/2 4']);
    expect(seen(fromNow)).toEqual(['ADDED a/2 4']);
  });

  it('are not called any more once another has stopped them', () => {
    const store = frozen();
    const stops: Subscription[] = [];
    store.subscribe(() => {
      for (const subscription of stops) subscription.stop();
    });
    const { events, subscription } = watching(store, 'pods', 1);
    stops.push(subscription);
    put(store, 'pods', 'a/x', 1);
    expect(events).toEqual([]);
  });

  it('are not called any more once the store is closed', async () => {
    const store = frozen();
    const { events } = watching(store, 'pods', 1);
    await store.close();
    put(store, 'pods', 'a/x', 1);
    expect(events).toEqual([]);
  });
});
