import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, type Requirement, type Selector } from '../../../base/src/labels/label-selector.ts';
import type { StringMap } from '../../../base/src/meta.ts';
import { LabelPostings } from '../../src/core/world/label-postings.ts';
import { SelectorIndex } from '../../src/core/world/selector-index.ts';

const key = fc.constantFrom('app', 'tier', 'part-of', 'constructor');
const value = fc.constantFrom('a', 'b', 'c', '');
const values = fc.array(value, { minLength: 1, maxLength: 3 });
const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({ op: fc.constantFrom('In' as const, 'NotIn' as const), key, values }),
  fc.record({ op: fc.constantFrom('Exists' as const, 'DoesNotExist' as const), key }),
);
const selector: fc.Arbitrary<Selector> = fc.array(requirement, { maxLength: 3 });
const labels: fc.Arbitrary<StringMap> = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
/** Budgets come and go under ten names; one that comes under a taken name replaces the other. */
const step = fc.record({ name: fc.integer({ min: 0, max: 9 }), selector: fc.option(selector) });

describe('SelectorIndex', () => {
  it('finds exactly the selectors that match, once each, as they come and go', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.array(labels, { minLength: 1, maxLength: 6 }),
        (steps, pods) => {
          const index = new SelectorIndex<number>();
          const present = new Map<number, Selector>();
          for (const { name, selector: next } of steps) {
            index.remove(name);
            present.delete(name);
            if (next !== null) {
              index.add(name, next);
              present.set(name, next);
            }
            for (const pod of pods) {
              const want = [...present].filter(([, one]) => matches(one, pod)).map(([one]) => one);
              expect(index.find(pod).sort()).toEqual(want.sort());
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('finds nothing when it is empty, and forgives the removal of what is not there', () => {
    const index = new SelectorIndex<string>();
    index.remove('absent');
    expect(index.find({ app: 'a' })).toEqual([]);
  });

  /** Labels that count how often a selector asks for one of them, apart from the walk over the labels themselves. */
  function counted(source: StringMap): { readonly labels: StringMap; readonly questions: () => number } {
    let questions = 0;
    const spied = new Proxy(source, {
      getOwnPropertyDescriptor: (target, name) => {
        questions += 1;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    return { labels: spied, questions: () => questions };
  }

  const shop = (app: string): Selector => [
    { op: 'In', key: 'part-of', values: ['shop'] },
    { op: 'In', key: 'app', values: [app] },
  ];

  it('tries a handful of ten thousand selectors that share one label and differ in another', () => {
    const index = new SelectorIndex<number>();
    for (let i = 0; i < 10_000; i += 1) index.add(i, shop(`app-${i}`));
    for (const i of [0, 1, 5_000, 9_999]) {
      const pod = counted({ 'part-of': 'shop', app: `app-${i}` });
      expect(index.find(pod.labels)).toEqual([i]);
      expect(pod.questions()).toBeLessThanOrEqual(12);
    }
  });

  it('tries a handful whichever of the two labels is written first', () => {
    const index = new SelectorIndex<number>();
    for (let i = 0; i < 10_000; i += 1) index.add(i, i % 2 === 0 ? shop(`app-${i}`) : [...shop(`app-${i}`)].reverse());
    const pod = counted({ 'part-of': 'shop', app: 'app-7' });
    expect(index.find(pod.labels)).toEqual([7]);
    expect(pod.questions()).toBeLessThanOrEqual(12);
  });

  it('still tries a handful after most of them were replaced', () => {
    const index = new SelectorIndex<number>();
    for (let i = 0; i < 10_000; i += 1) index.add(i, shop(`app-${i}`));
    for (let i = 0; i < 9_000; i += 1) {
      index.remove(i);
      index.add(i, shop(`new-${i}`));
    }
    const pod = counted({ 'part-of': 'shop', app: 'new-42' });
    expect(index.find(pod.labels)).toEqual([42]);
    expect(pod.questions()).toBeLessThanOrEqual(12);
  });

  it('tries no selector of another value at all', () => {
    const index = new SelectorIndex<number>();
    for (let i = 0; i < 1_000; i += 1) index.add(i, [{ op: 'In', key: 'app', values: [`app-${i}`] }]);
    const pod = counted({ app: 'none of them' });
    expect(index.find(pod.labels)).toEqual([]);
    expect(pod.questions()).toBeLessThanOrEqual(1);
  });
});

describe('LabelPostings', () => {
  interface Item {
    readonly labels: StringMap;
  }
  type Step = { readonly selector: Selector } | { readonly add: StringMap } | { readonly remove: number };
  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof(fc.record({ add: labels }), fc.record({ remove: fc.nat({ max: 20 }) }), fc.record({ selector })),
    { maxLength: 40 },
  );

  it('gives every item that a selector may match, once, whatever came before or after the selector', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const items = new Set<Item>();
        const postings = new LabelPostings<Item>(() => items);
        const index = new SelectorIndex<number>();
        for (const [i, one] of all.entries()) {
          if ('add' in one) {
            const item = { labels: one.add };
            items.add(item);
            postings.add(item);
          } else if ('remove' in one) {
            const item = [...items][one.remove];
            if (item === undefined) continue;
            items.delete(item);
            postings.remove(item);
          } else {
            const candidates = [...postings.candidates(index.add(i, one.selector))];
            expect(new Set(candidates).size).toBe(candidates.length);
            expect(candidates.every((item) => items.has(item))).toBe(true);
            const want = [...items].filter((item) => matches(one.selector, item.labels));
            expect(new Set(candidates.filter((item) => matches(one.selector, item.labels)))).toEqual(new Set(want));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives only the items that carry the value', () => {
    const items = Array.from({ length: 1_000 }, (_, i) => ({ labels: { app: `app-${i % 100}` } }));
    const postings = new LabelPostings<Item>(() => items);
    const found = [...postings.candidates({ kind: 'values', key: 'app', values: ['app-1', 'app-2', 'app-1'] })];
    expect(found).toHaveLength(20);
  });

  it('gives the items with the key, or all of them, where the selector holds on to no value', () => {
    const items: readonly Item[] = [{ labels: { app: 'a' } }, { labels: { app: 'b' } }, { labels: {} }];
    const postings = new LabelPostings<Item>(() => items);
    expect([...postings.candidates({ kind: 'key', key: 'app' })]).toEqual(items.slice(0, 2));
    expect([...postings.candidates({ kind: 'all' })]).toEqual(items);
  });
});
