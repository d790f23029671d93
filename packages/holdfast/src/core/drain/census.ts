import { type CoursePod, type DrainPodState, isAway } from './course-pod.ts';
import type { DrainUnit } from './units.ts';

export interface Tracked {
  readonly pod: CoursePod;
  readonly state: DrainPodState;
}

/** What was seen of groups, and when that look began. */
export interface BrokenUnits {
  readonly ids: ReadonlySet<string>;
  readonly at: number;
}

/** By node: when the last list of its pods began. */
export type SeenAt = ReadonlyMap<string, number>;

/** Whether a pod that was asked for has been seen since the answer. */
export function isSeenSince({ node }: CoursePod, seenAt: SeenAt, at: number): boolean {
  return (seenAt.get(node) ?? Number.NEGATIVE_INFINITY) >= at;
}

/** One group, as far as its pods on these nodes go. */
export interface UnitCensus {
  readonly unit: DrainUnit;
  /** Its pods that are still on these nodes. */
  left: number;
  /** Of these, pods whose eviction would fail every time. */
  hopeless: number;
  /** Pods whose eviction was requested, with an outcome that is not known yet. */
  asking: number;
  /** It is broken, or has to be taken for it. */
  open: boolean;
}

/** How far each group is. */
export class Census {
  readonly #units = new Map<string, UnitCensus>();
  readonly #byBudget = new Map<string, UnitCensus[]>();

  constructor(pods: Iterable<Tracked>, broken: BrokenUnits, seenAt: SeenAt) {
    for (const tracked of pods) {
      const asking = isRequestOpen(tracked, seenAt);
      for (const unit of tracked.pod.units) {
        const census = this.#obtain(unit, broken);
        if (asking) census.asking += 1;
        count(census, tracked.state, broken);
      }
    }
  }

  of(unit: DrainUnit): UnitCensus {
    const found = this.#units.get(unit.id);
    if (found === undefined) throw new Error(`${unit.name} was not counted`);
    return found;
  }

  /** Groups of its budgets that have to be finished before this pod may go; none: it may go. */
  holdersOf(pod: CoursePod): readonly UnitCensus[] {
    return pod.units.flatMap((unit) => {
      const own = this.of(unit);
      if (own.open) return [];
      // One pod at a time tries whether a group may be opened.
      if (own.asking > 0) return [own];
      const others = this.#byBudget.get(unit.budget) ?? [];
      return others.filter((one) => one !== own && one.left > 0 && (one.open || one.asking > 0));
    });
  }

  /** From now on the pod is being asked for. */
  ask(pod: CoursePod): void {
    for (const unit of pod.units) this.of(unit).asking += 1;
  }

  #obtain(unit: DrainUnit, broken: BrokenUnits): UnitCensus {
    const found = this.#units.get(unit.id);
    if (found !== undefined) return found;
    const census = { unit, left: 0, hopeless: 0, asking: 0, open: broken.ids.has(unit.id) };
    this.#units.set(unit.id, census);
    const siblings = this.#byBudget.get(unit.budget);
    if (siblings === undefined) this.#byBudget.set(unit.budget, [census]);
    else siblings.push(census);
    return census;
  }
}

/** A request that failed may have been done all the same: its pod has to be seen first. */
export function isRequestOpen({ pod, state }: Tracked, seenAt: SeenAt): boolean {
  if (state.kind === 'asking') return true;
  if (state.kind !== 'waiting' || state.answer?.kind !== 'failed') return false;
  return !isSeenSince(pod, seenAt, state.answer.at);
}

function count(census: UnitCensus, state: DrainPodState, broken: BrokenUnits): void {
  if (!isAway(state)) census.left += 1;
  if (state.kind === 'impossible') census.hopeless += 1;
  // Whether a group serves without a deleted pod is known only from a look at it afterwards.
  if (state.kind === 'going' || (isAway(state) && state.since >= broken.at)) census.open = true;
}
