import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPub, ns } from '../../../../../test/support/builders.ts';
import { paintFor, plain } from '../../../src/cli/output/paint.ts';
import { structured } from '../../../src/cli/output/structured.ts';
import { blockedFirst, onlyBlocked } from '../../../src/cli/status/blocked-first.ts';
import { budgetViews } from '../../../src/cli/status/budget-view.ts';
import { statusChanges } from '../../../src/cli/status/changes.ts';
import type { OperatorCheck } from '../../../src/cli/status/health.ts';
import { nodeViews } from '../../../src/cli/status/node-view.ts';
import { remarksOf, type StatusReport } from '../../../src/cli/status/report.ts';
import { statusNoteLines, statusText } from '../../../src/cli/status/status-text.ts';
import { isHealthy, type Summarised, summaryOf, summaryText } from '../../../src/cli/status/summary.ts';
import { collections } from '../../../src/core/sync.ts';
import { World } from '../../../src/core/world/world.ts';
import { expectGolden } from '../golden.ts';
import { readAt } from '../live-world.ts';
import { aShop } from '../worlds.ts';

const operator: readonly OperatorCheck[] = [
  { check: 'webhooks', state: 'ok', detail: 'registered' },
  { check: 'leader', state: 'failed', detail: 'a, renewed 90s ago' },
];

function report(): StatusReport {
  const live = aShop();
  const nodes = ['node-1', 'node-2', 'node-3', 'node-4', 'node-5'].map((name) => ({
    name,
    labels: {},
    ready: name !== 'node-4',
    cordoned: name === 'node-2',
  }));
  const views = { budgets: budgetViews(live.world), nodes: nodeViews(live.world, nodes, readAt), operator };
  return {
    time: new Date(readAt).toISOString(),
    summary: summaryOf(views),
    namespaces: [ns],
    ...views,
    gaps: [{ what: 'nodes', why: 'forbidden', follows: 'less is known' }],
    remarks: remarksOf(live),
  };
}

/** One budget that allows a disruption. */
function calm(): World {
  const set = anOwner('StatefulSet', 'calm', 2);
  const pods = [0, 1].map((index) => aPod(`calm-${index}`).labels({ app: 'calm' }).ownedBy(set));
  return aWorld({ pods, owners: [set], pdbs: [aPdb('calm', { app: 'calm' }, { maxUnavailable: 1 })] });
}

describe('the summary of a status', () => {
  const well: OperatorCheck = { check: 'leader', state: 'ok', detail: '' };
  const node = { name: 'n', pods: 1, now: 1, later: 0, stuck: 0, reasons: {} };
  const budgets = budgetViews(calm());
  const blocked = { blocked: { code: 'BudgetExhausted', message: '' } } as const;
  const bad = budgets.map((one) => ({ ...one, ...blocked }));
  const later = { ...node, later: 1 };
  const stuck = { ...node, stuck: 1 };

  it.each<readonly [string, Summarised, string, boolean]>([
    ['nothing', { budgets: [], nodes: [], operator: [] }, 'no budgets | no nodes | operator ok', true],
    [
      'all is well',
      { budgets, nodes: [node, later], operator: [well] },
      '1 budget, none blocks | 2 nodes: 1 can be drained now, 1 after recovery | operator ok',
      true,
    ],
    [
      'a budget blocks',
      { budgets: [...bad, ...budgets], nodes: [node], operator: [{ ...well, state: 'warning' }] },
      '2 budgets, 1 blocks | 1 node: 1 can be drained now | operator ok, with warnings',
      false,
    ],
    [
      'a node is blocked',
      { budgets, nodes: [stuck, node], operator: [{ ...well, state: 'unknown' }] },
      '1 budget, none blocks | 2 nodes: 1 can be drained now, 1 blocked | operator unknown',
      false,
    ],
    [
      'a check failed',
      { budgets: [], nodes: [], operator: [well, { ...well, state: 'failed' }] },
      'no budgets | no nodes | operator failed',
      false,
    ],
    [
      'there is no operator',
      { budgets: [], nodes: [], operator: [{ ...well, state: 'warning', absent: true }] },
      'no budgets | no nodes | no operator',
      false,
    ],
  ])('says in one line how things are: %s', (_, views, text, healthy) => {
    const summary = summaryOf(views);
    expect(summaryText(summary)).toBe(text);
    expect(isHealthy(summary)).toBe(healthy);
  });
});

