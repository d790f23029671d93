import type { RefusalCode, RefusalFacts } from '../../packages/holdfast/src/api/refusals/reasons.ts';

/** Facts as the engine gives them. Where a refusal reads differently from case to case, there is one example of each. */
const group = { budget: 'PDB llm', pod: 'llm-0-1', unit: 'llm/0', unitKind: 'group' } as const;
const pod = { budget: 'PDB db', pod: 'db-0', unit: 'db-0', unitKind: 'pod' } as const;
const two = { available: 2, desired: 2, expected: 3 } as const;
const wait = { remedy: { kind: 'wait' } } as const;
const scalable = { stated: true, scale: { owner: 'StatefulSet db', to: 2 }, field: 'minAvailable' } as const;
const shards = { budget: 'PUB db', pod: 'db-0', unit: 'a', unitKind: 'group', available: 1, desired: 1 } as const;

export const refusalExamples: Readonly<Record<RefusalCode, readonly RefusalFacts[]>> = {
  BudgetExhausted: [
    { ...pod, ...two, ...wait },
    { ...group, ...two, ...wait },
    { ...pod, available: 4, desired: 4, expected: 6, reserved: 1, ...wait },
    { ...shards, remedy: { kind: 'wait', within: true } },
    { ...pod, available: 1, desired: 1, expected: 1, remedy: { kind: 'change', most: 1, add: 1, ...scalable } },
    { ...group, ...two, expected: 2, remedy: { kind: 'change', most: 2, stated: true, field: 'maxUnavailable' } },
    { ...shards, remedy: { kind: 'change', most: 1, add: 1, stated: false, field: 'minAvailable' } },
    { ...pod, available: 1, desired: 0, expected: 0, remedy: { kind: 'change', nothingExpected: true } },
    {
      ...pod,
      ...two,
      desired: 5,
      remedy: { kind: 'change', most: 3, add: 3, ...scalable, scale: { owner: 'StatefulSet db', to: 6 } },
    },
  ],
  UnhealthyRefused: [
    { ...group, available: 1, desired: 2, expected: 3, ...wait },
    { ...pod, available: 0, desired: 1, expected: 1, remedy: { kind: 'change', most: 1, add: 1, ...scalable } },
  ],
  DisruptionUnproven: [{ ...group, ...two, detail: 'llm-0-0', ...wait }],
  UnitWithheld: [
    { ...group, withheldBy: [{ pod: 'llm-0-0', probe: 'no' }] },
    { ...group, withheldBy: [{ pod: 'llm-0-0', probe: 'stale', node: 'node-7' }] },
    {
      ...group,
      withheldBy: [
        { pod: 'llm-0-0', probe: 'unconfirmed', node: 'node-7' },
        { pod: 'llm-0-2', probe: 'no' },
      ],
    },
    { ...group, withheldBy: [{ pod: 'llm-0-0', probe: 'invalid' }] },
  ],
  GroupSizeUnknown: [
    { ...shards, expected: 1, detail: '2 of its pods are available, and it may have up to 3', ...wait },
  ],
  ProbeVeto: [{ pod: 'db-1' }],
  ProbeStale: [{ pod: 'db-1', detail: 'node-5' }],
  ProbeUnconfirmed: [{ pod: 'db-1', detail: 'node-5' }],
  ProbeInvalid: [{ pod: 'db-1' }],
  GroupNotResolved: [{ ...pod, detail: 'the pod has no label shard' }],
  BudgetInvalid: [{ ...pod, detail: 'spec.minAvailable: Invalid value: "lots": must be an integer or a percentage' }],
  BudgetNotObserved: [{ ...pod, budget: 'PUB db', detail: 'it is at generation 12, and 11 was processed' }],
  NotCountedYet: [{ ...pod, detail: 'its status allows 0 disruptions' }],
  ExpectedUnknown: [
    { ...pod, detail: 'Job migrate has no scale' },
    { ...pod, detail: 'the operator has not looked up Job migrate yet', pending: true },
  ],
  OwnerNotResolved: [{ ...pod, budget: 'PUB web', detail: 'the operator has not looked up an owner of the pod yet' }],
  NotSynced: [{ pod: 'db-0', detail: 'it is still waiting for pods, pdbs' }],
  LedgerUnknown: [{ pod: 'db-0' }],
  LedgerBusy: [{ pod: 'db-0', detail: 'another replica wrote first' }],
  CacheStale: [{ pod: 'db-0', detail: 'it has seen resourceVersion 100, and the ledger was written at 4711' }],
  LedgerFull: [{ pod: 'db-0', detail: '1200' }],
  PodUnknown: [
    { pod: 'db-0' },
    { pod: 'db-0', detail: 'it sees a pod of that name with uid 1, and the request means uid 2' },
  ],
  EvictionNotPinned: [{ pod: 'db-0' }],
  TooManyBudgets: [{ pod: 'db-0', detail: '101 budgets cover it, and at most 100 are counted for one pod' }],
  SeveralPlainBudgets: [{ pod: 'db-0', detail: '3' }],
};
