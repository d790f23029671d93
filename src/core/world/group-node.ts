import { digest } from '../digest.ts';
import { Tally } from '../tally.ts';
import { identityOf, type OwnerNode } from './owner-node.ts';
import type { PdbState } from './pdb-state.ts';
import type { PodRecord } from './pod-record.ts';
import type { Share } from './share.ts';

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
  readonly sizes = new Tally();
  readonly minimums = new Tally();
  readonly expected = new Tally();
  readonly indexes = new Tally();
  /** The root owners of its pods, with how many have each: nearly always one. */
  readonly roots = new Map<OwnerNode | undefined, number>();
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
    this.existing += change.existing;
    if (this.live > this.peak) this.peak = this.live;
    for (const pdb of this.budgets) pdb.refresh(this);
  }

  enter(pod: PodRecord): void {
    this.pods.add(pod);
    this.roots.set(pod.root, (this.roots.get(pod.root) ?? 0) + 1);
  }

  leave(pod: PodRecord): void {
    this.pods.delete(pod);
    const count = (this.roots.get(pod.root) ?? 0) - 1;
    if (count > 0) this.roots.set(pod.root, count);
    else this.roots.delete(pod.root);
  }

  /** Groups with the same parent are replicas of one another (G3). */
  get parentKey(): string {
    const described = this.description.kind === 'gang' ? this.description.parent : undefined;
    const parent = this.claimedParent ?? described;
    if (parent !== undefined) return parent;
    return `owner/${[...this.roots.keys()].map(identityOf).sort().join('+')}`;
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
