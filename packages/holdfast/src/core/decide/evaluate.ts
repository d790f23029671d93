import { formatFieldErrors } from '@holdfast/base/field-errors';
import type { RefusalCode } from '../../api/refusals/reasons.ts';
import type { Remedy } from '../../api/refusals/refusal-outlook.ts';
import { counted, agree as verb } from '../../api/wording.ts';
import { bit } from '../health.ts';
import type { Blocker, BudgetRef, Charge } from '../verdict.ts';
import { maxBudgetsPerPod } from '../world/crowding.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import { type Case, groupCase, plainCase, podCase, pubCase, withholderOf } from './case.ts';
import type { Judge } from './judges.ts';
import { blocker } from './refusal.ts';

/** What one budget says: a charge it agrees to, or what blocks. */
export type Opinion = Agreement | { readonly agrees: false; readonly blocker: Blocker };

interface Agreement {
  readonly agrees: true;
  readonly charge: Charge;
  /** A plain PDB: the built-in check would take this eviction from the budget's own counter. */
  readonly counts?: true;
}

/** What one budget says to the loss of one pod. All budgets together are `decide`. */
export function evaluate(judge: Judge, pod: PodRecord): Opinion {
  const { ref, uncounted } = 'pdb' in judge ? judge.pdb : judge.pub;
  if (uncounted > 0) {
    const detail = `${uncounted} of its pods ${verb(uncounted, 'is', 'are')} under more than ${maxBudgetsPerPod} budgets`;
    return refuse('TooManyBudgets', ref, pod, detail);
  }
  switch (judge.kind) {
    case 'pdbInvalid':
      return refuse('BudgetInvalid', judge.pdb.ref, pod, formatFieldErrors(judge.pdb.errors));
    case 'pdbUnresolved':
      return refuse('GroupNotResolved', judge.pdb.ref, pod, whyUnresolved(judge.pdb, pod));
    case 'pdbGroup':
      return byRule(groupCase(judge.pdb, judge.group, pod));
    case 'pdbPod':
      return byRule(podCase(judge.pdb, pod));
    case 'pdbPlain':
      return byBuiltinRule(judge.pdb, pod, judge.entangled === true);
    case 'pubPossible':
      return refuse('OwnerNotResolved', judge.pub.ref, pod, 'the operator has not looked up an owner of the pod yet');
    case 'pub':
      return byPub(judge.pub, pod);
  }
}

/** The one rule (N4). The desired number is asked for only where the answer depends on it. */
function byRule(facts: Case): Opinion {
  const { desired, loss } = facts;
  if (loss.kind === 'withheld') return withheld(facts, loss.by);
  if (loss.kind === 'surplus') return agree(facts, 'surplus');
  if (loss.kind === 'down' && facts.unhealthy === 'always') return agree(facts, 'down');
  if (!desired.known) return expectedUnknown(facts, desired);
  if (desired.count === 0) return agree(facts, loss.kind);
  if (loss.kind === 'breaks') {
    if (facts.available - 1 >= desired.count) return agree(facts, 'breaks');
    return exhausted(loss.doubt?.code ?? 'BudgetExhausted', facts, desired.count, loss.doubt?.detail);
  }
  const met = facts.unhealthy === 'ifHealthyBudget' && facts.available >= desired.count;
  return met ? agree(facts, 'down') : exhausted('UnhealthyRefused', facts, desired.count);
}

/** Kubernetes' own rule for a PDB that counts pods, to the letter (P3). */
function byBuiltinRule(pdb: PdbState, pod: PodRecord, entangled: boolean): Opinion {
  const facts = plainCase(pdb, pod);
  const { desired, expected } = facts;
  const effect = pod.has(bit.ready) ? 'breaks' : 'down';
  if (effect === 'down' && facts.unhealthy === 'always') return agree(facts, effect);
  if (!desired.known) return expectedUnknown(facts, desired);
  if (effect === 'down' && facts.unhealthy === 'ifHealthyBudget') {
    if (desired.count > 0 && facts.available >= desired.count) return agree(facts, effect);
  }
  const allowed = expected.known && expected.count > 0 ? facts.available - desired.count : 0;
  if (allowed > 0) return entangled ? byCounter(pdb, facts, effect) : agree(facts, effect);
  return exhausted(effect === 'down' ? 'UnhealthyRefused' : 'BudgetExhausted', facts, desired.count);
}

