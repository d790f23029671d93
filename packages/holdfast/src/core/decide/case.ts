import type { RefusalCode, Withholder } from '../../api/refusals/reasons.ts';
import type { Remedy } from '../../api/refusals/refusal-outlook.ts';
import { agree } from '../../api/wording.ts';
import type { Desired, Expected } from '../budget/desired.ts';
import { remedyOf } from '../budget/remedy.ts';
import type { UnhealthyRule } from '../budget/rules.ts';
import type { Supply } from '../budget/supply.ts';
import { compareStrings } from '../compare.ts';
import { bit } from '../health.ts';
import type { BudgetRef } from '../verdict.ts';
import type { Bounds, GroupNode } from '../world/group-node.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PodRecord, Strength } from '../world/pod-record.ts';
import type { PubState } from '../world/pub/pub-state.ts';

/** A unit with and without the target pod, and the numbers of one budget around it. */
export interface Case {
  readonly ref: BudgetRef;
  readonly pod: PodRecord;
  readonly unit: string;
  readonly unitKind: 'pod' | 'group';
  readonly loss: UnitLoss;
  readonly available: number;
  readonly desired: Desired;
  readonly expected: Expected;
  readonly unhealthy: UnhealthyRule;
  /** Both are asked for only where the budget refuses. */
  readonly remedy: (desired: number) => Remedy;
  readonly reserved: () => number;
}

/** Whatever the budget has, with one more of its pods the unit keeps enough without the target (N4). */
function orWithin(remedy: Remedy, canSpare: () => boolean): Remedy {
  return remedy.kind === 'change' && canSpare() ? { kind: 'wait', within: true } : remedy;
}

export function groupCase(pdb: PdbState, group: GroupNode, pod: PodRecord): Case {
  const bounds = pdb.boundsOf(group);
  const loss = lossOf(group, bounds, {
    healthy: pod.counted && pod.healthy,
    counts: (one) => one.counted || one.unproven,
    serves: (one) => one.serves,
  });
  const canSpare = (): boolean => Math.max(group.able, group.fullSize) > bounds.enough;
  return {
    ...pdbCase(pdb, pod, () => pdb.supply()),
    unit: group.display,
    unitKind: 'group',
    loss,
    available: availableFor(loss, pdb.available),
    remedy: (desired) => orWithin(pdbRemedy(pdb, desired, pdb.supply()), canSpare),
  };
}

export function podCase(pdb: PdbState, pod: PodRecord): Case {
  return pdbCase(pdb, pod, () => pdb.podSupply('perPod'));
}

export function plainCase(pdb: PdbState, pod: PodRecord): Case {
  const expected = pdb.plainExpected();
  const isNothing = expected.known && expected.count === 0;
  const counted = pdbCase(pdb, pod, () => pdb.podSupply('plain'));
  return {
    ...counted,
    available: pdb.plainAvailable(pod),
    desired: pdb.plainDesired(),
    expected,
    remedy: (desired) => (isNothing ? { kind: 'change', nothingExpected: true } : counted.remedy(desired)),
    reserved: () => pdb.plainReserved(),
  };
}

function pdbCase(pdb: PdbState, pod: PodRecord, supply: () => Supply): Case {
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
    remedy: (desired) => pdbRemedy(pdb, desired, supply()),
    reserved: () => pdb.reserved(),
  };
}

function pdbRemedy({ rules }: PdbState, desired: number, supply: Supply): Remedy {
  return remedyOf({ limit: rules?.limit ?? {}, desired }, supply);
}

export function pubCase(pub: PubState, pod: PodRecord): Case {
  const unit = pub.unitOf(pod);
  const healthy = pub.counts(pod) && pub.healthy(pod);
  const counts = (one: PodRecord): boolean => pub.counts(one) || pub.mayCount(one);
  const loss =
    unit === undefined
      ? lossOfPod(healthy)
      : lossOf(unit, pub.boundsOf(unit), { healthy, counts, serves: (one) => pub.serves(one) });
  const canSpare = (): boolean => unit !== undefined && pub.largestSize(unit) > pub.boundsOf(unit).enough;
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
    remedy: (desired) => orWithin(pub.remedy(desired), canSpare),
    reserved: () => pub.reserved(),
  };
}

