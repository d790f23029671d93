import { compareStrings } from '../../../core/compare.ts';
import { bit } from '../../../core/health.ts';
import type { GroupNode } from '../../../core/world/group-node.ts';
import type { PodRecord } from '../../../core/world/pod-record.ts';
import type { PubUnit } from '../../../core/world/pub/pub-unit.ts';
import type { DotState, GroupProbe, GroupRow, PodDot, ProbeAnswer } from '../../../ui/model.ts';
import { whyDown, whyDownForPub } from '../../explain/pod-health.ts';
import { type BudgetState, barKeyOf } from './budget-bars.ts';

/** When the agent of a node last confirmed what its lease says; undefined: it is not believed. */
export type ConfirmedAt = (node: string) => number | undefined;

export interface RowOptions {
  readonly confirmedAt: ConfirmedAt;
  readonly maxRows: number;
  readonly maxDots: number;
}

/** A renewal every ten seconds is no news: the time is told as exactly. */
const confirmedStepMs = 10_000;

/** The groups of a budget, those that are down first. */
export function groupRows(budget: BudgetState, options: RowOptions): readonly GroupRow[] {
  const units = [...unitsIn(budget)].sort(
    (a, b) => Number(a.available) - Number(b.available) || compareStrings(a.name, b.name),
  );
  return units
    .slice(0, options.maxRows)
    .map((unit) => rowOf(barKeyOf(budget.ref), budget.ref.namespace, unit, options));
}

interface UnitFacts {
  readonly name: string;
  readonly available: boolean;
  readonly healthy: number;
  readonly minimum: number;
  readonly size: number;
  readonly pods: ReadonlySet<PodRecord>;
  readonly why: (pod: PodRecord) => string | undefined;
}

function* unitsIn(budget: BudgetState): Iterable<UnitFacts> {
  if ('mode' in budget) {
    for (const group of budget.units.keys()) yield groupFacts(group, budget.boundsOf(group).enough);
    return;
  }
  const why = (pod: PodRecord) => whyDownForPub(budget, pod);
  for (const unit of budget.units.values()) yield pubFacts(unit, budget.boundsOf(unit).enough, why);
}

function groupFacts(group: GroupNode, minimum: number): UnitFacts {
  const { display: name, pods, healthy, fullSize: size } = group;
  return { name, pods, healthy, minimum, size, available: healthy >= minimum, why: whyDown };
}

function pubFacts(unit: PubUnit, minimum: number, why: UnitFacts['why']): UnitFacts {
  const { display: name, pods, healthy } = unit;
  const size = unit.statedSize ?? Math.max(unit.existing, minimum);
  return { name, pods, healthy, minimum, size, available: healthy >= minimum, why };
}

function rowOf(budget: string, namespace: string, unit: UnitFacts, options: RowOptions): GroupRow {
  const { name, available, healthy, minimum, size, why } = unit;
  const pods = [...unit.pods].filter((pod) => !pod.has(bit.finished)).sort((a, b) => compareStrings(a.name, b.name));
  const dots = pods.slice(0, options.maxDots).map((pod) => dotOf(pod, why(pod)));
  const probe = probeOf(pods, options.confirmedAt);
  return {
    key: `${budget}/${name}`,
    budget,
    namespace,
    name,
    available,
    healthy,
    minimum,
    size,
    missing: Math.max(0, size - pods.length),
    dots,
    dotsLeftOut: pods.length - dots.length,
    ...(probe === undefined ? {} : { probe }),
  };
}

function dotOf(pod: PodRecord, why: string | undefined): PodDot {
  const probe = probeAnswer(pod);
  return {
    name: pod.name,
    ...(pod.node === undefined || pod.node === '' ? {} : { node: pod.node }),
    state: dotState(pod, why),
    ...(why === undefined ? {} : { why }),
    ...(probe === undefined ? {} : { probe }),
  };
}

function dotState(pod: PodRecord, why: string | undefined): DotState {
  if (pod.has(bit.terminating)) return 'terminating';
  if (pod.reserved !== undefined) return 'reserved';
  return why === undefined ? 'up' : 'down';
}

export function probeAnswer(pod: PodRecord): ProbeAnswer | undefined {
  if (!pod.has(bit.probed)) return undefined;
  if (pod.has(bit.probeInvalid)) return 'invalid';
  if (pod.has(bit.disruptable)) return pod.fresh ? 'yes' : 'unconfirmed';
  return pod.has(bit.probePending) ? 'pending' : 'no';
}

function probeOf(pods: readonly PodRecord[], confirmedAt: ConfirmedAt): GroupProbe | undefined {
  const probed = pods.filter((pod) => pod.has(bit.probed));
  if (probed.length === 0) return undefined;
  const answers = probed.map(probeAnswer);
  const times = probed.flatMap(({ node }) => (node === undefined ? [] : (confirmedAt(node) ?? [])));
  const yes = answers.filter((one) => one === 'yes').length;
  const no = answers.filter((one) => one === 'no').length;
  const known = times.length === 0 ? undefined : Math.max(...times);
  return {
    yes,
    no,
    unconfirmed: probed.length - yes - no,
    ...(known === undefined ? {} : { confirmedAt: Math.floor(known / confirmedStepMs) * confirmedStepMs }),
  };
}