/**
 * What the API server's own check would say after us: it reads the number that the disruption controller stored, which follows
 * the pods a moment later. Refused here, the pod reserves nothing; refused there, it would hold a place in other budgets.
 */
function byCounter(pdb: PdbState, facts: Case, effect: Charge['effect']): Opinion {
  const { counter } = pdb;
  if (counter === undefined || pdb.disrupted.has(facts.pod.name)) return { ...agree(facts, effect), counts: true };
  const { generation, observedGeneration, allowed } = counter;
  if (observedGeneration < generation) {
    return refuse(
      'NotCountedYet',
      pdb.ref,
      facts.pod,
      `it is at generation ${generation}, and ${observedGeneration} was counted`,
    );
  }
  return allowed > 0
    ? { ...agree(facts, effect), counts: true }
    : refuse('NotCountedYet', pdb.ref, facts.pod, `its status allows ${counted(allowed, 'disruption')}`);
}

function byPub(pub: PubState, pod: PodRecord): Opinion {
  if (pub.rules === undefined) return refuse('BudgetInvalid', pub.ref, pod, formatFieldErrors(pub.errors));
  if (pub.observedGeneration < pub.generation) {
    const detail = `it is at generation ${pub.generation}, and ${pub.observedGeneration} was processed`;
    return refuse('BudgetNotObserved', pub.ref, pod, detail);
  }
  return byRule(pubCase(pub, pod));
}

function agree(facts: Case, effect: Charge['effect']): Agreement {
  const { expected } = facts;
  return {
    agrees: true,
    charge: {
      budget: facts.ref,
      unit: facts.unit,
      unitKind: facts.unitKind,
      effect,
      available: facts.available,
      ...(facts.desired.known ? { desired: facts.desired.count } : {}),
      ...(expected.known ? { expected: expected.count, source: expected.source } : {}),
    },
  };
}

function exhausted(code: RefusalCode, facts: Case, desired: number, detail?: string): Opinion {
  return {
    agrees: false,
    blocker: blocker(code, {
      ...numbersOf(facts),
      desired,
      remedy: facts.remedy(desired),
      ...(detail === undefined ? {} : { detail }),
    }),
  };
}

/** The numbers of the budget do not matter now (H5); whether they would refuse next does. */
function withheld(facts: Case, by: readonly PodRecord[]): Opinion {
  const { desired } = facts;
  const withheldBy = by.map(withholderOf);
  return {
    agrees: false,
    blocker: blocker('UnitWithheld', {
      ...numbersOf(facts),
      ...(desired.known ? { desired: desired.count, ...nextRemedy(facts, desired.count) } : {}),
      withheldBy,
    }),
  };
}

/** Set only where waiting for the probe is not enough. */
function nextRemedy(facts: Case, desired: number): { readonly remedy?: Remedy } {
  if (desired === 0) return {};
  const remedy = facts.remedy(desired);
  return remedy.kind === 'change' ? { remedy } : {};
}

function numbersOf({ ref, pod, unit, unitKind, available, expected, reserved, loss }: Case) {
  const counted = expected.known ? { expected: expected.count, source: expected.source } : {};
  // A unit whose disruption is in doubt is reserved, and counted as available for this one question (N6).
  const isInDoubt = loss.kind === 'breaks' && loss.doubt?.code === 'DisruptionUnproven';
  const underWay = reserved() - Number(isInDoubt);
  return { budget: ref, pod, unit, unitKind, available, ...counted, ...(underWay > 0 ? { reserved: underWay } : {}) };
}

function expectedUnknown(
  { ref, pod, unitKind }: Case,
  { why, pending }: { readonly why: string; readonly pending?: true },
): Opinion {
  const isPending = pending === undefined ? {} : { pending };
  return {
    agrees: false,
    blocker: blocker('ExpectedUnknown', { budget: ref, pod, unitKind, detail: why, ...isPending }),
  };
}

function refuse(code: RefusalCode, budget: BudgetRef, pod: PodRecord, detail: string): Opinion {
  return { agrees: false, blocker: blocker(code, { budget, pod, detail }) };
}

function whyUnresolved(pdb: PdbState, pod: PodRecord): string {
  const key = pdb.groupLabel;
  if (key !== undefined) return `the pod has no label ${key}`;
  const group = pod.groups.find((one) => one.native);
  if (group === undefined) return 'no convention that Holdfast knows names one';
  return 'what' in group.description ? group.description.what : 'no object describes its group';
}
