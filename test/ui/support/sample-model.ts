import type { GroupRow, NodeState, NodeTile, PodDot, UiModel } from '../../../packages/holdfast/src/ui/model.ts';

const minute = 60_000;

/** A cluster in which something of everything happens. */
export function sampleModel(now: number): UiModel {
  return {
    head: {
      revision: 1,
      cluster: { server: 'https://127.0.0.1:7443', context: 'sample', namespaces: [], version: '0.1.0' },
      summary: 'see the page',
      counts: {
        budgets: { total: 3, blocked: 1 },
        nodes: { total: 6, 'can-go-now': 1, 'after-recovery': 1, blocked: 1, draining: 1, drained: 1, unknown: 1 },
        pods: 42,
        groups: { total: 3, down: 1 },
      },
      operator: {
        state: 'warning',
        checks: [
          { check: 'certificates', state: 'warning', detail: 'the CA certificate expires on 2026-12-01' },
          { check: 'leader', state: 'ok', detail: 'holdfast-0, renewed 1s ago' },
        ],
        agents: { fresh: 5, total: 6 },
      },
      data: { kind: 'live' },
      gaps: [
        { what: 'leases in kube-system', why: 'forbidden', follows: 'Probes are not judged.', hidesEverything: false },
      ],
      remarks: ['probe freshness is estimated from lease timestamps'],
      groupsLeftOut: 4,
      recordedSince: now - 30 * minute,
    },
    nodes: sampleNodes(),
    budgets: [
      {
        key: 'pdb/shop/llm',
        kind: 'pdb',
        namespace: 'shop',
        name: 'llm',
        scope: 'group',
        unit: 'group',
        pods: 6,
        available: 1,
        desired: 1,
        expected: 2,
        allowed: 0,
        reserved: 1,
        down: { count: 1, names: ['llm/0'] },
        blocked: {
          code: 'BudgetExhausted',
          message: 'group llm/0 is down',
          help: 'wait until 1 more group is available, or lower the budget',
          since: now - 3 * minute,
          sinceStart: true,
        },
      },
      {
        key: 'pdb/shop/search',
        kind: 'pdb',
        namespace: 'shop',
        name: 'search',
        scope: 'builtin',
        unit: 'pod',
        pods: 90,
        available: 88,
        desired: 80,
        expected: 90,
        allowed: 8,
        reserved: 0,
        down: { count: 2, names: ['search-1', 'search-2'] },
      },
      {
        key: 'pub/shop/web',
        kind: 'pub',
        namespace: 'shop',
        name: 'web',
        scope: 'pod',
        unit: 'pod',
        pods: 3,
        available: 3,
        desired: 1,
        expected: 3,
        allowed: 2,
        reserved: 0,
        down: { count: 0, names: [] },
      },
    ],
    groups: sampleGroups(now),
    drains: [
      {
        key: 'node-4',
        state: 'draining',
        since: now - 2 * minute,
        sinceStart: false,
        evicted: 2,
        left: 2,
        lastEvictionAt: now - 10_000,
        pods: [
          {
            namespace: 'shop',
            name: 'llm-1-1',
            state: 'blocked',
            why: 'PDB llm needs 1 available group and has 1 of 2',
            code: 'BudgetExhausted',
            budget: 'pdb/shop/llm',
            since: now - minute,
          },
          { namespace: 'shop', name: 'web-0', state: 'leaving' },
        ],
        podsLeftOut: 0,
      },
      {
        key: 'node-5',
        state: 'drained',
        since: now - 9 * minute,
        sinceStart: true,
        evicted: 4,
        left: 0,
        drainedAt: now - 5 * minute,
        pods: [],
        podsLeftOut: 0,
      },
    ],
    lanes: [
      { key: 'budgetAtLimit/llm', kind: 'budgetAtLimit', title: 'pdb/shop/llm', spans: [{ from: now - 3 * minute }] },
      { key: 'nodeDraining/node-4', kind: 'nodeDraining', title: 'node-4', spans: [{ from: now - 2 * minute }] },
      {
        key: 'unitDown/llm',
        kind: 'unitDown',
        title: 'group shop/llm/0',
        spans: [{ from: now - 20 * minute, to: now - 18 * minute, fromStart: true }, { from: now - 3 * minute }],
      },
    ],
    refusals: [
      {
        key: 'pdb/shop/llm',
        count: 14,
        first: now - 3 * minute,
        last: now - 3_000,
        message: 'PDB llm needs 1 available group and has 1 of 2; disrupting llm-1-1 takes group llm/1 down',
        namespace: 'shop',
        pod: 'llm-1-1',
      },
    ],
  };
}

