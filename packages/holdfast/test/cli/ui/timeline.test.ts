import { describe, expect, it } from 'vitest';
import { Timeline, timelineLimits } from '../../../src/cli/ui/overview/timeline.ts';

const hour = 3_600_000;

describe('the timeline of the last hour', () => {
  it('has a span for each time that something was so, and one without an end for what lasts', () => {
    const timeline = new Timeline();
    timeline.begin();
    for (const [at, isSo] of [
      [10, true],
      [20, true],
      [30, false],
      [40, false],
      [50, true],
    ] as const) {
      timeline.note(at, 'unitDown', 'pdb/shop/llm/0', 'group shop/0', isSo);
    }
    expect(timeline.lanes(60)).toEqual([
      {
        key: 'unitDown/pdb/shop/llm/0',
        kind: 'unitDown',
        title: 'group shop/0',
        spans: [{ from: 10, to: 30 }, { from: 50 }],
      },
    ]);
    expect(timeline.since('unitDown', 'pdb/shop/llm/0')).toEqual({ from: 50 });
  });

  it('marks what was so already when the server began to look', () => {
    const timeline = new Timeline();
    timeline.note(10, 'budgetAtLimit', 'a', 'a', true);
    timeline.begin();
    timeline.note(20, 'budgetAtLimit', 'b', 'b', true);
    expect(timeline.lanes(30).map(({ spans }) => spans)).toEqual([[{ from: 10, fromStart: true }], [{ from: 20 }]]);
  });

  it('forgets what ended more than an hour ago, and never what lasts', () => {
    const timeline = new Timeline();
    timeline.begin();
    timeline.note(0, 'nodeDraining', 'short', 'short', true);
    timeline.note(1_000, 'nodeDraining', 'short', 'short', false);
    timeline.note(0, 'nodeDraining', 'long', 'long', true);
    expect(timeline.lanes(hour + 1_000).map(({ title }) => title)).toEqual(['long', 'short']);
    expect(timeline.lanes(hour + 1_001).map(({ title }) => title)).toEqual(['long']);
    expect(timeline.lanes(100 * hour).map(({ title }) => title)).toEqual(['long']);
  });

  it('keeps and shows no more than its limits, the newest and what lasts first', () => {
    const limits = { ...timelineLimits, maxLanes: 10, shownLanes: 4, maxSpans: 3 };
    const timeline = new Timeline(limits);
    timeline.begin();
    timeline.note(0, 'unitDown', 'lasting', 'lasting', true);
    for (let index = 0; index < 1_000; index += 1) {
      timeline.note(index, 'unitDown', `one-${index}`, `one-${index}`, true);
      timeline.note(index, 'unitDown', `one-${index}`, `one-${index}`, false);
    }
    expect(timeline.lanes(1_000).map(({ title }) => title)).toEqual(['lasting', 'one-997', 'one-998', 'one-999']);
    for (let index = 0; index < 100; index += 1)
      timeline.note(2_000 + index, 'unitDown', 'often', 'often', index % 2 === 0);
    expect(timeline.lanes(3_000).find(({ title }) => title === 'often')?.spans).toHaveLength(3);
  });
});
