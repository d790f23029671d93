import { formatFieldErrors } from '../../api/field-errors.ts';
import type { RefusalCode } from '../../api/reasons.ts';
import type { Desired, Expected } from '../budget/desired.ts';
import type { UnhealthyRule } from '../budget/rules.ts';
import { bit } from '../health.ts';
import type { Blocker, BudgetRef, Charge } from '../verdict.ts';
import { maxBudgetsPerPod } from '../world/crowding.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub-state.ts';
import type { Judge } from './judges.ts';
import { availableFor, type Loss, lossOf, lossOfPod, withholderOf } from './loss.ts';
import { blocker } from './refusal.ts';

/** What one budget says: a charge it agrees to, or what blocks. */
export type Opinion = Agreement | { readonly agrees: false; readonly blocker: Blocker };

interface Agreement {
  readonly agrees: true;
  readonly charge: Charge;
  /** A plain PDB: the built-in check would take this eviction from the budget's own counter. */
  readonly counts?: true;
}

/** A unit with and without the target pod, and the numbers around it. */
interface Case {
  readonly ref: BudgetRef;
  readonly pod: PodRecord;
  readonly unit: string;
  readonly unitKind: 'pod' | 'group';
  readonly loss: Loss;
  readonly available: number;
  readonly desired: Desired;
  readonly expected: Expected;
  readonly unhealthy: UnhealthyRule;
}

export function opinionOf(judge: Judge, pod: PodRecord): Opinion {
  const { ref, uncounted } = 'pdb' in judge ? judge.pdb : judge.pub;
  if (uncounted > 0) {
    const detail = `${uncounted} of its pods are under more than ${maxBudgetsPerPod} budgets each`;
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
      return refuse('OwnerNotResolved', judge.pub.ref, pod, 'an owner of the pod was not looked up yet');
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
  if (!desired.known) return refuse('ExpectedUnknown', facts.ref, facts.pod, desired.why, facts.unitKind);
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
  if (!desired.known) return refuse('ExpectedUnknown', facts.ref, pod, desired.why, 'pod');
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
    return refuse('NotCountedYet', pdb.ref, facts.pod, `generation ${generation}, counted ${observedGeneration}`);
  }
  return allowed > 0
    ? { ...agree(facts, effect), counts: true }
    : refuse('NotCountedYet', pdb.ref, facts.pod, `its status allows ${allowed} disruptions`);
}

function byPub(pub: PubState, pod: PodRecord): Opinion {
  if (pub.rules === undefined) return refuse('BudgetInvalid', pub.ref, pod, formatFieldErrors(pub.errors));
  if (pub.observedGeneration < pub.generation) {
    const detail = `generation ${pub.generation}, observed ${pub.observedGeneration}`;
    return refuse('BudgetNotObserved', pub.ref, pod, detail);
  }
  return byRule(pubCase(pub, pod));
}

function groupCase(pdb: PdbState, group: NonNullable<ReturnType<PdbState['groupOf']>>, pod: PodRecord): Case {
  const loss = lossOf(group, pdb.boundsOf(group), {
    healthy: pod.counted && pod.healthy,
    counts: (one) => one.counted || one.unproven,
  });
  return {
    ref: pdb.ref,
    pod,
    unit: group.display,
    unitKind: 'group',
    loss,
    available: availableFor(loss, pdb.available),
    desired: pdb.desired(),
    expected: pdb.expected(),
    unhealthy: pdb.rules?.unhealthy ?? 'never',
  };
}

function podCase(pdb: PdbState, pod: PodRecord): Case {
  return {
    ref: pdb.ref,
    pod,
    unit: pod.name,
    unitKind: 'pod',
    loss: lossOfPod(pod.counted && pod.healthy),
    available: pdb.healthyPods,
    desired: pdb.desired(),
    expected: pdb.expected(),
    unhealthy: pdb.rules?.unhealthy ?? 'never',
  };
}

function plainCase(pdb: PdbState, pod: PodRecord): Case {
  return {
    ...podCase(pdb, pod),
    available: pdb.plainAvailable(pod),
    desired: pdb.plainDesired(),
    expected: pdb.plainExpected(),
  };
}

function pubCase(pub: PubState, pod: PodRecord): Case {
  const unit = pub.unitOf(pod);
  const healthy = pub.counts(pod) && pod.healthyForPub;
  const counts = (one: PodRecord): boolean => pub.counts(one) || pub.mayCount(one);
  const loss = unit === undefined ? lossOfPod(healthy) : lossOf(unit, pub.boundsOf(unit), { healthy, counts });
  return {
    ref: pub.ref,
    pod,
    unit: unit?.display ?? pod.name,
    unitKind: unit === undefined ? 'pod' : 'group',
    loss,
    available: availableFor(loss, pub.available),
    desired: pub.desired(),
    expected: pub.expected(),
    unhealthy: 'always',
  };
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
    blocker: blocker(code, { ...numbersOf(facts), desired, ...(detail === undefined ? {} : { detail }) }),
  };
}

/** The numbers of the budget are told, too, although none of them would help (H5). */
function withheld(facts: Case, by: readonly PodRecord[]): Opinion {
  const { desired } = facts;
  const withheldBy = by.map(withholderOf);
  return {
    agrees: false,
    blocker: blocker('UnitWithheld', {
      ...numbersOf(facts),
      ...(desired.known ? { desired: desired.count } : {}),
      withheldBy,
    }),
  };
}

function numbersOf({ ref, pod, unit, unitKind, available, expected }: Case) {
  const counted = expected.known ? { expected: expected.count, source: expected.source } : {};
  return { budget: ref, pod, unit, unitKind, available, ...counted };
}

function refuse(
  code: RefusalCode,
  budget: BudgetRef,
  pod: PodRecord,
  detail: string,
  unitKind?: 'pod' | 'group',
): Opinion {
  return {
    agrees: false,
    blocker: blocker(code, { budget, pod, detail, ...(unitKind === undefined ? {} : { unitKind }) }),
  };
}

function whyUnresolved(pdb: PdbState, pod: PodRecord): string {
  const key = pdb.groupLabel;
  if (key !== undefined) return `the pod has no label ${key}`;
  const group = pod.groups.find((one) => one.native);
  if (group === undefined) return 'it follows none of the known conventions';
  return 'what' in group.description ? group.description.what : 'its group is not described';
}
