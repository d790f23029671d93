import { digest } from '../digest.ts';
import { identityOf, type OwnerNode } from './owners/owner-node.ts';
import type { PdbState } from './pdb-state.ts';
import type { PodRecord, Share } from './pod-record.ts';

/** How a group is described by an object of the API, if its claim names one (G2). */
export type GroupDescription =
  | { readonly kind: 'none' }
  | { readonly kind: 'missing'; readonly what: string }
  | { readonly kind: 'notGang'; readonly what: string }
  /** It is a gang of several replicas, and its pods name none of them: where one ends and the next begins, nothing says (P5). */
  | { readonly kind: 'undivided'; readonly what: string }
  | {
      readonly kind: 'gang';
      readonly minimum?: number;
      /** The whole group goes together (`disruptionMode` all). */
      readonly all: boolean;
      /** `replicas` of the Workload's pod group. */
      readonly replicas?: number;
      /** The parent that the object names, where the claim itself names none. */
      readonly parent?: string;
    };

/** One group of pods, and the budgets that reach it. Its counts are kept by the pods that join and leave. */
export class GroupNode {
  readonly id: string;
  /** By which the ledger names it. */
  readonly key: string;
  readonly display: string;
  readonly native: boolean;
  /** The label key that makes the group; absent for groups by convention. */
  readonly labelKey: string | undefined;
  readonly pods = new Set<PodRecord>();
  description: GroupDescription = { kind: 'none' };
  /** Counted and healthy pods. */
  healthy = 0;
  /** Counted pods that are Ready or healthy (H5). */
  serving = 0;
  /** Healthy pods, and serving ones, that count as gone, and may turn out to stay (N6). */
  unproven = 0;
  unprovenServing = 0;
  /** Pods that run, and healthy ones of which a disruption is reserved. */
  able = 0;
  reserved = 0;
  /** Pods that are neither terminating nor finished. */
  live = 0;
  /** Pods that are not finished and do not go with their owner, terminating ones among them. */
  existing = 0;
  /** The largest `live` while the group has pods (G5). */
  peak = 0;
  /** The size that the ledger keeps for it, if any (G5). */
  keptSize: number | undefined;
  claimedParent: string | undefined;
  /** The object of the API that describes it. */
  objectKey: string | undefined;
  readonly sizes = new MaxTracker();
  readonly minimums = new MaxTracker();
  readonly expected = new MaxTracker();
  readonly indexes = new MaxTracker();
  /** The root owners of its pods, with how many have each: nearly always one. */
  readonly roots = new Map<OwnerNode | undefined, number>();
  /** Of `roots`. Kept, because every change of a pod of the group asks for it, and roots hardly ever change. */
  #rootsKey = '';
  /** Budgets that selected at least one of its pods. */
  readonly budgets = new Set<PdbState>();

  constructor(id: string, display: string, native: boolean, labelKey?: string) {
    this.id = id;
    this.key = digest(id);
    this.labelKey = labelKey;
    this.display = display;
    this.native = native;
  }

  /** Takes in what a pod's change adds and takes, and tells the budgets that reach it. */
  count(change: Share): void {
    this.live += change.live;
    this.healthy += change.pdb.healthy;
    this.serving += change.pdb.serving;
    this.unproven += change.pdb.unproven;
    this.unprovenServing += change.pdb.unprovenServing;
    this.able += change.pdb.able;
    this.reserved += change.pdb.reserved;
    this.existing += change.existing;
    if (this.live > this.peak) this.peak = this.live;
    for (const pdb of this.budgets) pdb.refresh(this);
  }

  enter(pod: PodRecord): void {
    this.pods.add(pod);
    const count = this.roots.get(pod.root) ?? 0;
    this.roots.set(pod.root, count + 1);
    if (count === 0) this.#rootsChanged();
  }

  leave(pod: PodRecord): void {
    this.pods.delete(pod);
    const count = (this.roots.get(pod.root) ?? 0) - 1;
    if (count > 0) this.roots.set(pod.root, count);
    else if (this.roots.delete(pod.root)) this.#rootsChanged();
  }

  #rootsChanged(): void {
    this.#rootsKey = [...this.roots.keys()].map(identityOf).sort().join('+');
  }

  /** Groups with the same parent are replicas of one another (G3). */
  get parentKey(): string {
    const described = this.description.kind === 'gang' ? this.description.parent : undefined;
    const parent = this.claimedParent ?? described;
    if (parent !== undefined) return parent;
    return `owner/${this.#rootsKey}`;
  }

  get statedMinimum(): number | undefined {
    const described = this.description.kind === 'gang' ? this.description.minimum : undefined;
    return described ?? this.minimums.max;
  }

  get wholeOnly(): boolean {
    return this.description.kind === 'gang' && this.description.all;
  }

  /** The full size: as stated, else as the ledger keeps it, else the largest seen; but at least the stated minimum. */
  get fullSize(): number {
    return this.sizes.max ?? Math.max(this.keptSize ?? this.peak, this.statedMinimum ?? 1, 1);
  }

  /** A native group without a gang is no group; one of another convention always is. */
  get isGang(): boolean {
    return this.native ? this.description.kind === 'gang' : true;
  }
}

