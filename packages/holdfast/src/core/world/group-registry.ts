import { apiGroupOf } from '@holdfast/base/meta';
import { type GroupClaim, isNative } from '../groups/claim.ts';
import { labelOf } from '../label.ts';
import { GroupNode } from './group-node.ts';
import { identityOf } from './owners/owner-node.ts';
import { PodGroupObjects } from './pod-group-objects.ts';
import type { PodRecord } from './pod-record.ts';
import { obtain } from './selector-index.ts';

/** The groups of one namespace: by what pods claim, and by the label keys that budgets name. */
export class GroupRegistry {
  readonly objects = new PodGroupObjects();
  readonly #groups = new Map<string, GroupNode>();
  /** How many budgets group by a label key. */
  readonly #labelKeys = new Map<string, number>();
  /** Which groups an object of the API describes. */
  readonly #byObject = new Map<string, Set<GroupNode>>();
  readonly #idle = new Set<GroupNode>();
  /** What the ledger keeps, by the key of the group. */
  #keptSizes: ReadonlyMap<string, number> = new Map();

  /** Puts a pod into its groups. Its root owner must be known by now. */
  join(pod: PodRecord): void {
    this.#joinClaimed(pod);
    for (const key of this.#labelKeys.keys()) {
      const value = labelOf(pod.labels, key);
      if (value !== undefined) this.#enter(pod, this.#labelled(key, value, pod));
    }
  }

  /** A native group that says of itself that it is none leaves the pod to the next convention; a missing one does not (P5). */
  #joinClaimed(pod: PodRecord): void {
    for (const claim of pod.claims) {
      const group = this.#claimed(claim);
      this.#enter(pod, group);
      if (group.description.kind !== 'notGang') return;
    }
  }

  leave(pod: PodRecord): void {
    for (const group of pod.groups) {
      group.leave(pod);
      const claim = claimFor(group, pod);
      if (claim !== undefined) unstate(group, claim);
      if (group.pods.size === 0) this.#idle.add(group);
      changed(group);
    }
    pod.groups = [];
  }

  /** Groups without pods are forgotten, with the size they once had, at the end of a change. */
  sweep(): void {
    for (const group of this.#idle) {
      this.#idle.delete(group);
      if (group.pods.size === 0) this.#forget(group);
    }
  }

  #forget(group: GroupNode): void {
    this.#groups.delete(group.id);
    if (group.objectKey === undefined) return;
    const described = this.#byObject.get(group.objectKey);
    described?.delete(group);
    if (described?.size === 0) this.#byObject.delete(group.objectKey);
  }

  all(): Iterable<GroupNode> {
    return this.#groups.values();
  }

  /** The ledger's sizes of groups (G5). They change seldom, and ledgers often. */
  setKeptSizes(sizes: ReadonlyMap<string, number>): void {
    const before = this.#keptSizes;
    if (before.size === sizes.size && [...sizes].every(([key, size]) => before.get(key) === size)) return;
    this.#keptSizes = sizes;
    for (const group of this.#groups.values()) {
      const size = sizes.get(group.key);
      if (size === group.keptSize) continue;
      group.keptSize = size;
      changed(group);
    }
  }

  isLabelKey(key: string): boolean {
    return this.#labelKeys.has(key);
  }

  isLastUse(key: string): boolean {
    return this.#labelKeys.get(key) === 1;
  }

  useLabelKey(key: string): void {
    this.#labelKeys.set(key, (this.#labelKeys.get(key) ?? 0) + 1);
  }

  dropLabelKey(key: string): void {
    const uses = (this.#labelKeys.get(key) ?? 0) - 1;
    if (uses > 0) this.#labelKeys.set(key, uses);
    else this.#labelKeys.delete(key);
  }

  /** The groups that an object describes: a PodGroup of an API group, or a Workload. */
  describedByPodGroup(apiVersion: string, name: string): readonly GroupNode[] {
    return [...(this.#byObject.get(`${apiGroupOf(apiVersion)}/${name}`) ?? [])];
  }

  describedByWorkload(name: string): readonly GroupNode[] {
    return [...(this.#byObject.get(`workload/${name}`) ?? [])];
  }

  #enter(pod: PodRecord, group: GroupNode): void {
    group.enter(pod);
    const claim = claimFor(group, pod);
    if (claim !== undefined) state(group, claim);
    pod.groups.push(group);
    changed(group);
  }

  #claimed(claim: GroupClaim): GroupNode {
    const present = this.#groups.get(claim.id);
    if (present !== undefined) return present;
    const group = new GroupNode(claim.id, claim.display, isNative(claim));
    group.claimedParent = claim.parent;
    group.description = this.objects.describe(claim);
    group.objectKey = objectKeyOf(claim);
    if (group.objectKey !== undefined) obtain(this.#byObject, group.objectKey, () => new Set<GroupNode>()).add(group);
    this.#add(group);
    return group;
  }

  #add(group: GroupNode): void {
    group.keptSize = this.#keptSizes.get(group.key);
    this.#groups.set(group.id, group);
  }

  #labelled(key: string, value: string, pod: PodRecord): GroupNode {
    const id = `label/${key}/${identityOf(pod.root)}|${value}`;
    const present = this.#groups.get(id);
    if (present !== undefined) return present;
    const group = new GroupNode(id, value, false, key);
    this.#add(group);
    return group;
  }
}

function objectKeyOf(claim: GroupClaim): string | undefined {
  if (claim.workload !== undefined) return `workload/${claim.workload.name}`;
  return claim.object === undefined ? undefined : `${claim.object.apiGroup}/${claim.object.name}`;
}

function claimFor(group: GroupNode, pod: PodRecord): GroupClaim | undefined {
  return pod.claims.find((claim) => claim.id === group.id);
}

/** Who expects groups computes it from what their pods state and who owns them. */
function changed(group: GroupNode): void {
  for (const budget of group.budgets) budget.refresh(group);
}

function state(group: GroupNode, claim: GroupClaim): void {
  group.sizes.add(claim.size);
  group.minimums.add(claim.minimum);
  group.expected.add(claim.expected);
  group.indexes.add(claim.index);
}

function unstate(group: GroupNode, claim: GroupClaim): void {
  group.sizes.remove(claim.size);
  group.minimums.remove(claim.minimum);
  group.expected.remove(claim.expected);
  group.indexes.remove(claim.index);
}
