import type { BlockerNote, BudgetDetail, NodeDetail, PodDetail } from '../../../packages/holdfast/src/ui/details.ts';
import type { UiModel } from '../../../packages/holdfast/src/ui/model.ts';
import type { WhatIfJob, WhatIfRequest, WhatIfRun } from '../../../packages/holdfast/src/ui/what-if.ts';

const blocker: BlockerNote = {
  code: 'BudgetExhausted',
  message: 'PDB llm needs 1 available group and has 1 of 2; disrupting llm-1-1 takes group llm/1 down and leaves 0',
  help: 'wait until 1 more group is available, or lower the budget',
  outlook: 'Waiting can help.',
  budget: 'pdb/shop/llm',
};

function explained(headline: string, command: string) {
  return {
    at: 0,
    yes: false,
    headline,
    text: 'The whole answer.\n\nPOD       WHEN\nllm-1-1   blocked',
    commands: [{ title: 'Explain it in a terminal', line: command }],
    gaps: [],
  };
}

export function sampleNode({ nodes: [first, second] }: UiModel): NodeDetail {
  const node = second ?? first;
  if (node === undefined) throw new Error('the model has no node');
  return {
    ...explained('node-2 cannot be drained now: 1 of its 3 pods is blocked', 'holdfast explain node/node-2'),
    node,
    agent: { holder: 'agent-node-2', state: 'fresh', renewedAt: Date.now() - 3_000 },
    pods: [
      {
        namespace: 'shop',
        name: 'llm-1-1',
        unit: { kind: 'group', name: 'llm/1', effect: 'breaks' },
        budget: 'pdb/shop/llm',
        blockers: [blocker],
      },
      { namespace: 'shop', name: 'db-1', round: 2, budget: 'pdb/shop/db', blockers: [] },
      { namespace: 'shop', name: 'web-0', round: 1, blockers: [] },
    ],
  };
}

export function sampleBudget({ budgets: [budget], groups }: UiModel): BudgetDetail {
  if (budget === undefined) throw new Error('the model has no budget');
  return {
    ...explained('PodDisruptionBudget shop/llm blocks', 'holdfast explain pdb/llm -n shop'),
    budget,
    numbers: '1 group available, 1 needed, 2 expected; none may be disrupted now',
    source: 'the scale of LeaderWorkerSet llm',
    asked: { kind: 'yes' },
    groups: groups.slice(0, 2),
    down: [{ pod: 'llm-0-1', why: 'it is not ready' }],
    evictable: 2,
    reasons: [{ pods: 3, example: 'llm-1-1', blocker }],
    reservations: [{ pod: 'shop/llm-0-0', operation: 'eviction', since: Date.now() - 9_000 }],
    kubernetes: { text: 'it counts pods: 5 healthy, 3 desired', allowed: 2, healthy: 5, desired: 3, expected: 6 },
    manifest: 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: llm\n',
  };
}

export function samplePod(): PodDetail {
  return {
    ...explained('llm-1-1 may not be evicted now', 'holdfast explain pod/llm-1-1 -n shop'),
    pod: { namespace: 'shop', name: 'llm-1-1', node: 'node-2', ready: true },
    by: 'holdfast',
    asked: { kind: 'observed', why: 'the namespace only observes' },
    holdfast: { may: false, reason: 'BudgetExhausted', blockers: [blocker] },
    kubernetes: { may: true, text: 'it would allow it: pdb/llm allows 2 more' },
    budgets: [
      {
        key: 'pdb/shop/llm',
        kind: 'pdb',
        name: 'llm',
        title: 'PodDisruptionBudget llm',
        numbers: '1 of 2 groups available, 1 needed',
        group: 'llm/1',
        effect: 'breaks',
        refusal: blocker,
      },
    ],
    owners: [{ kind: 'LeaderWorkerSet', name: 'llm', replicas: 2 }],
    probe: {
      answer: 'no',
      since: Date.now() - 40_000,
      message: 'HTTP probe failed with statuscode: 500',
      agent: { holder: 'agent-node-2', state: 'fresh', renewedAt: Date.now() - 3_000, listsPod: false },
    },
    reservations: [],
  };
}

function sampleRun(finished: boolean): WhatIfRun {
  return {
    finished,
    verdict: finished ? 'Finished after 2m17s' : 'Not finished',
    facts: '2 of 2 nodes drained, 2 pods evicted',
    alarms: finished ? [] : ['no group of shop/llm served from t+00:01 to t+00:19 (18s)'],
    assumptions: 'Pods take 1m to start.',
    notes: ['2 webhooks are not simulated'],
    durationMs: 137_000,
    nodes: [],
    lanes: [
      { kind: 'nodeDraining', title: 'node-1', spans: [{ from: 0, to: 77_000 }] },
      { kind: 'unitDown', title: 'group shop/llm/0', spans: [{ from: 0, to: 61_000 }] },
      { kind: 'budgetAtLimit', title: 'pdb/shop/llm', spans: [{ from: 0, to: 61_000 }] },
    ],
    events: [{ at: 0, text: 'pod shop/llm-0 evicted from node-1' }],
    eventsLeftOut: 0,
    unfinished: finished ? [] : [{ pod: 'shop/llm-1', why: 'PDB llm needs 1 available group' }],
  };
}

export function sampleJob(request: WhatIfRequest): WhatIfJob {
  return {
    id: '1',
    state: 'done',
    step: 'done',
    request,
    commands: ['holdfast simulate --from-cluster -- drain node-1'],
    result: {
      html: '/api/what-if/1.html',
      plan: {
        waves: [
          {
            nodes: [{ name: 'node-1', pods: 3, rounds: 1, groups: ['shop/llm/0'] }],
            budgets: [
              { budget: 'pdb/shop/llm', unit: 'group', broken: ['llm/0'], available: 1, desired: 1, atLimit: true },
            ],
            seconds: 70,
          },
        ],
        never: [{ node: 'node-6', why: 'pod shop/solo has no controller' }],
        atLeast: 1,
        seconds: 70,
      },
      asItIs: sampleRun(true),
      changed: sampleRun(false),
      comparison: {
        changes: ['PodDisruptionBudget shop/llm'],
        rows: [
          ['nothing served for', 'never', '18s'],
          ['refusals', '4', '0'],
        ],
      },
      warnings: ['leases cannot be read'],
    },
  };
}
