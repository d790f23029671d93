import { describe, expect, it } from 'vitest';
import { chartOf } from '../../../src/cli/simulate/html/chart.ts';
import { escaped } from '../../../src/cli/simulate/html/escape.ts';
import { simulationProgressOn } from '../../../src/cli/simulate/progress.ts';
import { lengthOf, mostDownAtOnce } from '../../../src/cli/simulate/records/figures.ts';
import { outagesOf, outageText } from '../../../src/cli/simulate/records/outages.ts';
import type { GroupResult, SimulationResult, TimelineEvent } from '../../../src/cli/simulate/simulation-result.ts';
import { timelineLines } from '../../../src/cli/simulate/texts/timeline-text.ts';
import { momentText, spanText } from '../../../src/cli/simulate/texts/times.ts';

describe('times', () => {
  it.each([
    [0, 't+00:00'],
    [61_400, 't+01:01'],
    [3_600_000, 't+1:00:00'],
    [90_061_000, 't+25:01:01'],
  ])('%d ms is %s', (at, text) => expect(momentText(at)).toBe(text));

  it.each([
    [0, '0s'],
    [200, '200ms'],
    [20_000, '20s'],
    [150_000, '2m30s'],
  ])('%d ms last %s', (ms, text) => expect(spanText(ms)).toBe(text));
});

describe('figures', () => {
  const group = (name: string, ...down: GroupResult['down']): GroupResult => ({
    namespace: 'shop',
    name,
    of: 'llm',
    down,
  });

  it('count an open end until the end', () => {
    expect(lengthOf([{ from: 0, to: 5 }, { from: 10 }], 30)).toBe(25);
  });

  it('know how many groups were down at once; one that ends as another begins does not count twice', () => {
    expect(mostDownAtOnce([group('a', { from: 0, to: 10 }), group('b', { from: 10, to: 20 })], 30)).toBe(1);
    expect(mostDownAtOnce([group('a', { from: 0, to: 11 }), group('b', { from: 10 }), group('c')], 30)).toBe(2);
  });
});

describe('outages', () => {
  const group = (name: string, down: GroupResult['down'], more: Partial<GroupResult> = {}): GroupResult => ({
    namespace: 'shop',
    name,
    of: 'llm',
    down,
    ...more,
  });
  const outages = (groups: readonly GroupResult[], budgets: SimulationResult['budgets'] = []) =>
    outagesOf({ groups, budgets, durationMs: 60_000 });
  const web = {
    budget: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' },
    unit: 'pod',
    available: 2,
    lowest: 0,
    atLimit: [],
    refusals: 0,
  } as const;

  it('are the times in which all groups of a workload are down', () => {
    const found = outages([group('llm/0', [{ from: 0, to: 19_000 }]), group('llm/1', [{ from: 1_000, to: 40_000 }])]);
    expect(found).toEqual([{ unit: 'group', of: 'shop/llm', from: 1_000, to: 19_000 }]);
    expect(found.map((one) => outageText(one, 60_000))).toEqual([
      'no group of shop/llm served from t+00:01 to t+00:19 (18s)',
    ]);
  });

  it('are none while one group serves, and none that was there before', () => {
    expect(outages([group('llm/0', [{ from: 0 }]), group('llm/1', [])])).toEqual([]);
    expect(outages([group('llm/0', [{ from: 0 }], { startedDown: true })])).toEqual([]);
    expect(outages([group('llm/0', [{ from: 0 }])])).toEqual([{ unit: 'group', of: 'shop/llm', from: 0 }]);
    expect(outages([group('a/0', [{ from: 5 }], { of: 'a' }), group('b/0', [], { of: 'b' })])).toHaveLength(1);
  });

  it('are the times in which no pod of a budget is available', () => {
    expect(outages([], [{ ...web, none: [{ from: 5_000 }] }])).toEqual([{ unit: 'pod', of: 'shop/web', from: 5_000 }]);
    expect(outages([], [{ ...web, available: 0, none: [{ from: 0, to: 9 }] }])).toEqual([]);
    expect(outageText({ unit: 'pod', of: 'shop/web', from: 5_000 }, 60_000)).toBe(
      'no pod of shop/web was available from t+00:05 to the end (55s)',
    );
  });
});

