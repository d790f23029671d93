import { agree, counted, plural } from '../wording.ts';
import type { RefusalCode, RefusalFacts, Withholder } from './reasons.ts';
import type { Remedy } from './refusal-outlook.ts';

/**
 * Every refusal in words (I12): a sentence with the numbers, and one that says what helps. People read them once, in a terminal,
 * while a drain stands still: so each names who refuses, what is missing, and whether waiting helps (I15).
 */
export interface RefusalText {
  readonly message: string;
  readonly unblock: string;
}

type Describe = (facts: RefusalFacts) => RefusalText;

const again = 'retry in a second';
const useless = 'waiting does not help';

const descriptions: Record<RefusalCode, Describe> = {
  BudgetExhausted: (facts) => ({
    message: neverAllows(facts) ?? `${numbers(facts)}; ${consequence(facts)}`,
    // One more than it needs, so that one can break.
    unblock: changeToMake(facts) ?? `${untilMore(facts, missing(facts) + 1)}, or lower the budget`,
  }),
  UnhealthyRefused: (facts) => ({
    message: `${neverAllows(facts) ?? numbers(facts)}; ${unit(facts)} is already down, and may be disrupted only while the budget is met`,
    unblock: `${changeToMake(facts) ?? untilMore(facts, Math.max(1, missing(facts)))}, or set unhealthyPodEvictionPolicy: AlwaysAllow`,
  }),
  DisruptionUnproven: (facts) => ({
    message: `${numbers(facts)}; it is not known yet whether ${facts.detail} will be deleted, and if it stays, disrupting ${facts.pod} takes ${unit(facts)} down`,
    unblock: `retry in a minute: by then the operator has seen whether ${facts.detail} is deleted`,
  }),
  UnitWithheld: ({ withheldBy = [], ...facts }) => {
    const [first, ...others] = withheldBy;
    const rest = others.length === 0 ? '' : ` (and ${counted(others.length, 'more pod')})`;
    return {
      message: `${unit(facts)} of ${facts.budget} must not be disrupted now: ${whyWithheld(first)}${rest}`,
      unblock: `${whenGiven(first)}${afterwards(facts)}`,
    };
  },
  GroupSizeUnknown: (facts) => ({
    message: `${numbers(facts)}; no group has as many pods as ${minimumOf(facts)} asks for, and the full size of ${unit(facts)} is not known (${facts.detail})`,
    unblock: `wait until its workload has created all of its pods, or lower ${minimumOf(facts)}`,
  }),
  ProbeVeto: (facts) =>
    facts.detail === undefined
      ? {
          message: `the disruption probe of pod ${facts.pod} reports that it cannot be disrupted now`,
          unblock: 'wait until its Disruptable condition is True',
        }
      : {
          message: `the disruption probe of pod ${facts.pod} has no result yet: the agent ${facts.detail} has not probed it, or not often enough`,
          unblock: `wait until its Disruptable condition is True; if it has none for minutes, check that the holdfast agent ${facts.detail} is running`,
        },
  ProbeStale: (facts) => ({
    message:
      facts.detail === undefined
        ? `pod ${facts.pod} has no node, so no agent confirms its Disruptable condition`
        : `the agent on ${facts.detail} does not renew its lease, so the Disruptable condition of pod ${facts.pod} is not trusted`,
    unblock: checkAgent(facts.detail),
  }),
  ProbeUnconfirmed: (facts) => ({
    message: `the agent on ${facts.detail} has not confirmed yet that pod ${facts.pod} can be disrupted`,
    unblock: `${again}; if this stays, read the log of that agent`,
  }),
  ProbeInvalid: (facts) => ({
    message: `the disruption probe of pod ${facts.pod} is not valid, so the pod counts as not disruptable`,
    unblock: `correct the pod's annotation holdfast.dev/disruption-probe, or the container that it names; ${useless}`,
  }),
  GroupNotResolved: (facts) => ({
    message: `${facts.budget} counts groups, and the group of pod ${facts.pod} is not known: ${facts.detail}`,
    unblock: `give the pod its group, or set holdfast.dev/budget-scope: Pod on the budget; ${useless}`,
  }),
  BudgetInvalid: (facts) => ({
    message: `${facts.budget} refuses every pod that it may cover, because it is not valid: ${facts.detail}`,
    unblock: `correct or delete the budget; ${useless}`,
  }),
  BudgetNotObserved: (facts) => ({
    message: `${facts.budget} was changed, and the operator has not processed the change yet: ${facts.detail}`,
    unblock: `${again}; if this stays, check that an operator replica is the leader`,
  }),
  NotCountedYet: (facts) => ({
    message: `Kubernetes' own count for ${facts.budget} does not allow it for pod ${facts.pod} yet: ${facts.detail}`,
    unblock: `${again}; if this stays, check that the disruption controller of kube-controller-manager is running`,
  }),
  ExpectedUnknown: (facts) => ({
    message: `${facts.budget} depends on how many ${plural(2, kind(facts))} there should be, and that is not known: ${facts.detail}`,
    unblock:
      facts.pending === true
        ? `${again}; if this stays, check that the operator may read that owner`
        : `use an integer minAvailable, or a workload with a scale subresource; ${useless}`,
  }),
  OwnerNotResolved: (facts) => ({
    message: `it is not known yet whether ${facts.budget} covers pod ${facts.pod}: ${facts.detail}`,
    unblock: `${again}; if this stays, check that the operator may read that owner`,
  }),
  NotSynced: (facts) => ({
    message: `the operator does not have a current view of the cluster: ${facts.detail}`,
    unblock: again,
  }),
  LedgerUnknown: (facts) => ({
    message: `the operator could not read the ledger in which it reserves the disruption of pod ${facts.pod}${because(facts)}`,
    unblock: `${again}; if this stays, check the DisruptionLedger of the namespace`,
  }),
  LedgerBusy: (facts) => ({
    message: `the operator could not reserve the disruption of pod ${facts.pod}${because(facts)}`,
    unblock: `${again}; if this stays, check that the operator may write the DisruptionLedger of the namespace`,
  }),
  CacheStale: (facts) => ({
    message: `this operator replica has an older view of the pods than the ledger: ${facts.detail}`,
    unblock: again,
  }),
  LedgerFull: (facts) => ({
    message: `the ledger of the namespace holds ${facts.detail} reservations, and no more fit`,
    unblock: 'wait until the disruptions under way have happened',
  }),
  PodUnknown: (facts) => ({
    message:
      facts.detail === undefined
        ? `the operator does not see pod ${facts.pod} yet`
        : `the operator cannot decide about pod ${facts.pod}: ${facts.detail}`,
    unblock: again,
  }),
  EvictionNotPinned: (facts) => ({
    message: `the eviction names pod ${facts.pod} and no uid, so it could delete a newer pod of that name`,
    unblock: `${again}; if this stays, check that MutatingWebhookConfiguration holdfast has the webhook pin.holdfast.dev, which adds the uid, or set deleteOptions.preconditions.uid`,
  }),
  TooManyBudgets: (facts) => ({
    message: `${facts.budget ?? `pod ${facts.pod}`} cannot be evaluated: ${facts.detail}`,
    unblock: `delete budgets that cover the same pods; ${useless}`,
  }),
  SeveralPlainBudgets: (facts) => ({
    message: `pod ${facts.pod} has ${facts.detail} plain PodDisruptionBudgets, and the eviction API answers 500 to more than one`,
    unblock: `keep one of them, or let Holdfast judge them (budget-scope PodGroup, or a disruption probe); ${useless}`,
  }),
};

