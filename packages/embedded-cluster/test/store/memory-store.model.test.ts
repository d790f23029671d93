import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Page, Store, Stored, StoreEvent } from '../../src/store/store.ts';
import { anObject, storedValue } from './actions.ts';

/** The collection after each revision: the dumbest thing that could be right. */
type State = ReadonlyMap<string, { readonly value: number; readonly revision: number }>;

const resource = 'pods';
const start = 7;
const keys = ['a/x', 'a/y', 'a-b/x', 'a0/x', 'a.c/y', 'b/__proto__', 'plain'];

interface Step {
  readonly does: 'create' | 'update' | 'remove';
  readonly key: string;
  /** Whether it goes by the current revision or a wrong one. */
  readonly fresh: boolean;
  readonly elsewhere: boolean;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('create' as const, 'update' as const, 'remove' as const),
  key: fc.constantFrom(...keys),
  fresh: fc.nat(5).map((number) => number > 0),
  elsewhere: fc.nat(9).map((number) => number === 0),
});

const steps = fc.array(aStep, { maxLength: 60, size: 'max' });
const aQuery = fc.record({
  back: fc.nat(60),
  limit: fc.nat(4),
  namespace: fc.option(fc.constantFrom('a', 'a-b', 'b', 'none'), { nil: undefined }),
  odd: fc.boolean(),
});

function apply(store: Store, states: State[], step: Step, value: number): void {
  const now = states.at(-1) ?? new Map();
  if (step.elsewhere) {
    store.create('nodes', `n${value}`, anObject(`n${value}`, value));
    states.push(now);
    return;
  }
  const current = now.get(step.key);
  const expected = step.fresh ? (current?.revision ?? 0) : -1;
  const object = anObject(step.key, value);
  const result =
    step.does === 'create'
      ? store.create(resource, step.key, object)
      : step.does === 'update'
        ? store.update(resource, step.key, object, expected)
        : store.remove(resource, step.key, expected);
  const allowed = step.does === 'create' ? current === undefined : current !== undefined && step.fresh;
  expect(result.ok).toBe(allowed);
  if (!allowed) return;
  const next = new Map(now);
  if (step.does === 'remove') next.delete(step.key);
  else next.set(step.key, { value, revision: start + states.length });
  states.push(next);
}

function run(list: readonly Step[], history: number): { store: Store; states: State[]; events: StoreEvent[] } {
  const store = createMemoryStore({ startRevision: start, history, freeze: true });
  const states: State[] = [new Map()];
  const events: StoreEvent[] = [];
  store.watch(resource, start, (event) => events.push(event));
  for (const [index, step] of list.entries()) apply(store, states, step, index);
  return { store, states, events };
}

function expectedRows(state: State, namespace: string | undefined, odd: boolean): unknown[] {
  return [...state]
    .filter(([key]) => namespace === undefined || key.split('/')[0] === namespace)
    .filter(([, { value }]) => !odd || value % 2 === 1)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, { value, revision }]) => [key, value, revision]);
}

const rows = (items: readonly Stored[]) => items.map((stored) => [stored.key, storedValue(stored), stored.revision]);

/** All pages of one revision, with something written between each two. */
function readPages(
  store: Store,
  query: { revision: number; limit: number; namespace: string | undefined; odd: boolean },
) {
  const found: unknown[] = [];
  let after: string | undefined;
  for (let round = 0; ; round += 1) {
    const page: Page | 'expired' = store.page({
      resource,
      revision: query.revision,
      limit: query.limit,
      ...(query.namespace === undefined ? {} : { namespace: query.namespace }),
      ...(after === undefined ? {} : { after }),
      ...(query.odd ? { matches: (object) => (object['data'] as { value: number }).value % 2 === 1 } : {}),
    });
    if (page === 'expired') return page;
    found.push(...rows(page.items));
    if (!page.more) return { found, remaining: page.remaining };
    after = page.items.at(-1)?.key;
    const key = keys[round % keys.length] ?? 'plain';
    const current = store.get(resource, key);
    if (current) store.remove(resource, key, current.revision);
    else store.create(resource, key, anObject(key, 1001));
  }
}

describe('the store in memory, against a list of maps', () => {
  it('holds what was written, in order', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { store, states } = run(list, 1000);
        const last = states.at(-1) ?? new Map();
        expect(store.revision).toBe(start + states.length - 1);
        expect(store.count(resource)).toBe(last.size);
        for (const key of keys) expect(store.get(resource, key)?.revision).toBe(last.get(key)?.revision);
        for (const namespace of [undefined, 'a', 'a-b', 'b', 'none']) {
          expect(rows(store.list(resource, namespace))).toEqual(expectedRows(last, namespace, false));
        }
      }),
    );
  });

  it('pages through exactly the state of a revision while writes go on, or says that it expired', () => {
    fc.assert(
      fc.property(steps, aQuery, fc.constantFrom(5, 1000), (list, { back, limit, namespace, odd }, history) => {
        const { store, states } = run(list, history);
        const at = Math.max(0, states.length - 1 - back);
        const pages = readPages(store, { revision: start + at, limit, namespace, odd });
        if (pages === 'expired') {
          expect(history).toBe(5);
          return;
        }
        expect(pages.found).toEqual(expectedRows(states[at] ?? new Map(), namespace, odd));
        expect(pages.remaining).toBe(odd ? undefined : 0);
      }),
    );
  });

  it('leads a watcher from the list of any revision to the list of now', () => {
    fc.assert(
      fc.property(steps, fc.nat(60), fc.constantFrom(5, 1000), (list, back, history) => {
        const { store, states, events } = run(list, history);
        const at = Math.max(0, states.length - 1 - back);
        const replayed: StoreEvent[] = [];
        const outcome = store.watch(resource, start + at, (event) => replayed.push(event));
        const later = events.filter(({ revision }) => revision > start + at);
        expect(outcome === 'expired').toBe(later.length > history);
        if (outcome === 'expired') return;
        expect(replayed).toEqual(later);
        const copy = new Map(states[at]);
        for (const { type, key, stored, previous } of replayed) {
          expect(previous?.revision).toBe(copy.get(key)?.revision);
          expect(stored.object.metadata.resourceVersion).toBe(String(stored.revision));
          if (type === 'DELETED') copy.delete(key);
          else copy.set(key, { value: Number(storedValue(stored)), revision: stored.revision });
        }
        expect(copy).toEqual(states.at(-1));
      }),
    );
  });
});
