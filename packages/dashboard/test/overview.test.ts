import { describe, expect, it } from 'vitest';
import { barParts, budgetNumbers, budgetOrder, budgetsMatching } from '../src/views/overview/budget-order.ts';
import { dotText, groupNumbers, groupOrder, probeText, shownDots } from '../src/views/overview/group-words.ts';
import { countStates, matching, nodeRows, tileText } from '../src/views/overview/node-rows.ts';
import { facts, headline } from '../src/views/overview/summary.ts';
import { nextTile } from '../src/views/overview/tile-keys.ts';
import { aBudget, aGroup, aHead, aNode } from './builders.ts';

const blocked = (since: number) => ({ code: 'BudgetExhausted', message: '', help: '', since, sinceStart: false });

describe('the summary', () => {
  const { counts } = aHead();

  it.each([
    ['no budgets at all', { budgets: { total: 0, blocked: 0 } }, 'No budgets, 3 of 3 nodes can be drained now'],
    ['nothing that blocks', {}, '2 budgets, none blocks, 3 of 3 nodes can be drained now'],
    [
      'one that blocks',
      { budgets: { total: 2, blocked: 1 } },
      '1 of 2 budgets blocks, 3 of 3 nodes can be drained now',
    ],
  ])('says %s', (_, fields, want) => {
    expect(headline(aHead({ counts: { ...counts, ...fields } }))).toBe(want);
  });

  it('says that it reads, and not that there is nothing', () => {
    const empty = { ...counts, nodes: { ...counts.nodes, total: 0 } };
    expect(headline(aHead({ counts: empty, data: { kind: 'reading', waitingFor: ['pods'] } }))).toBe(
      'Reading the cluster',
    );
  });

  it('names agents that are not fresh, and groups that are down', () => {
    const head = aHead({
      operator: { state: 'ok', checks: [], agents: { fresh: 5, total: 6 } },
      counts: { ...counts, groups: { total: 3, down: 1 } },
    });
    expect(facts(head).map(({ text }) => text)).toEqual([
      'operator ok',
      'agents: 5 of 6 fresh',
      '1 of 3 groups down',
      '9 pods',
    ]);
  });
});

describe('nodes', () => {
  const nodes = [
    aNode('b-1', { zone: 'zone-b' }),
    aNode('a-1'),
    aNode('a-2', { state: 'blocked', stuck: 1, now: 2 }),
    aNode('a-3'),
  ];

  it('are rows of tiles below the heading of their zone', () => {
    const rows = nodeRows(nodes, 2).map((row) =>
      row.kind === 'zone' ? `${row.zone}: ${row.total}` : row.tiles.map(({ key }) => key),
    );
    expect(rows).toEqual(['zone-a: 3', ['a-1', 'a-2'], ['a-3'], 'zone-b: 1', ['b-1']]);
  });

  it('that need attention come first where there are many', () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      aNode(`n-${index}`, index === 99 ? { state: 'blocked' } : {}),
    );
    const first = nodeRows(many, 10)[1];
    expect(first?.kind === 'tiles' && first.tiles[0]?.key).toBe('n-99');
  });

  it('are found by state, name and zone', () => {
    const keys = (states: readonly ('blocked' | 'can-go-now')[], text: string) =>
      matching(nodes, { states: new Set(states), text }).map(({ key }) => key);
    expect(keys(['blocked'], '')).toEqual(['a-2']);
    expect(keys([], ' ZONE-B ')).toEqual(['b-1']);
    expect(keys(['can-go-now'], 'a-')).toEqual(['a-1', 'a-3']);
  });

  it('are counted by state', () => {
    expect(countStates(nodes)).toMatchObject({ blocked: 1, 'can-go-now': 3, drained: 0 });
  });

  it.each([
    [aNode('n'), '3 pods'],
    [aNode('n', { pods: 0, now: 0 }), 'no pods'],
    [aNode('n', { state: 'drained', pods: 0 }), 'empty'],
    [aNode('n', { state: 'blocked', stuck: 2, now: 1 }), '2 of 3 blocked'],
    [aNode('n', { state: 'after-recovery', now: 2, later: 1 }), '2 of 3 now'],
  ])('say what a drain would meet: $state', (node, want) => {
    expect(tileText(node)).toBe(want);
  });

  it.each([
    ['ArrowRight', 'a-1', 'a-2'],
    ['ArrowRight', 'a-2', 'a-3'],
    ['ArrowLeft', 'a-3', 'a-2'],
    ['ArrowDown', 'a-2', 'a-3'],
    ['ArrowDown', 'a-3', 'b-1'],
    ['ArrowUp', 'b-1', 'a-3'],
    ['ArrowUp', 'a-1', undefined],
    ['Enter', 'a-1', undefined],
  ])('are reached by %s from %s', (key, from, want) => {
    expect(nextTile(nodeRows(nodes, 2), from, key)).toBe(want);
  });
});

