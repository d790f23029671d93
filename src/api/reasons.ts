/**
 * The catalogue of reasons. Every refusal, warning and condition has a code here and a line in docs/reasons.md; a test
 * compares the two. A refusal is a sentence with numbers and a sentence that says what would help (I12).
 */

export const refusalCodes = [
  'BudgetExhausted',
  'UnhealthyRefused',
  'DisruptionUnproven',
  'UnitWithheld',
  'GroupSizeUnknown',
  'ProbeVeto',
  'ProbeStale',
  'ProbeUnconfirmed',
  'ProbeInvalid',
  'GroupNotResolved',
  'BudgetInvalid',
  'BudgetNotObserved',
  'NotCountedYet',
  'ExpectedUnknown',
  'OwnerNotResolved',
  'NotSynced',
  'LedgerUnknown',
  'LedgerBusy',
  'CacheStale',
  'LedgerFull',
  'PodUnknown',
  'EvictionNotPinned',
  'TooManyBudgets',
  'SeveralPlainBudgets',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

export const passCodes = [
  'NotProtected',
  'WithinBudget',
  'AlreadyReserved',
  'Terminating',
  'Finished',
  'Pending',
  'NamespaceTerminating',
  'NamespaceUnguarded',
  'KubeletDelete',
  'GarbageCollection',
  'Preemption',
  'WorkloadGone',
] as const;
export type PassCode = (typeof passCodes)[number];

export const warningCodes = [
  'MixedSelection',
  'GroupFallback',
  'GroupUndivided',
  'GroupsForgettable',
  'UnreachableGroupMinimum',
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const conditionCodes = [
  'Sufficient',
  'Insufficient',
  'NotGuarded',
  'LeftToKruise',
  'Enforced',
  'MissingGroupLabel',
  'UnreachableMinReadyReplicas',
  'MinReadyReplicasBelowSize',
  'UnitsForgettable',
  'WorkloadNotFound',
] as const;
export type ConditionCode = (typeof conditionCodes)[number];

/** The numbers and names behind a refusal. Which of them are set depends on the code. */
export interface RefusalFacts {
  /** Kind and name, as a person would say it: `PodDisruptionBudget "llm"`. */
  readonly budget?: string;
  readonly pod: string;
  readonly unit?: string;
  readonly unitKind?: 'pod' | 'group';
  readonly available?: number;
  readonly desired?: number;
  readonly expected?: number;
  /** Free text with its own facts: a field error, an owner's name, two resourceVersions. */
  readonly detail?: string;
  /** The pods whose probes withhold the unit; never empty where it is given. */
  readonly withheldBy?: readonly Withholder[];
}

/** A pod that serves and whose probe keeps its group from being disrupted: it says no, cannot be read, or is not confirmed. */
export interface Withholder {
  readonly pod: string;
  readonly probe: 'no' | 'invalid' | 'stale';
  readonly node?: string;
}

export interface RefusalText {
  readonly message: string;
  readonly unblock: string;
}

type Describe = (facts: RefusalFacts) => RefusalText;

const units = (facts: RefusalFacts, count = 2): string => `${facts.unitKind ?? 'pod'}${count === 1 ? '' : 's'}`;
const of = (facts: RefusalFacts): string => (facts.expected === undefined ? '' : ` of ${facts.expected} expected`);
const numbers = (facts: RefusalFacts): string =>
  `needs ${facts.desired} available ${units(facts, facts.desired)} and has ${facts.available}${of(facts)}`;

const descriptions: Record<RefusalCode, Describe> = {
  BudgetExhausted: (facts) => ({
    message: `${facts.budget} ${numbers(facts)}; taking ${facts.pod} away breaks ${facts.unitKind} ${facts.unit}`,
    // One more than it needs, so that one can go.
    unblock: `${more(facts, missing(facts) + 1)} must become available first, or the budget must be lowered`,
  }),
  UnhealthyRefused: (facts) => ({
    message: `${facts.budget} ${numbers(facts)}; ${facts.unitKind} ${facts.unit} is already down and its pods may go only while the budget is met`,
    unblock: `${more(facts, Math.max(1, missing(facts)))} must become available first; unhealthyPodEvictionPolicy: AlwaysAllow lifts this`,
  }),
  DisruptionUnproven: (facts) => ({
    message: `${facts.budget} ${numbers(facts)}; whether ${facts.detail} goes is not seen yet, and if not, ${facts.unitKind} ${facts.unit} serves and taking ${facts.pod} away breaks it`,
    unblock: `try again when that is seen (within a minute, as a rule), or when ${more(facts, missing(facts) + 1)} became available`,
  }),
  UnitWithheld: (facts) => {
    const [first, ...others] = facts.withheldBy ?? [];
    const rest = others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'pod' : 'pods'})`;
    return {
      message: `${facts.budget} protects ${facts.unitKind} ${facts.unit}, which serves and must not be disrupted now: ${whyWithheld(first)}${rest}`,
      unblock: whenGiven(first),
    };
  },
  GroupSizeUnknown: (facts) => ({
    message: `${facts.budget} ${numbers(facts)}; ${minimumOf(facts)} is more than any of its groups has, and the size of group ${facts.unit} is not known: ${facts.detail}`,
    unblock: `wait until the owner of the pods has created all of them, or lower ${minimumOf(facts)}`,
  }),
  ProbeVeto: (facts) => ({
    message: `pod ${facts.pod} says by its disruption probe that it cannot be lost now`,
    unblock: 'wait until its Disruptable condition is True',
  }),
  ProbeStale: (facts) => ({
    message: `no agent renews the probe lease for pod ${facts.pod}${facts.detail === undefined ? '' : ` (${facts.detail})`}, so its Disruptable condition is not to be trusted`,
    unblock: 'see that the holdfast agent of that node runs and reaches the API server',
  }),
  ProbeUnconfirmed: (facts) => ({
    message: `the agent ${facts.detail} has not confirmed yet that pod ${facts.pod} can be lost`,
    unblock: 'try again in a moment; if it stays, look at the log of that agent',
  }),
  ProbeInvalid: (facts) => ({
    message: `the disruption probe of pod ${facts.pod} cannot be read: ${facts.detail}`,
    unblock: 'correct the probe; until then the pod counts as never disruptable',
  }),
  GroupNotResolved: (facts) => ({
    message: `${facts.budget} counts groups, and the group of pod ${facts.pod} cannot be resolved: ${facts.detail}`,
    unblock: 'give the pod its group, or set holdfast.dev/budget-scope: Pod on the budget',
  }),
  BudgetInvalid: (facts) => ({
    message: `${facts.budget} cannot be read: ${facts.detail}`,
    unblock: 'correct or delete the budget',
  }),
  BudgetNotObserved: (facts) => ({
    message: `${facts.budget} was changed and is still being processed: ${facts.detail}`,
    unblock: 'try again in a moment; if it stays, look whether an operator replica leads',
  }),
  NotCountedYet: (facts) => ({
    message: `Kubernetes' own count for ${facts.budget} does not let pod ${facts.pod} go: ${facts.detail}`,
    unblock: 'try again in a moment; if it stays, look whether the disruption controller of the cluster runs',
  }),
  ExpectedUnknown: (facts) => ({
    message: `${facts.budget} needs to know how many ${units(facts)} there should be, and does not: ${facts.detail}`,
    unblock: 'use an integer minAvailable, or an owner with a scale subresource',
  }),
  OwnerNotResolved: (facts) => ({
    message: `it is not known yet whether ${facts.budget} covers pod ${facts.pod}: ${facts.detail}`,
    unblock: 'try again in a moment; if it stays, look whether the operator may read that owner',
  }),
  NotSynced: (facts) => ({
    message: `the view of the cluster is not complete yet: ${facts.detail}`,
    unblock: 'try again in a moment',
  }),
  LedgerUnknown: (facts) => ({
    message: `the ledger of reservations for pod ${facts.pod} is not known${facts.detail === undefined ? '' : `: ${facts.detail}`}`,
    unblock: 'try again in a moment; if it stays, look at the DisruptionLedger of the namespace',
  }),
  LedgerBusy: (facts) => ({
    message: `nothing could be reserved for pod ${facts.pod}: ${facts.detail}`,
    unblock:
      'try again in a moment; if it stays, look whether the operator may write the DisruptionLedger of the namespace',
  }),
  CacheStale: (facts) => ({
    message: `this replica's view of the pods is older than the ledger: ${facts.detail}`,
    unblock: 'try again in a moment',
  }),
  LedgerFull: (facts) => ({
    message: `the ledger holds ${facts.detail} reservations, and no more fit`,
    unblock: 'wait until disruptions under way have happened',
  }),
  PodUnknown: (facts) => ({
    message: `pod ${facts.pod} is not in the view of the cluster${facts.detail === undefined ? '' : `: ${facts.detail}`}`,
    unblock: 'try again in a moment',
  }),
  EvictionNotPinned: (facts) => ({
    message: `the eviction names pod ${facts.pod} and no uid, so it could delete another pod that gets that name`,
    unblock:
      'try again; if it stays, look whether MutatingWebhookConfiguration holdfast has the webhook pin.holdfast.dev, which adds the uid, or set deleteOptions.preconditions.uid',
  }),
  TooManyBudgets: (facts) => ({
    message: `${facts.budget === undefined ? `pod ${facts.pod}` : facts.budget} cannot be judged: ${facts.detail}`,
    unblock: 'delete budgets that cover the same pods',
  }),
  SeveralPlainBudgets: (facts) => ({
    message: `pod ${facts.pod} has ${facts.detail} plain PodDisruptionBudgets, and the eviction API answers 500 to more than one`,
    unblock: 'leave one of them, or let holdfast judge them (budget-scope PodGroup, or a disruption probe)',
  }),
};

