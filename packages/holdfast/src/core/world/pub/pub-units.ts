import type { PubRules } from '../../../api/pub/pub-read.ts';
import { labelOf } from '../../label.ts';
import { type Bounds, MaxTracker } from '../group-node.ts';
import { identityOf, type OwnerNode } from '../owners/owner-node.ts';
import type { PodRecord, Share, Strength } from '../pod-record.ts';
import { boundsOf, PubUnit } from './pub-unit.ts';

/** What a change of a pod adds to its unit, and to those of workloads that are scaled to 0. */
export interface UnitChange {
  readonly share: Share;
  readonly strength: Strength;
  readonly idle: number;
}

/** The units of a PodUnavailableBudget: groups by label, and pods that are units of their own; and how many are available. */
export class PubUnits {
  readonly groups = new Map<string, PubUnit>();
  readonly #policy: PubRules['groups'] | undefined;
  readonly #missingOf: (root: OwnerNode | undefined) => number | undefined;
  /** Pods without the group label (or all, without a group policy) that are available. */
  #singles = 0;
  /** Groups that are available by the budget's own minimum, or by the size that their pods state. */
  #certain = 0;
  /** The sizes of the groups: while one has as many pods as the minimum, the minimum can be reached. */
  readonly #sizes = new MaxTracker();
  /** Groups that are available because they are whole, where no group can reach the minimum. */
  #whole: number | undefined;
  /** Healthy pods of workloads that are scaled to 0. */
  #idle = 0;
  #idleSingles = 0;
  /** Units with a pod that runs. */
  #ableSingles = 0;
  #ableGroups = 0;
  /** Available pods without a group of which a disruption is reserved, and the groups with such pods. */
  #reservedSingles = 0;
  readonly #reservedIn = new Set<PubUnit>();

  /** @param missingOf how many pods an owner would still create; undefined where nothing says how many it wants */
  constructor(policy: PubRules['groups'] | undefined, missingOf: (root: OwnerNode | undefined) => number | undefined) {
    this.#policy = policy;
    this.#missingOf = missingOf;
  }

  /** As the budget says it: what holds for a group may be less (U2). */
  get minimum(): number {
    return this.#policy?.minReady ?? 1;
  }

  /** The group of a pod; undefined when the pod is a unit of its own. */
  of(pod: PodRecord): PubUnit | undefined {
    const key = this.#keyOf(pod);
    return key === undefined ? undefined : this.groups.get(key);
  }

  /** Returns whether the pod is the first of its group. */
  enter(pod: PodRecord): boolean {
    const key = this.#keyOf(pod);
    if (key === undefined) return false;
    const present = this.groups.get(key);
    const group = present ?? new PubUnit(key, this.#valueOf(pod) ?? '', pod.root);
    if (present === undefined) {
      this.groups.set(key, group);
      this.#sizes.add(group.live);
    }
    this.#recount(group, () => group.enter(pod));
    return present === undefined;
  }

  /** Returns whether the pod was the last of its group. */
  leave(pod: PodRecord): boolean {
    const group = this.of(pod);
    if (group === undefined) return false;
    this.#recount(group, () => group.leave(pod));
    if (group.pods.size > 0) return false;
    this.#sizes.remove(group.live);
    this.groups.delete(group.key);
    return true;
  }

  count(pod: PodRecord, { share, strength, idle }: UnitChange): void {
    this.#idle += idle;
    const group = this.of(pod);
    if (group === undefined) {
      this.#singles += strength.healthy;
      this.#ableSingles += strength.able;
      this.#reservedSingles += strength.reserved;
      this.#idleSingles += idle;
      return;
    }
    this.#recount(group, () => group.count(share, strength, idle));
  }

  /** What the owners of the groups want, or have, is different. */
  ownersChanged(): void {
    this.#whole = undefined;
  }

  boundsOf(group: PubUnit): Bounds {
    return boundsOf(group, this.minimum, this.#isReached, () => this.#missingOf(group.root));
  }

  isAvailable(group: PubUnit): boolean {
    return group.healthy >= this.boundsOf(group).enough;
  }

  get available(): number {
    return this.#singles + this.#certain + this.#wholeGroups();
  }

  /** The available units with those of workloads that are scaled to 0, which nothing needs and which still run (S1). */
  get current(): number {
    if (this.#idle === 0) return this.available;
    const groups = [...this.groups.values()].filter(
      (group) => !this.isAvailable(group) && group.healthy + group.idle >= this.boundsOf(group).enough,
    );
    return this.available + this.#idleSingles + groups.length;
  }

  /** How many units have a pod that runs. */
  get able(): number {
    return this.#ableSingles + this.#ableGroups;
  }

  /** How many units are not available because a disruption of their pods was allowed, and has not happened yet. */
  reserved(): number {
    const groups = [...this.#reservedIn].filter(
      (group) => !this.isAvailable(group) && group.healthy + group.reserved >= this.boundsOf(group).enough,
    );
    return this.#reservedSingles + groups.length;
  }

  /** Some group has as many pods as the minimum asks for. */
  get #isReached(): boolean {
    return (this.#sizes.max ?? 0) >= this.minimum;
  }

  #wholeGroups(): number {
    if (this.#isReached) return 0;
    this.#whole ??= [...this.groups.values()].filter(
      (group) => group.statedSize === undefined && this.isAvailable(group),
    ).length;
    return this.#whole;
  }

  #recount(group: PubUnit, mutate: () => void): void {
    const was = this.#isCertain(group);
    const wasAble = group.able > 0;
    this.#sizes.remove(group.live);
    mutate();
    this.#sizes.add(group.live);
    this.#whole = undefined;
    this.#certain += Number(this.#isCertain(group)) - Number(was);
    this.#ableGroups += Number(group.able > 0) - Number(wasAble);
    if (group.reserved > 0) this.#reservedIn.add(group);
    else this.#reservedIn.delete(group);
  }

  #isCertain(group: PubUnit): boolean {
    return group.healthy >= Math.min(this.minimum, group.statedSize ?? this.minimum);
  }

  #valueOf(pod: PodRecord): string | undefined {
    return this.#policy === undefined ? undefined : labelOf(pod.labels, this.#policy.labelKey);
  }

  #keyOf(pod: PodRecord): string | undefined {
    const value = this.#valueOf(pod);
    return value === undefined ? undefined : `${identityOf(pod.root)}|${value}`;
  }
}
