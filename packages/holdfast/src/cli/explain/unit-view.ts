import { compareStrings } from '../../core/compare.ts';
import type { Judge } from '../../core/decide/judges.ts';
import type { GroupNode } from '../../core/world/group-node.ts';
import type { PdbState } from '../../core/world/pdb-state.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import type { PubState } from '../../core/world/pub/pub-state.ts';
import type { PubUnit } from '../../core/world/pub/pub-unit.ts';
import { whyDown, whyDownForPub } from './pod-health.ts';

/** A group that a budget counts as one. */
export interface UnitView {
  readonly name: string;
  readonly pods: number;
  readonly healthy: number;
  /** So many pods make it serve. */
  readonly minimum: number;
  readonly available: boolean;
  /** Its pods that do not count, and why. */
  readonly down: readonly { readonly pod: string; readonly why: string }[];
}

/** The group in which a budget counts a pod; undefined: the pod is a unit of its own. */
export function unitOf(judge: Judge, pod: PodRecord): UnitView | undefined {
  if (judge.kind === 'pdbGroup') return pdbUnit(judge.pdb, judge.group);
  if (judge.kind !== 'pub') return undefined;
  const unit = judge.pub.unitOf(pod);
  return unit === undefined ? undefined : pubUnit(judge.pub, unit);
}

/** All groups of a budget, those that are down first. */
export function unitsOf(budget: PdbState | PubState): readonly UnitView[] {
  const units =
    'mode' in budget
      ? [...budget.units.keys()].map((group) => pdbUnit(budget, group))
      : [...budget.units.values()].map((unit) => pubUnit(budget, unit));
  return units.sort((a, b) => Number(a.available) - Number(b.available) || compareStrings(a.name, b.name));
}

function pdbUnit(pdb: PdbState, group: GroupNode): UnitView {
  const minimum = pdb.boundsOf(group).enough;
  const { display, pods, healthy } = group;
  return {
    name: display,
    pods: pods.size,
    healthy,
    minimum,
    available: pdb.isAvailable(group),
    down: downPods(pods, whyDown),
  };
}

function pubUnit(pub: PubState, unit: PubUnit): UnitView {
  const { display, pods, healthy } = unit;
  const minimum = pub.boundsOf(unit).enough;
  return {
    name: display,
    pods: pods.size,
    healthy,
    minimum,
    available: healthy >= minimum,
    down: downPods(pods, (pod) => whyDownForPub(pub, pod)),
  };
}

export function downPods(
  pods: Iterable<PodRecord>,
  why: (pod: PodRecord) => string | undefined,
): readonly { readonly pod: string; readonly why: string }[] {
  return [...pods]
    .flatMap((pod) => {
      const reason = why(pod);
      return reason === undefined ? [] : [{ pod: pod.name, why: reason }];
    })
    .sort((a, b) => compareStrings(a.pod, b.pod));
}
