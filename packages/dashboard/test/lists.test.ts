import { describe, expect, it } from 'vitest';
import { type Lane, laneRows, laneText } from '../src/parts/lane-rows.ts';
import { gridOf, placeOf } from '../src/parts/lane-scale.ts';
import { rowOffsets, visibleRows } from '../src/parts/visible-rows.ts';
import { drainOrder, progressOf, progressText } from '../src/views/drains/drain-words.ts';
import { hourRange } from '../src/views/drains/hour-range.ts';
import { momentText } from '../src/words/time.ts';

describe('a list of any length', () => {
  const offsets = rowOffsets(Array.from({ length: 150_000 }), () => 20);

  it('draws what is seen and a little more', () => {
    const { first, end } = visibleRows(offsets, { top: 20_000, height: 400 });
    expect(first).toBeLessThanOrEqual(1_000);
    expect(end).toBeGreaterThanOrEqual(1_020);
    expect(end - first).toBeLessThan(40);
  });

  it.each([
    ['its beginning', 0, 0],
    ['its end', 150_000 * 20 - 400, 150_000],
  ])('draws %s', (_, top, included) => {
    const { first, end } = visibleRows(offsets, { top, height: 400 });
    expect(included === 0 ? first : end).toBe(included);
  });

  it('draws rows of several heights where they are', () => {
    const places = rowOffsets([30, 48, 48, 30, 48], (height) => height);
    expect(places).toEqual([0, 30, 78, 126, 156, 204]);
  });

  it('draws nothing of nothing', () => {
    expect(visibleRows([0], { top: 0, height: 0 })).toEqual({ first: 0, end: 0 });
  });
});

describe('lanes', () => {
  const lanes: readonly Lane[] = [
    { kind: 'budgetAtLimit', title: 'pdb/shop/llm', spans: [{ from: 5_000 }] },
    { kind: 'nodeDraining', title: 'node-2', spans: [{ from: 9_000, to: 10_000 }] },
    { kind: 'nodeDraining', title: 'node-1', spans: [{ from: 1_000, to: 2_000 }] },
    { kind: 'unitDown', title: 'nothing happened to it', spans: [] },
  ];

  it('stand by kind below a heading, by when they began', () => {
    expect(laneRows(lanes).map((row) => (row.kind === 'heading' ? row.title : row.lane.title))).toEqual([
      'Nodes being drained',
      'node-1',
      'node-2',
      'Budgets at their limit',
      'pdb/shop/llm',
    ]);
  });

  it('can be read out', () => {
    const lane: Lane = {
      kind: 'unitDown',
      title: '',
      spans: [{ from: 0, to: 61_000, fromStart: true }, { from: 76_000 }],
    };
    expect(laneText(lane, 100_000, momentText)).toBe(
      'down since before t+00:00 to t+01:01, from t+01:16, and it lasts; 1m25s in all',
    );
  });

  it('have a place on the scale, also beyond its ends', () => {
    const range = { from: 100, to: 300 };
    expect([0, 100, 200, 300, 400].map((at) => placeOf(at, range))).toEqual([0, 0, 50, 100, 100]);
  });

  it('have a grid of a few round moments', () => {
    expect(gridOf({ from: 0, to: 137_000 })).toEqual([0, 30_000, 60_000, 90_000, 120_000]);
    expect(gridOf({ from: 0, to: 10 * 86_400_000 }).length).toBeLessThan(12);
  });

  it('cover the last hour, and at least a minute', () => {
    const now = 10_000_000;
    expect(hourRange(0, now)).toEqual({ from: now - 3_600_000, to: now });
    expect(hourRange(now - 1_000, now)).toEqual({ from: now - 60_000, to: now });
    expect(hourRange(now - 1_000_000, now)).toEqual({ from: now - 1_000_000, to: now });
  });
});

describe('drains', () => {
  const drain = (key: string, state: 'draining' | 'drained', since: number, evicted = 2, left = 3) => ({
    key,
    state,
    since,
    sinceStart: false,
    evicted,
    left,
    pods: [],
    podsLeftOut: 0,
  });

  it('that go on come first, those that wait longest on top', () => {
    const drains = [drain('done', 'drained', 1), drain('new', 'draining', 9), drain('old', 'draining', 5)];
    expect(drainOrder(drains).map(({ key }) => key)).toEqual(['old', 'new', 'done']);
  });

  it('say how far they are', () => {
    expect(progressText(drain('n', 'draining', 1))).toBe('2 of 5 pods evicted');
    expect(progressOf(drain('n', 'draining', 1))).toBe(40);
    expect(progressText(drain('n', 'drained', 1, 2, 0))).toBe('drained, 2 pods evicted');
    expect(progressText(drain('n', 'drained', 1, 0, 0))).toBe('drained');
    expect(progressOf(drain('n', 'draining', 1, 0, 0))).toBe(100);
  });
});