function kind({ unitKind = 'pod' }: RefusalFacts): string {
  return unitKind;
}

function unit(facts: RefusalFacts): string {
  return `${kind(facts)} ${facts.unit}`;
}

/** What the budget needs and has: `PDB llm needs 3 available groups and has 3 of 5`. */
function numbers(facts: RefusalFacts): string {
  const of = facts.expected === undefined ? '' : ` of ${facts.expected}`;
  return `${facts.budget} needs ${counted(facts.desired ?? 0, `available ${kind(facts)}`)} and has ${facts.available}${of}${reserved(facts)}`;
}

/** Why the budget has fewer than a person counts. */
function reserved({ reserved: count = 0 }: RefusalFacts): string {
  if (count === 0) return '';
  return ` (${count} more ${agree(count, 'is reserved for a disruption', 'are reserved for disruptions')} under way)`;
}

function consequence(facts: RefusalFacts): string {
  const left = Math.max(0, (facts.available ?? 0) - 1);
  if (facts.unitKind !== 'group') return `disrupting ${facts.pod} leaves ${left}`;
  return `disrupting ${facts.pod} takes ${unit(facts)} down and leaves ${left}`;
}

/** The budget needs all that it can have; undefined where waiting helps. */
function neverAllows(facts: RefusalFacts): string | undefined {
  const { remedy, budget, available } = facts;
  if (remedy?.kind !== 'change') return undefined;
  if ('nothingExpected' in remedy) {
    return `Kubernetes allows no eviction under ${budget}, because it expects no pods there: they have no controller, or it is scaled to 0 (${available} available now); ${useless}`;
  }
  const unless = remedy.stated || remedy.add === undefined ? '' : ` unless another ${kind(facts)} is created`;
  return `${budget} ${allOf(facts, remedy)} (${available} available now${reservedToo(facts)}), so ${useless}${unless}`;
}

