import { formatFieldErrors } from '../../api/field-errors.ts';
import type { RefusalCode } from '../../api/reasons.ts';
import type { Desired, Expected } from '../budget/desired.ts';
import type { UnhealthyRule } from '../budget/rules.ts';
import { bit } from '../health.ts';
import type { Blocker, BudgetRef, Charge } from '../verdict.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub-state.ts';
import { blocker } from './blocker.ts';
import type { Judge } from './judges.ts';

/** What one budget says: a charge it agrees to, or what blocks. */
export type Opinion =
  | {
      readonly agrees: true;
      readonly charge: Charge;
      /** A plain PDB: the built-in check would take this eviction from the budget's own counter. */
      readonly counts?: boolean;
    }
  | { readonly agrees: false; readonly blocker: Blocker };

/** A unit with and without the target pod, and the numbers around it. */
interface Case {
  readonly ref: BudgetRef;
  readonly pod: PodRecord;
  readonly unit: string;
  readonly unitKind: 'pod' | 'group';
  readonly effect: Charge['effect'];
  readonly available: number;
  readonly desired: Desired;
  readonly expected: Expected;
  readonly unhealthy: UnhealthyRule;
  /** The unit may serve or not, depending on whether those of these pods go that are reserved on a condition (N6). */
  readonly inDoubt?: Iterable<PodRecord>;
}

/** What a unit has. */
interface Strength {
  readonly pods: Iterable<PodRecord>;
  readonly healthy: number;
  readonly unproven: number;
  readonly minimum: number;
}

export function opinionOf(judge: Judge, pod: PodRecord): Opinion {
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
  if (facts.effect === 'surplus') return agree(facts);
  if (facts.effect === 'down' && facts.unhealthy === 'always') return agree(facts);
  const { desired } = facts;
  if (!desired.known) return refuse('ExpectedUnknown', facts.ref, facts.pod, desired.why, facts.unitKind);
  if (desired.count === 0) return agree(facts);
  if (facts.effect === 'breaks') {
    return facts.available - 1 >= desired.count ? agree(facts) : exhausted(whyBreaking(facts), facts, desired.count);
  }
  const met = facts.unhealthy === 'ifHealthyBudget' && facts.available >= desired.count;
  return met ? agree(facts) : exhausted('UnhealthyRefused', facts, desired.count);
}

/** Kubernetes' own rule for a PDB that counts pods, to the letter (P3). */
function byBuiltinRule(pdb: PdbState, pod: PodRecord, entangled: boolean): Opinion {
  const facts = plainCase(pdb, pod);
  const { desired, expected } = facts;
  if (facts.effect === 'down' && facts.unhealthy === 'always') return agree(facts);
  if (!desired.known) return refuse('ExpectedUnknown', facts.ref, pod, desired.why, 'pod');
  if (facts.effect === 'down' && facts.unhealthy === 'ifHealthyBudget') {
    if (desired.count > 0 && facts.available >= desired.count) return agree(facts);
  }
  const allowed = expected.known && expected.count > 0 ? facts.available - desired.count : 0;
  if (allowed > 0) return entangled ? byCounter(pdb, facts) : agree(facts);
  return exhausted(facts.effect === 'down' ? 'UnhealthyRefused' : 'BudgetExhausted', facts, desired.count);
}

/**
 * What the API server's own check would say after us: it reads the number that the disruption controller stored, which follows
 * the pods a moment later. Refused here, the pod reserves nothing; refused there, it would hold a place in other budgets.
 */