/** How many healthy pods make a group available. Between the two it is not known whether it is whole (U2, G5). */
export interface Bounds {
  /** With as many it is available for certain. */
  readonly enough: number;
  /** With fewer it is down for certain. */
  readonly least: number;
}

export function exactly(minimum: number): Bounds {
  return { least: minimum, enough: minimum };
}

/** The minimum of a group that may have fewer pods. Never less than one: a group without pods is not available. */
export function atMost(size: number, minimum: number): number {
  return Math.max(1, Math.min(minimum, size));
}

/** A bag of numbers of which the largest is wanted: what the pods of a group state, or the groups of a parent. */
export class MaxTracker {
  readonly #counts = new Map<number, number>();
  /** Kept until the largest itself goes: looking for the next one is the only step that looks at all. */
  #max: number | undefined;

  add(value: number | undefined): void {
    if (value === undefined) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#max === undefined || value > this.#max) this.#max = value;
  }

  remove(value: number | undefined): void {
    if (value === undefined) return;
    const count = this.#counts.get(value) ?? 0;
    if (count > 1) {
      this.#counts.set(value, count - 1);
      return;
    }
    this.#counts.delete(value);
    if (value === this.#max) this.#max = this.#largest();
  }

  get max(): number | undefined {
    return this.#max;
  }

  #largest(): number | undefined {
    let max: number | undefined;
    for (const value of this.#counts.keys()) {
      if (max === undefined || value > max) max = value;
    }
    return max;
  }
}

/** What one group says about how many groups its parent should have. */
interface Summary {
  readonly parent: string;
  /** `replicas` of the Workload's pod group. */
  readonly replicas: number | undefined;
  /** What its pods state. */
  readonly stated: number | undefined;
  readonly index: number | undefined;
  readonly roots: readonly (OwnerNode | undefined)[];
}

/** What the groups of one parent that a budget reaches say together. */
export class Parent {
  readonly key: string;
  groups = 0;
  readonly replicas = new MaxTracker();
  readonly stated = new MaxTracker();
  readonly indexes = new MaxTracker();
  readonly roots = new Map<OwnerNode | undefined, number>();

  constructor(key: string) {
    this.key = key;
  }

  add(summary: Summary): void {
    this.groups += 1;
    this.replicas.add(summary.replicas);
    this.stated.add(summary.stated);
    this.indexes.add(summary.index);
    for (const root of summary.roots) this.roots.set(root, (this.roots.get(root) ?? 0) + 1);
  }

  remove(summary: Summary): void {
    this.groups -= 1;
    this.replicas.remove(summary.replicas);
    this.stated.remove(summary.stated);
    this.indexes.remove(summary.index);
    for (const root of summary.roots) {
      const count = (this.roots.get(root) ?? 0) - 1;
      if (count > 0) this.roots.set(root, count);
      else this.roots.delete(root);
    }
  }
}

/** The parents of the groups that a budget reaches, kept current group by group: counting groups never looks at all of them. */
export class Parents {
  readonly #parents = new Map<string, Parent>();
  readonly #summaries = new Map<GroupNode, Summary>();

  [Symbol.iterator](): Iterator<Parent> {
    return this.#parents.values();
  }

  /** A group was reached, or changed. True when that changes what is said about its parent. */
  set(group: GroupNode): boolean {
    const next = summaryOf(group);
    const before = this.#summaries.get(group);
    if (before !== undefined && next !== undefined && sameSummary(before, next)) return false;
    const had = this.delete(group);
    if (next === undefined) return had;
    this.#summaries.set(group, next);
    let parent = this.#parents.get(next.parent);
    if (parent === undefined) {
      parent = new Parent(next.parent);
      this.#parents.set(next.parent, parent);
    }
    parent.add(next);
    return true;
  }

  delete(group: GroupNode): boolean {
    const before = this.#summaries.get(group);
    if (before === undefined) return false;
    this.#summaries.delete(group);
    const parent = this.#parents.get(before.parent);
    parent?.remove(before);
    if (parent?.groups === 0) this.#parents.delete(before.parent);
    return true;
  }
}

/** Nothing, where all its pods go with their owner: such a group is not expected to be anywhere. */
function summaryOf(group: GroupNode): Summary | undefined {
  if (group.existing === 0) return undefined;
  return {
    parent: group.parentKey,
    replicas: group.description.kind === 'gang' ? group.description.replicas : undefined,
    stated: group.expected.max,
    index: group.indexes.max,
    roots: [...group.roots.keys()],
  };
}

function sameSummary(a: Summary, b: Summary): boolean {
  return (
    a.parent === b.parent &&
    a.replicas === b.replicas &&
    a.stated === b.stated &&
    a.index === b.index &&
    a.roots.length === b.roots.length &&
    a.roots.every((root) => b.roots.includes(root))
  );
}
