import type { BudgetBar, GroupRow, NodeTile, UiHead, UiModel } from '../src/model.ts';

export function aNode(key: string, fields: Partial<NodeTile> = {}): NodeTile {
  return { key, zone: 'zone-a', state: 'can-go-now', pods: 3, now: 3, later: 0, stuck: 0, reasons: {}, ...fields };
}

export function aBudget(name: string, fields: Partial<BudgetBar> = {}): BudgetBar {
  return {
    key: `pdb/shop/${name}`,
    kind: 'pdb',
    namespace: 'shop',
    name,
    scope: 'group',
    unit: 'group',
    pods: 6,
    available: 2,
    desired: 1,
    expected: 2,
    allowed: 1,
    reserved: 0,
    down: { count: 0, names: [] },
    ...fields,
  };
}

export function aGroup(name: string, fields: Partial<GroupRow> = {}): GroupRow {
  return {
    key: `pdb/shop/llm ${name}`,
    budget: 'pdb/shop/llm',
    namespace: 'shop',
    name,
    available: true,
    healthy: 3,
    minimum: 3,
    size: 3,
    missing: 0,
    dots: [],
    dotsLeftOut: 0,
    ...fields,
  };
}

export function aHead(fields: Partial<UiHead> = {}): UiHead {
  return {
    revision: 1,
    cluster: { server: 'https://127.0.0.1:6443', namespaces: [], version: '0.0.0' },
    summary: '',
    counts: {
      budgets: { total: 2, blocked: 0 },
      nodes: { total: 3, 'can-go-now': 3, 'after-recovery': 0, blocked: 0, draining: 0, drained: 0, unknown: 0 },
      pods: 9,
      groups: { total: 2, down: 0 },
    },
    operator: { state: 'ok', checks: [] },
    data: { kind: 'live' },
    gaps: [],
    remarks: [],
    groupsLeftOut: 0,
    recordedSince: 0,
    ...fields,
  };
}

export function aModel(revision: number, fields: Partial<UiModel> = {}): UiModel {
  return {
    head: aHead({ revision }),
    nodes: [],
    budgets: [],
    groups: [],
    drains: [],
    lanes: [],
    refusals: [],
    ...fields,
  };
}