describe('budgets', () => {
  it('that block come first, the oldest on top, then those with the least room', () => {
    const budgets = [
      aBudget('roomy', { allowed: 5 }),
      aBudget('new', { allowed: 0, blocked: blocked(200) }),
      aBudget('tight', { allowed: 1 }),
      aBudget('old', { allowed: 0, blocked: blocked(100) }),
    ];
    expect(budgetOrder(budgets).map(({ name }) => name)).toEqual(['old', 'new', 'tight', 'roomy']);
  });

  it('are found by any part of their key', () => {
    expect(budgetsMatching([aBudget('llm'), aBudget('web')], 'SHOP/L').map(({ name }) => name)).toEqual(['llm']);
  });

  it.each([
    [aBudget('a'), '2 of 2 groups up, needs 1, 1 may be disrupted'],
    [
      aBudget('a', { available: 1, allowed: 0, reserved: 1 }),
      '1 of 2 groups up, needs 1, none may be disrupted, 1 under way',
    ],
    [aBudget('a', { scope: 'invalid' }), 'invalid: it refuses everything'],
  ])('say their numbers', (bar, want) => {
    expect(budgetNumbers(bar)).toBe(want);
  });

  it('without an expected number say what is up and that the need is unknown', () => {
    const { expected: _e, desired: _d, allowed: _a, ...rest } = aBudget('a');
    expect(budgetNumbers(rest)).toBe('2 groups up, needs an unknown number, none may be disrupted');
  });

  it('are bars whose parts fill the whole', () => {
    expect(barParts(aBudget('a', { available: 1 }))).toEqual({ up: 50, missing: 50, needed: 50, pieces: 2 });
    expect(barParts(aBudget('a', { available: 90, expected: 90, desired: 45 }))).toEqual({
      up: 100,
      missing: 0,
      needed: 50,
    });
  });

  it('are bars even where nothing is expected', () => {
    expect(barParts(aBudget('a', { available: 0, expected: 0, desired: 0 }))).toEqual({
      up: 0,
      missing: 100,
      needed: 0,
      pieces: 1,
    });
  });
});

describe('groups', () => {
  it('that are down come first', () => {
    const groups = [aGroup('llm/1'), aGroup('llm/0', { available: false })];
    expect(groupOrder(groups).map(({ name }) => name)).toEqual(['llm/0', 'llm/1']);
  });

  it('say how many are up, needed and missing', () => {
    expect(groupNumbers(aGroup('g', { healthy: 1, missing: 1 }))).toBe('1 of 3 pods up, needs 3, 1 missing');
  });

  it('say what their probes answered, the noes first', () => {
    expect(probeText(aGroup('g', { probe: { yes: 1, no: 2, unconfirmed: 0 } }))).toBe(
      'probe: 2 cannot be lost, 1 can be lost',
    );
    expect(probeText(aGroup('g', { probe: { yes: 0, no: 0, unconfirmed: 0 } }))).toBe('probe: no answer yet');
    expect(probeText(aGroup('g'))).toBeUndefined();
  });

  it('have a sentence for each dot', () => {
    expect(dotText({ name: 'llm-0', node: 'node-1', state: 'down', why: 'it is not ready', probe: 'no' })).toBe(
      'llm-0: down, it is not ready, probe says: cannot be lost now, on node-1',
    );
  });

  it('that are large show first what is not up, and a bounded number', () => {
    const dots = Array.from({ length: 100 }, (_, index) => ({
      name: `p-${index}`,
      state: index === 90 ? ('down' as const) : ('up' as const),
    }));
    expect(shownDots(dots)[0]?.name).toBe('p-90');
    expect(shownDots(dots).length).toBeLessThan(60);
    expect(shownDots(dots.slice(0, 3))).toEqual(dots.slice(0, 3));
  });
});
