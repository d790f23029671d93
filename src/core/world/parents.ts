import { Tally } from '../tally.ts';
import type { GroupNode } from './group-node.ts';
import type { OwnerNode } from './owner-node.ts';

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
  readonly replicas = new Tally();
  readonly stated = new Tally();
  readonly indexes = new Tally();
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