function whyWithheld(by: Withholder | undefined): string {
  switch (by?.probe) {
    case 'invalid':
      return `the disruption probe of pod ${by.pod} cannot be read`;
    case 'stale':
      return `the agent on ${by.node ?? 'its node'} has not confirmed pod ${by.pod}`;
    default:
      return `pod ${by?.pod}'s disruption probe reports that it cannot be disrupted now`;
  }
}

function whenGiven(by: Withholder | undefined): string {
  switch (by?.probe) {
    case 'invalid':
      return `correct the disruption probe of ${by.pod}`;
    case 'stale':
      return `check that the holdfast agent on ${by.node ?? 'its node'} runs and reaches the API server`;
    default:
      return `wait until the Disruptable condition of ${by?.pod} is True`;
  }
}

/** Where a budget states how many pods make a group serve. */
function minimumOf(facts: RefusalFacts): string {
  return facts.budget?.startsWith('PodDisruptionBudget') === true
    ? 'holdfast.dev/group-min-available'
    : 'minReadyReplicas';
}

/** How many units are missing to what the budget needs. */
function missing(facts: RefusalFacts): number {
  return Math.max(0, (facts.desired ?? 0) - (facts.available ?? 0));
}

function more(facts: RefusalFacts, count: number): string {
  return `${count} more ${units(facts, count)}`;
}

export function describeRefusal(code: RefusalCode, facts: RefusalFacts): RefusalText {
  return descriptions[code](facts);
}