const states: readonly NodeState[] = ['can-go-now', 'blocked', 'after-recovery', 'draining', 'drained', 'unknown'];

function sampleNodes(): readonly NodeTile[] {
  return states.map((state, index) => ({
    key: `node-${index + 1}`,
    zone: `zone-${'abc'[index % 3]}`,
    state,
    ready: index !== 2,
    cordoned: state === 'draining' || state === 'drained',
    pods: state === 'drained' ? 0 : 3,
    now: 2,
    later: state === 'after-recovery' ? 1 : 0,
    stuck: state === 'blocked' ? 1 : 0,
    reasons: {},
  }));
}

function sampleGroups(now: number): readonly GroupRow[] {
  const group = (name: string, dots: readonly PodDot[], fields: Partial<GroupRow>): GroupRow => ({
    key: `pdb/shop/llm ${name}`,
    budget: 'pdb/shop/llm',
    namespace: 'shop',
    name,
    available: true,
    healthy: dots.length,
    minimum: 3,
    size: dots.length,
    missing: 0,
    dots,
    dotsLeftOut: 0,
    ...fields,
  });
  const pods = (prefix: string, count: number): readonly PodDot[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${prefix}-${index}`, node: 'node-1', state: 'up' }));
  const down: PodDot = { name: 'llm-0-1', node: 'node-2', state: 'down', why: 'it is not ready' };
  return [
    group('llm/0', [...pods('llm-0', 1), down], { available: false, healthy: 1, size: 3, missing: 1 }),
    group('llm/1', [{ name: 'llm-1-0', state: 'up', probe: 'no' }, ...pods('llm-1b', 2)], {
      probe: { yes: 2, no: 1, unconfirmed: 0, confirmedAt: now - 4_000 },
    }),
    group('train/0', [...pods('train', 30), { name: 'train-31', state: 'terminating' }], { minimum: 24 }),
  ];
}

/** 5,000 nodes and 2,000 budgets, as a server of that size sends them. */
export function largeModel(now: number): UiModel {
  const sample = sampleModel(now);
  const nodes = Array.from({ length: 5_000 }, (_, index): NodeTile => {
    const state: NodeState = index % 100 === 7 ? 'blocked' : index % 10 === 3 ? 'after-recovery' : 'can-go-now';
    return {
      key: `node-${String(index).padStart(4, '0')}`,
      zone: `zone-${'abc'[index % 3]}`,
      state,
      ready: true,
      cordoned: false,
      pods: 30,
      now: 29,
      later: state === 'after-recovery' ? 1 : 0,
      stuck: state === 'blocked' ? 1 : 0,
      reasons: {},
    };
  });
  const [blocked, search] = sample.budgets;
  const budgets = Array.from({ length: 2_000 }, (_, index) => {
    const name = `app-${String(index).padStart(4, '0')}`;
    const like = index % 100 === 0 ? blocked : search;
    return like === undefined ? [] : [{ ...like, key: `pdb/shop/${name}`, name }];
  }).flat();
  const counts = { 'can-go-now': 4_450, 'after-recovery': 500, blocked: 50, draining: 0, drained: 0, unknown: 0 };
  const head = {
    ...sample.head,
    counts: {
      ...sample.head.counts,
      budgets: { total: 2_000, blocked: 20 },
      nodes: { total: 5_000, ...counts },
      pods: 150_000,
    },
  };
  return { ...sample, head, nodes, budgets };
}
