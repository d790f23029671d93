import type { EventHistory } from './event-history.ts';
import { firstAtOrAfter, namespaceRange } from './sorted-items.ts';
import type { Page, PageQuery, Stored } from './store.ts';

/** One page of what a collection held at `query.revision`, told from what it holds now and what happened since. */
export function readPage(now: readonly Stored[], history: EventHistory, query: PageQuery): Page | 'expired' {
  if (!history.covers(query.revision)) return 'expired';
  const changed = statesBefore(history, query);
  const range = rangeOf(now, query);
  if (changed.size === 0) return cut(now, range.from, range.to, query);
  const then = undo(now.slice(range.from, range.to), changed);
  return cut(then, 0, then.length, query);
}

/** What the keys of the query that changed after its revision held at it: nothing, or their old state. */
function statesBefore(history: EventHistory, query: PageQuery): Map<string, Stored | undefined> {
  const prefix = query.namespace === undefined ? '' : `${query.namespace}/`;
  const states = new Map<string, Stored | undefined>();
  for (const { key, previous } of history.after(query.revision)) {
    if (states.has(key) || !key.startsWith(prefix)) continue;
    if (query.after === undefined || key > query.after) states.set(key, previous);
  }
  return states;
}

function rangeOf(items: readonly Stored[], query: PageQuery): { from: number; to: number } {
  const range = query.namespace === undefined ? { from: 0, to: items.length } : namespaceRange(items, query.namespace);
  if (query.after === undefined) return range;
  const at = firstAtOrAfter(items, query.after);
  const next = items[at]?.key === query.after ? at + 1 : at;
  return { from: Math.min(Math.max(range.from, next), range.to), to: range.to };
}

function undo(now: readonly Stored[], changed: ReadonlyMap<string, Stored | undefined>): Stored[] {
  const untouched = now.filter(({ key }) => !changed.has(key));
  const old = [...changed.values()].filter((stored) => stored !== undefined).sort(byKey);
  const merged: Stored[] = [];
  let next = 0;
  for (const stored of untouched) {
    for (let earlier = old[next]; earlier !== undefined && earlier.key < stored.key; earlier = old[next]) {
      merged.push(earlier);
      next += 1;
    }
    merged.push(stored);
  }
  return merged.concat(old.slice(next));
}

function byKey(left: Stored, right: Stored): number {
  return left.key < right.key ? -1 : 1;
}

function cut(items: readonly Stored[], from: number, to: number, query: PageQuery): Page {
  const limit = query.limit > 0 ? query.limit : Number.POSITIVE_INFINITY;
  const { matches } = query;
  if (matches === undefined) {
    const end = Math.min(to, from + limit);
    return { items: items.slice(from, end), more: end < to, remaining: to - end };
  }
  const found: Stored[] = [];
  for (let index = from; index < to; index += 1) {
    const stored = items[index] as Stored;
    if (!matches(stored.object)) continue;
    if (found.length === limit) return { items: found, more: true };
    found.push(stored);
  }
  return { items: found, more: false };
}