/** What a unit loses with a pod (N4). */
export type UnitLoss =
  | { readonly kind: 'surplus' }
  | { readonly kind: 'breaks'; readonly doubt?: Doubt }
  | { readonly kind: 'down' }
  /** It serves, and probes of these pods say that it must not be disrupted (H5). */
  | { readonly kind: 'withheld'; readonly by: readonly PodRecord[] };

/** Why it is not known whether the unit is available. It is charged for as if it were (N6, U2). */
interface Doubt {
  readonly code: RefusalCode;
  readonly detail: string;
}

interface Unit extends Strength {
  readonly pods: ReadonlySet<PodRecord>;
}

interface Target {
  /** It is counted and healthy itself. */
  readonly healthy: boolean;
  /** Whether a pod of the unit counts, or may turn out to. */
  readonly counts: (pod: PodRecord) => boolean;
  /** In the eyes of the budget (H5). */
  readonly serves: (pod: PodRecord) => boolean;
}

/** A unit of one pod. Where a probe says no, the veto answers (V1). */
function lossOfPod(healthy: boolean): UnitLoss {
  return { kind: healthy ? 'breaks' : 'down' };
}

/**
 * Pods that are reserved on a condition may go or stay. Those that go make no unit available, so they are left out of it; those
 * that stay may make it serve, so without them it is not known to be down (N6). A unit is withheld when that is possible for any
 * choice of pods that stay: pods that serve and are not healthy are there, and with them it may reach its minimum.
 */
function lossOf(unit: Unit, { least, enough }: Bounds, target: Target): UnitLoss {
  if (unit.healthy - Number(target.healthy) >= enough) return { kind: 'surplus' };
  if (unit.healthy >= enough) return { kind: 'breaks' };
  const healthy = unit.healthy + unit.unproven;
  const serving = unit.serving + unit.unprovenServing;
  if (serving >= least && serving > healthy) return { kind: 'withheld', by: withholdersIn(unit, target) };
  if (!target.healthy || healthy < least) return { kind: 'down' };
  return { kind: 'breaks', doubt: doubtOf(unit, least, enough) };
}

/** A unit that is in doubt is not among the available ones, and is charged for as if it were. */
function availableFor(loss: UnitLoss, available: number): number {
  return loss.kind === 'breaks' && loss.doubt !== undefined ? available + 1 : available;
}

function doubtOf(unit: Unit, least: number, enough: number): Doubt {
  if (unit.healthy >= least && least < enough) {
    return {
      code: 'GroupSizeUnknown',
      detail: `${unit.healthy} of its pods ${agree(unit.healthy, 'is', 'are')} available, and it may have up to ${enough}`,
    };
  }
  const [first = '', ...others] = [...unit.pods].filter((pod) => pod.unproven).map((pod) => pod.name);
  const detail = others.length === 0 ? first : `${first} (and ${others.length} more)`;
  return { code: 'DisruptionUnproven', detail };
}

function withholdersIn(unit: Unit, { counts, serves }: Target): readonly PodRecord[] {
  return [...unit.pods]
    .filter((pod) => counts(pod) && pod.vetoes && serves(pod))
    .sort((a, b) => compareStrings(a.name, b.name));
}

/** What a probe does to its unit, for the refusal (I12). */
export function withholderOf(pod: PodRecord): Withholder {
  if (pod.has(bit.probeInvalid)) return { pod: pod.name, probe: 'invalid' };
  if (pod.has(bit.probePending))
    return { pod: pod.name, probe: 'pending', ...(pod.node === undefined ? {} : { node: pod.node }) };
  if (!pod.has(bit.disruptable)) return { pod: pod.name, probe: 'no' };
  return {
    pod: pod.name,
    probe: pod.agentHeard ? 'unconfirmed' : 'stale',
    ...(pod.node === undefined ? {} : { node: pod.node }),
  };
}