describe('the status', () => {
  it('is a summary and three tables, what is blocked first', () => {
    expectGolden('status', statusText(report(), { wide: false, paint: plain }));
    expectGolden('status-wide', statusText(report(), { wide: true, paint: plain }));
    expectGolden('status-notes', `${statusNoteLines(report()).join('\n')}\n`);
  });

  it('lists only what is blocked where that is asked for, and counts everything', () => {
    const whole = report();
    const some = onlyBlocked({ ...whole, budgets: [...whole.budgets, ...budgetViews(calm())] });
    expect(some.budgets.map(({ budget }) => budget.name)).toEqual(['broken', 'llm', 'web', 'db']);
    expect(some.nodes.map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
    expect(some.operator.map(({ check }) => check)).toEqual(['leader']);
    expect(some.summary).toEqual(whole.summary);
    const none = onlyBlocked({ ...whole, budgets: budgetViews(calm()), nodes: [], operator: [] });
    expect(statusText(none, { wide: false, paint: plain })).toContain(
      '\n\nNo blocked budgets in shop.\n\nNo blocked nodes.\n',
    );
  });

  it('has what needs attention first', () => {
    const whole = report();
    const sorted = blockedFirst({
      ...whole,
      budgets: [...budgetViews(calm()), ...whole.budgets],
      nodes: whole.nodes.toReversed(),
    });
    expect(sorted.budgets.map(({ budget }) => budget.name)).toEqual(['broken', 'llm', 'web', 'db', 'calm']);
    expect(sorted.nodes.map(({ name }) => name)).toEqual(['node-4', 'node-3', 'node-2', 'node-1', 'node-5']);
    expect(sorted.operator.map(({ check }) => check)).toEqual(['leader', 'webhooks']);
  });

  it('is the same for programs, as JSON and as YAML', () => {
    expect(JSON.parse(structured(report(), 'json'))).toEqual(JSON.parse(JSON.stringify(report())));
    expectGolden('status-yaml', structured(report(), 'yaml'));
  });

  it('has colours on a terminal alone, and columns do not move for them', () => {
    const painted = statusText(report(), { wide: false, paint: paintFor({ isTTY: true, env: {} }) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
    expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(statusText(report(), { wide: false, paint: plain }));
    expect(painted).toContain('\u001b[31m');
  });

  it.each([
    ['not on a terminal', { env: {} }],
    ['NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }],
    ['a terminal without colours', { isTTY: true, env: { TERM: 'dumb' } }],
  ])('has none: %s', (_, facts) => {
    expect(paintFor(facts)('bad', 'x')).toBe('x');
  });

  it('has them where NO_COLOR is empty', () => {
    expect(paintFor({ isTTY: true, env: { NO_COLOR: '' } })('bad', 'x')).not.toBe('x');
  });
});

describe('changes of the status', () => {
  it('are none between two looks at the same, however old the leader is', () => {
    const later = {
      ...report(),
      operator: operator.map((one) => ({ ...one, detail: one.detail.replace('90s', '95s') })),
    };
    expect(statusChanges(report(), later)).toEqual([]);
  });

  it('are a line for each thing', () => {
    const before = report();
    const [first, ...budgets] = before.budgets;
    const [node, ...nodes] = before.nodes;
    if (first === undefined || node === undefined) throw new Error('there are some');
    const after = {
      ...before,
      budgets: [...budgets.slice(1), { ...first, allowed: 7 }],
      nodes: [{ ...node, stuck: 9 }, ...nodes],
      operator: operator.slice(0, 1),
      remarks: ['look'],
    };
    expectGolden('status-changes', `${statusChanges(before, after).join('\n')}\n`);
  });
});

describe('[I4] a budget of which not everything is known', () => {
  const web = aPdb('web', { app: 'web' }, { maxUnavailable: 1 });
  const pods = [aPod('web-0').labels({ app: 'web' }).ownedBy(anOwner('ReplicaSet', 'web'))];

  function without(missing: (typeof collections)[number]): World {
    const world = new World();
    for (const one of collections) if (one !== missing) world.setSynced(one, '1');
    return world;
  }

  it.each([
    ['an owner', aWorld({ pods, pdbs: [web] }), 'ExpectedUnknown'],
    ['how to read it', aWorld({ pods, pdbs: [aPdb('web', { app: 'web' }, {})] }), 'BudgetInvalid'],
    ['a group', aWorld({ pods, pdbs: [aGroupPdb('web', { app: 'web' }, { minAvailable: 1 })] }), 'GroupNotResolved'],
    [
      'whether it was processed',
      aWorld({
        pubs: [{ ...aPub('web', { minAvailable: 1, selector: { matchLabels: { app: 'web' } } }), status: {} }],
      }),
      'BudgetNotObserved',
    ],
  ] as const)('allows nothing, and says so: %s', (_, world, code) => {
    const [view] = budgetViews(world);
    expect(view).toMatchObject({ blocked: { code } });
    expect(view).not.toHaveProperty('allowed');
  });

  it.each([
    ['podGroups', 'NotSynced'],
    ['ledgers', 'LedgerUnknown'],
  ] as const)('allows nothing without %s', (collection, code) => {
    const world = without(collection);
    world.upsertPdb(aGroupPdb('llm', { app: 'llm' }, { minAvailable: 0 }));
    const [view] = budgetViews(world);
    expect(view).toMatchObject({ blocked: { code } });
    expect(view).not.toHaveProperty('allowed');
  });
});

describe('a budget that nothing blocks', () => {
  it('is one that needs nothing, though nothing is there', () => {
    const [view] = budgetViews(aWorld({ pdbs: [aPdb('none', { app: 'none' }, { minAvailable: 0 })] }));
    expect(view).toMatchObject({ allowed: 0 });
    expect(view).not.toHaveProperty('blocked');
  });

  it('is none that needs all of them', () => {
    const set = anOwner('StatefulSet', 'db', 1);
    const pods = [aPod('db-0').labels({ app: 'db' }).ownedBy(set)];
    const [view] = budgetViews(
      aWorld({ pods, owners: [set], pdbs: [aPdb('db', { app: 'db' }, { maxUnavailable: 0 })] }),
    );
    expect(view).toMatchObject({ allowed: 0, blocked: { message: 'it needs every pod that there is' } });
  });
});

describe('nodes', () => {
  it('are those on which pods run, where they may not be read', () => {
    const views = nodeViews(aShop().world, undefined, readAt);
    expect(views.map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
    expect(views[0]).not.toHaveProperty('ready');
  });

  it('count each pod once: now, later or stuck, and none of a DaemonSet', () => {
    const set = anOwner('StatefulSet', 'db', 3);
    const db = [0, 1, 2].map((index) => aPod(`db-${index}`).labels({ app: 'db' }).ownedBy(set));
    const pods = [...db, aPod('no').probed('False'), aPod('log').ownedBy(anOwner('DaemonSet', 'log'))];
    const world = aWorld({ pods, owners: [set], pdbs: [aPdb('db', { app: 'db' }, { maxUnavailable: 1 })] });
    expect(nodeViews(world, undefined, 0)).toEqual([
      {
        name: 'node-1',
        pods: 4,
        now: 1,
        later: 2,
        stuck: 1,
        reasons: { BudgetExhausted: 2, ProbeVeto: 1 },
      },
    ]);
  });
});
