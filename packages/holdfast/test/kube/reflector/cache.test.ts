import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Delta, ObjectCache } from '../../../src/kube/reflector/cache.ts';

interface Thing {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly labels: readonly string[];
}

function thing(name: string, version: number, labels: readonly string[] = [], uid = `uid-${name}`): Thing {
  return { metadata: { name, namespace: 'n', uid, resourceVersion: String(version) }, labels };
}

function newCache(report: (error: unknown) => void = () => {}) {
  return new ObjectCache<Thing>({
    indexes: { label: (one) => one.labels, name: (one) => [one.metadata.name] },
    report,
  });
}

const names = ['a', 'b', 'constructor', '__proto__'] as const;
const anyName = fc.constantFrom(...names);
const anyLabels = fc.uniqueArray(fc.constantFrom('x', 'y', '__proto__', 'toString'), { maxLength: 3 });
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('upsert' as const), name: anyName, labels: anyLabels, reborn: fc.boolean() }),
  fc.record({ do: fc.constant('remove' as const), name: anyName }),
  fc.record({ do: fc.constant('replace' as const), keep: fc.subarray([...names]), labels: anyLabels }),
  fc.record({ do: fc.constant('bookmark' as const) }),
);

describe('a cache', () => {
  test('and its indexes, and a listener that only hears deltas, equal the collection, whatever happens to it', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const cache = newCache((error) => {
          throw error;
        });
        const truth = new Map<string, Thing>();
        const heard = new Map<string, Thing>();
        cache.listen({ delta: (delta) => follow(heard, delta) });
        steps.forEach((step, index) => {
          const version = index + 1;
          if (step.do === 'upsert') {
            const known = truth.get(step.name);
            const uid = known === undefined || step.reborn ? `uid-${version}` : known.metadata.uid;
            const item = thing(step.name, version, step.labels, uid);
            truth.set(step.name, item);
            cache.upsert(item, String(version));
          } else if (step.do === 'remove') {
            truth.delete(step.name);
            cache.remove(thing(step.name, version), String(version));
          } else if (step.do === 'replace') {
            for (const name of names) if (!step.keep.includes(name)) truth.delete(name);
            for (const name of step.keep.slice(0, 1)) truth.set(name, thing(name, version, step.labels));
            cache.replace([...truth.values()], String(version));
          } else cache.bookmark(String(version));
          expect(sorted(cache.items())).toEqual(sorted(truth.values()));
          expect(sorted(heard.values())).toEqual(sorted(truth.values()));
          expect(cache.resourceVersion).toBe(String(version));
        });
        for (const label of ['x', 'y', '__proto__', 'toString', 'constructor']) {
          const expected = [...truth.values()].filter((one) => one.labels.includes(label));
          expect(sorted(cache.indexed('label', label))).toEqual(sorted(expected));
        }
        for (const name of names) expect(cache.get('n', name)).toEqual(truth.get(name));
      }),
    );
  });

  test('tells of an object that took the place of another that the other is gone', () => {
    const cache = newCache();
    const deltas: string[] = [];
    cache.listen({ delta: (delta) => deltas.push(`${delta.type} ${delta.item.metadata.uid}`) });
    cache.replace([thing('a', 1, [], 'one')], '1');
    cache.upsert(thing('a', 2, [], 'two'), '2');
    cache.replace([thing('a', 3, [], 'three')], '3');
    expect(deltas).toEqual(['added one', 'deleted one', 'added two', 'deleted two', 'added three']);
  });

  test('says nothing of what did not change, and what an object was at its end', () => {
    const cache = newCache();
    const deltas: Delta<Thing>[] = [];
    const progress: string[] = [];
    cache.replace([thing('a', 1)], '1');
    const leave = cache.listen({ delta: (delta) => deltas.push(delta), progress: (version) => progress.push(version) });
    cache.replace([thing('a', 1)], '5');
    cache.bookmark('6');
    cache.remove(thing('a', 7, ['last']), '7');
    leave();
    cache.upsert(thing('b', 8), '8');
    expect(deltas).toEqual([
      { type: 'added', item: thing('a', 1) },
      { type: 'deleted', item: thing('a', 7, ['last']) },
    ]);
    expect(progress).toEqual(['1', '5', '6', '7']);
  });

  test('is synced once it was seen whole, and says how far', () => {
    const cache = newCache();
    expect([cache.synced, cache.resourceVersion]).toEqual([false, undefined]);
    cache.replace([], '9');
    expect([cache.synced, cache.resourceVersion, cache.size]).toEqual([true, '9', 0]);
  });

  test('lets a listener that throws spoil nothing for the others', () => {
    const errors: unknown[] = [];
    const cache = newCache((error) => errors.push(error));
    const heard: string[] = [];
    cache.listen({
      delta: () => {
        throw new Error('mine');
      },
    });
    cache.listen({ delta: (delta) => heard.push(delta.type) });
    cache.upsert(thing('a', 1), '1');
    expect([errors.length, heard, cache.size]).toEqual([1, ['added'], 1]);
  });

  test('throws when asked for an index that there is not', () => {
    expect(() => newCache().indexed('constructor', 'x')).toThrow(RangeError);
  });
});

function follow(heard: Map<string, Thing>, delta: Delta<Thing>): void {
  const { name } = delta.item.metadata;
  if (delta.type === 'added') expect(heard.has(name)).toBe(false);
  if (delta.type === 'updated') expect(heard.get(name)).toEqual(delta.before);
  if (delta.type === 'deleted') expect(heard.delete(name)).toBe(true);
  else heard.set(name, delta.item);
}

function sorted(items: Iterable<Thing>): Thing[] {
  return [...items].sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}