function byCounter(pdb: PdbState, facts: Case): Opinion {
  const { counter } = pdb;
  if (counter === undefined || pdb.disrupted.has(facts.pod.name)) return agree(facts, true);
  const { generation, observedGeneration, allowed } = counter;
  if (observedGeneration < generation) {
    return refuse('NotCountedYet', pdb.ref, facts.pod, `generation ${generation}, counted ${observedGeneration}`);
  }
  return allowed > 0
    ? agree(facts, true)
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
  const { pods, healthy, unproven } = group;
  const strength = { pods, healthy, unproven, minimum: pdb.minimumOf(group) };
  return {
    ref: pdb.ref,
    pod,
    unit: group.display,
    unitKind: 'group',
    ...lossOf(strength, pod.counted && pod.healthy, pdb.availableGroups),
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
    effect: pod.counted && pod.healthy ? 'breaks' : 'down',
    available: pdb.healthyPods,
    desired: pdb.desired(),
    expected: pdb.expected(),
    unhealthy: pdb.rules?.unhealthy ?? 'never',
  };
}

function plainCase(pdb: PdbState, pod: PodRecord): Case {
  return {
    ...podCase(pdb, pod),
    effect: pod.has(bit.ready) ? 'breaks' : 'down',
    available: pdb.plainAvailable(pod),
    desired: pdb.plainDesired(),
    expected: pdb.plainExpected(),
  };
}

function pubCase(pub: PubState, pod: PodRecord): Case {
  const unit = pub.unitOf(pod);
  const serves = pod.counted && pod.healthyForPub;
  const strength = unit === undefined ? alone(pod, serves) : { ...unit, minimum: pub.minimum };
  return {
    ref: pub.ref,
    pod,
    unit: unit?.display ?? pod.name,
    unitKind: unit === undefined ? 'pod' : 'group',
    ...lossOf(strength, serves, pub.available),
    desired: pub.desired(),
    expected: pub.expected(),
    unhealthy: 'always',
  };
}

function alone(pod: PodRecord, serves: boolean): Strength {
  return { pods: [pod], healthy: Number(serves), unproven: 0, minimum: 1 };
}

/**
 * What a unit loses with a pod. Pods that are reserved on a condition may go or stay: those that go make no unit serve, so they
 * are left out of its strength; those that stay make it serve, so without them it is not known to be down. A unit that is in doubt
 * is not among the available ones, and is charged for as if it were (N6). A pod that does not serve breaks it in neither case.
 */
function lossOf(unit: Strength, serves: boolean, available: number): Pick<Case, 'effect' | 'available' | 'inDoubt'> {
  const { healthy, unproven, minimum } = unit;
  if (healthy - Number(serves) >= minimum) return { effect: 'surplus', available };
  if (healthy >= minimum) return { effect: 'breaks', available };
  if (!serves || healthy + unproven < minimum) return { effect: 'down', available };
  return { effect: 'breaks', available: available + 1, inDoubt: unit.pods };
}

function whyBreaking({ inDoubt }: Case): RefusalCode {
  return inDoubt === undefined ? 'BudgetExhausted' : 'DisruptionUnproven';
}

function agree(facts: Case, counts = false): Opinion {
  const { expected } = facts;
  return {
    agrees: true,
    ...(counts ? { counts } : {}),
    charge: {
      budget: facts.ref,
      unit: facts.unit,
      unitKind: facts.unitKind,
      effect: facts.effect,
      available: facts.available,
      ...(facts.desired.known ? { desired: facts.desired.count } : {}),
      ...(expected.known ? { expected: expected.count, source: expected.source } : {}),
    },
  };
}

function exhausted(code: RefusalCode, facts: Case, desired: number): Opinion {
  const { ref, pod, unit, unitKind, available, expected, inDoubt } = facts;
  const counted = expected.known ? { expected: expected.count, source: expected.source } : {};
  const detail = inDoubt === undefined ? {} : { detail: unprovenAmong(inDoubt) };
  return {
    agrees: false,
    blocker: blocker(code, { budget: ref, pod, unit, unitKind, available, desired, ...counted, ...detail }),
  };
}

/** One name is enough to look further. */
function unprovenAmong(pods: Iterable<PodRecord>): string {
  const [first = '', ...others] = [...pods].filter((one) => one.unproven).map((one) => one.name);
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
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
