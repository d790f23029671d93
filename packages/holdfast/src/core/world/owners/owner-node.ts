import { scaleCountsGroups } from '../../groups/system-lists.ts';
import type { OwnerName } from '../../owner.ts';
import type { PodRecord } from '../pod-record.ts';

/** Stands for "whichever object has this name now": labels and target references name owners without a uid. */
export const anyUid = '*';

/** One owner of pods, by name and uid. */
export class OwnerNode {
  readonly nameKey: string;
  readonly display: string;
  readonly countsGroups: boolean;
  state: 'unknown' | 'gone' | 'known' = 'unknown';
  replicas: number | undefined;
  /** It is being deleted, and its pods with it. */
  deleting = false;
  /**
   * It was seen being deleted in a way that leaves its pods. That stays so whatever becomes of it: the watch of the pods may show
   * later than the watch of the owners that the garbage collector took the references off.
   */
  orphaned = false;
  /** Of the object that it was last known by. */
  resourceVersion: string | undefined;
  /**
   * Counts what makes a look-up that is under way too old to say "gone": something newer was seen of it, or, where it is known
   * by name only, another pod or owner refers to it now and may mean an object that was created since.
   */
  stirred = 0;
  controller: OwnerNode | undefined;
  /** Pods whose controller, or whose root by label, this is. */
  readonly pods = new Set<PodRecord>();
  readonly children = new Set<OwnerNode>();
  /** Notified when only the scale changed: budgets that computed an expected number from it must do so again. */
  readonly dependents = new Set<{ expectedChanged(): void }>();

  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;

  constructor(group: string, kind: string, name: string, uid: string) {
    this.group = group;
    this.kind = kind;
    this.name = name;
    this.uid = uid;
    this.nameKey = nameKeyOf(group, kind, name);
    this.display = `${kind} ${name}`;
    this.countsGroups = scaleCountsGroups(group, kind);
  }
}

export function nameKeyOf(group: string, kind: string, name: string): string {
  return `${group}/${kind}/${name}`;
}

/** One text for one owner; empty for "none". Pods and groups without an owner share it (O3). */
export function identityOf(owner: { readonly nameKey: string; readonly uid: string } | undefined): string {
  return owner === undefined ? '' : `${owner.nameKey}/${owner.uid}`;
}

/** What an owner is looked up by. Of an apiVersion only the group says which one is meant. */
export function nameOf(namespace: string, { group, kind, name, uid }: OwnerNode): OwnerName & { readonly uid: string } {
  return { apiVersion: group === '' ? 'v1' : `${group}/*`, kind, namespace, name, uid };
}
