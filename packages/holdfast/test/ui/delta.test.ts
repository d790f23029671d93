import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDelta, byKeyOf, deltaBetween, isSame } from '../../src/ui/delta.ts';
import type { UiModel } from '../../src/ui/model.ts';

/** What the lists hold does not matter to a delta: any JSON with a key will do. */
const item = fc.record({ key: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), value: fc.jsonValue() });
const list = fc.uniqueArray(item, { selector: ({ key }) => key, maxLength: 5 }).map((items) => items.toSorted(byKeyOf));
const lists = fc.record({ nodes: list, budgets: list, groups: list, drains: list, lanes: list, refusals: list });
const head = fc.record({ summary: fc.string(), gaps: fc.jsonValue(), data: fc.jsonValue() });

function modelOf(parts: unknown, fields: object, revision: number): UiModel {
  return { head: { revision, ...fields }, ...(parts as object) } as unknown as UiModel;
}

const asSent = (value: unknown) => JSON.parse(JSON.stringify(value)) as never;

describe('a delta', () => {
  it('makes of every model every other one, also after it went over the wire', () => {
    fc.assert(
      fc.property(lists, lists, head, head, (before, after, headBefore, headAfter) => {
        const from = modelOf(before, headBefore, 1);
        const to = modelOf(after, headAfter, 2);
        const delta = deltaBetween(from, to);
        const reached = delta === undefined ? modelOf(from, { ...from.head }, 2) : applyDelta(from, asSent(delta));
        expect(asSent({ ...reached, head: { ...reached.head, revision: 2 } })).toEqual(asSent(to));
      }),
    );
  });

  it('is nothing where only the revision differs', () => {
    fc.assert(
      fc.property(lists, head, (parts, fields) => {
        expect(deltaBetween(modelOf(parts, fields, 1), modelOf(asSent(parts), asSent(fields), 2))).toBeUndefined();
      }),
    );
  });

  it('has only what changed', () => {
    const nodes = ['a', 'b', 'c'].map((key) => ({ key, state: 'can-go-now' }));
    const before = modelOf(
      { nodes, budgets: [], groups: [], drains: [], lanes: [], refusals: [] },
      { summary: 's' },
      7,
    );
    const changed = [
      { key: 'a', state: 'can-go-now' },
      { key: 'b', state: 'blocked' },
      { key: 'd', state: 'unknown' },
    ];
    const after = modelOf({ ...before, nodes: changed }, { summary: 's' }, 8);
    expect(deltaBetween(before, { ...after, head: { ...before.head, revision: 8 } })).toEqual({
      from: 7,
      to: 8,
      head: { revision: 8 },
      nodes: { put: changed.slice(1), gone: ['c'] },
    });
  });
});

it('tells JSON values apart as their text does, whatever the order of their fields', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const text = (value: unknown): string => JSON.stringify(value, (_, one) => sorted(one));
      expect(isSame(a, b)).toBe(text(a) === text(b));
      expect(isSame(a, asSent(a))).toBe(true);
    }),
  );
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