describe('a timeline', () => {
  const pod = (name: string, node?: string) => ({ namespace: 'shop', name, ...(node === undefined ? {} : { node }) });

  it('tells in one line what happened to many within a second, and each refusal by itself', () => {
    const events: readonly TimelineEvent[] = [
      ...['a', 'b', 'c', 'd', 'e'].map(
        (name, at): TimelineEvent => ({ at, kind: 'evicted', pod: pod(name, `n-${name}`) }),
      ),
      { at: 5, kind: 'groupDown', namespace: 'shop', group: 'g/0' },
      { at: 6, kind: 'refused', pod: pod('x', 'n-1'), message: 'no' },
      { at: 6, kind: 'refused', pod: pod('y', 'n-1'), message: 'not yet' },
      { at: 7, kind: 'groupDown', namespace: 'shop', group: 'g/1' },
      { at: 2_000, kind: 'evicted', pod: pod('f', 'n-f') },
      { at: 2_000, kind: 'unschedulable', pod: pod('z'), message: 'no room' },
    ];
    expect(timelineLines(events).map(({ at, text }) => `${at} ${text}`)).toEqual([
      '0 5 pods shop/a, b, c, d and 1 more evicted from n-a, n-b, n-c, n-d and 1 more',
      '5 2 groups shop/g/0, shop/g/1 down',
      '6 pod shop/x on n-1 refused: no',
      '6 pod shop/y on n-1 refused: not yet',
      '2000 pod shop/f evicted from n-f',
      '2000 pod shop/z finds no node: no room',
    ]);
  });

  it('gives numbers where one budget is at its limit, and names where several are', () => {
    const limit = (name: string): TimelineEvent => ({
      at: 0,
      kind: 'limitReached',
      budget: { kind: 'PodUnavailableBudget', namespace: 'shop', name },
      unit: 'pod',
      available: 1,
      desired: 1,
    });
    expect(timelineLines([limit('a')])[0]?.text).toBe('pub shop/a at its limit: 1 pod available, 1 needed');
    expect(timelineLines([limit('a'), limit('b')])[0]?.text).toBe('2 budgets at their limit: pub shop/a, pub shop/b');
  });
});

describe('a page', () => {
  it('shows names as they are, and never as markup', () => {
    const nodes = [{ name: '<script>alert("x")</script>', begun: 0, evicted: 0 }];
    const result = { nodes, groups: [], budgets: [], timeline: [], durationMs: 1_000 } as unknown as SimulationResult;
    expect(chartOf(result, 1_000)).not.toContain('<script');
    expect(escaped('a & <b> "c"')).toBe('a &amp; &lt;b&gt; &quot;c&quot;');
  });

  it('draws a node that never drains unlike one that does, and has a legend for every mark', () => {
    const nodes = [
      { name: 'done', begun: 0, drained: 500, evicted: 1 },
      { name: 'never', begun: 0, evicted: 0 },
    ];
    const timeline: readonly TimelineEvent[] = [
      { at: 1, kind: 'evicted', pod: { namespace: 'shop', name: 'a', node: 'done' } },
      { at: 2, kind: 'refused', pod: { namespace: 'shop', name: 'b', node: 'never' }, message: 'no' },
    ];
    const result = { nodes, groups: [], budgets: [], timeline, durationMs: 1_000 } as unknown as SimulationResult;
    const svg = chartOf(result, 1_000);
    expect(svg).toContain('never: never drained, t+00:00 to t+00:01');
    expect(svg).toContain('done: being drained');
    for (const words of ['pod evicted', 'pod refused', 'never drained', 'drained, cordoned'])
      expect(svg).toContain(`>${words}</text>`);
    expect(svg.match(/class="tick"/g)).toHaveLength(2);
    expect(svg.match(/class="refusal"/g)).toHaveLength(2);
  });

  it('leaves out lanes that make a picture illegible, and says how many', () => {
    const nodes = Array.from({ length: 250 }, (_, index) => ({ name: `n-${index}`, begun: 0, evicted: 0 }));
    const result = { nodes, groups: [], budgets: [], timeline: [], durationMs: 1_000 } as unknown as SimulationResult;
    expect(chartOf(result, 1_000)).toContain('and 50 more');
  });
});

describe('progress', () => {
  it('is for terminals, not too often, and leaves nothing behind', () => {
    const written: string[] = [];
    let now = 0;
    const terminal = { isTTY: true, write: (text: string) => written.push(text) };
    const progress = simulationProgressOn(terminal, '', () => now);
    progress.step(1_000);
    now = 300;
    progress.step(61_000);
    progress.step(62_000);
    progress.end();
    expect(written).toEqual(['\rsimulating, t+01:01 of virtual time\u001b[K', '\r\u001b[K']);
    const silent = simulationProgressOn({ isTTY: false, write: (text: string) => written.push(text) }, '', () => now);
    now = 10_000;
    silent.step(1);
    silent.end();
    expect(written).toHaveLength(2);
  });
});