function allOf(facts: RefusalFacts, { most, stated }: Extract<Remedy, { most: number }>): string {
  const { desired = 0 } = facts;
  const noun = plural(most, kind(facts));
  const exists = stated ? '' : ` that ${agree(most, 'exists', 'exist')}`;
  if (desired > most) return `requires ${counted(desired, `available ${kind(facts)}`)} and can have at most ${most}`;
  if (most === 1) return stated ? `requires its only ${noun}` : `requires the only ${noun}${exists}`;
  return `requires all ${most} of ${stated ? 'its' : 'the'} ${most} ${noun}${exists}`;
}

function reservedToo({ reserved: count = 0 }: RefusalFacts): string {
  return count === 0 ? '' : `, ${count} more reserved for ${agree(count, 'a disruption', 'disruptions')} under way`;
}

/** What to change where waiting does not help; undefined where it does. */
export function changeToMake({ remedy, ...facts }: Pick<RefusalFacts, 'remedy' | 'unitKind'>): string | undefined {
  if (remedy?.kind !== 'change') return undefined;
  if ('nothingExpected' in remedy) return 'use an integer minAvailable';
  const { scale, add, field } = remedy;
  const lower = field === 'maxUnavailable' ? 'raise maxUnavailable' : 'lower minAvailable';
  if (scale !== undefined) return `scale ${scale.owner} to ${scale.to}, or ${lower}`;
  return add === undefined ? lower : `add ${counted(add, facts.unitKind ?? 'pod')}, or ${lower}`;
}

/** A probe that gives in does not help where the budget refuses next. */
function afterwards(facts: RefusalFacts): string {
  const change = changeToMake(facts);
  return change === undefined ? '' : `, and ${change}: the budget needs every ${kind(facts)}`;
}

function untilMore(facts: RefusalFacts, count: number): string {
  if (facts.remedy?.kind === 'wait' && facts.remedy.within === true) {
    return `wait until another pod of ${unit(facts)} is available`;
  }
  return `wait until ${counted(count, `more ${kind(facts)}`)} ${agree(count, 'is', 'are')} available`;
}

/** How many units are missing to what the budget needs. */
function missing(facts: RefusalFacts): number {
  return Math.max(0, (facts.desired ?? 0) - (facts.available ?? 0));
}

function because({ detail }: RefusalFacts): string {
  return detail === undefined ? '' : `: ${detail}`;
}

function checkAgent(node: string | undefined): string {
  return node === undefined
    ? 'wait until the pod is scheduled'
    : `check that the holdfast agent on ${node} is running and reaches the API server`;
}

function whyWithheld(by: Withholder | undefined): string {
  switch (by?.probe) {
    case 'invalid':
      return `the disruption probe of pod ${by.pod} is not valid`;
    case 'pending':
      return `the disruption probe of pod ${by.pod} has no result yet (agent on ${by.node ?? 'its node'})`;
    case 'stale':
      return `the agent on ${by.node ?? 'its node'} does not renew its lease, so that the condition of pod ${by.pod} is not trusted`;
    case 'unconfirmed':
      return `the agent on ${by.node ?? 'its node'} has not confirmed pod ${by.pod} yet`;
    default:
      return `the disruption probe of pod ${by?.pod} reports that it cannot be disrupted now`;
  }
}

function whenGiven(by: Withholder | undefined): string {
  switch (by?.probe) {
    case 'invalid':
      return `correct the disruption probe of pod ${by.pod} (${useless})`;
    case 'stale':
      return checkAgent(by.node ?? 'its node');
    case 'unconfirmed':
      return `${again}; if this stays, read the log of that agent`;
    default:
      return `wait until the Disruptable condition of pod ${by?.pod} is True`;
  }
}

/** Where a budget states how many pods make a group serve. */
function minimumOf(facts: RefusalFacts): string {
  return facts.budget?.startsWith('PDB ') === true ? 'holdfast.dev/group-min-available' : 'minReadyReplicas';
}

export function describeRefusal(code: RefusalCode, facts: RefusalFacts): RefusalText {
  return descriptions[code](facts);
}
