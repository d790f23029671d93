import { apiGroupOf, type OwnerReference } from '@holdfast/base/meta';
import type { OwnerName, OwnerState } from '../../owner.ts';
import { compareResourceVersions } from '../../resource-version.ts';
import { maxChain } from './owner-chain.ts';
import { anyUid, nameKeyOf, OwnerNode } from './owner-node.ts';

/** Finds an owner among those that are kept current outside of the world. */
export type FindOwner = (group: string, kind: string, name: string) => OwnerState | undefined;

/** An owner by name and uid, whether or not there is a node for it. */
export interface OwnerIdentity {
  readonly group: string;
  readonly kind: string;
  readonly nameKey: string;
  readonly uid: string;
}

/** The owners of one namespace. Changing one reports the pods below it, which the caller takes out and puts back. */
export class OwnerRegistry {
  readonly #byName = new Map<string, Map<string, OwnerNode>>();
  /** Nodes that were not looked up yet. */
  readonly #unknown = new Set<OwnerNode>();
  /**
   * What was last found under each name. Without another memory it is the only one, and is kept while no pod refers to the name:
   * pods come and go, and the feeder of the world reports an owner only once. With one, it is dropped with the last reference to
   * the name: authors of pods choose the names, so there is no limit to them.
   */
  readonly #found = new Map<string, OwnerState>();
  #memory: FindOwner | undefined;
  readonly #idle = new Set<OwnerNode>();
  readonly #findPod: (name: string) => OwnerState | undefined;

  /** Pods can own (the leader of a group may); they are known by the view of the pods, not by look-ups. */
  constructor(findPod: (name: string) => OwnerState | undefined) {
    this.#findPod = findPod;
  }

  /** From now on it is asked about owners that are new here. */
  consult(memory: FindOwner): void {
    this.#memory = memory;
  }

  /** The node that a controller reference means. */
  refer(reference: OwnerReference): OwnerNode {
    return this.#node(apiGroupOf(reference.apiVersion), reference.kind, reference.name, reference.uid);
  }

  /** The node for an owner known by name only. */
  named(group: string, kind: string, name: string): OwnerNode {
    const node = this.#node(group, kind, name, anyUid);
    node.stirred += 1;
    return node;
  }

  #node(group: string, kind: string, name: string, uid: string): OwnerNode {
    const nameKey = nameKeyOf(group, kind, name);
    let byUid = this.#byName.get(nameKey);
    if (byUid === undefined) {
      byUid = new Map();
      this.#byName.set(nameKey, byUid);
    }
    let node = byUid.get(uid);
    if (node === undefined) {
      node = new OwnerNode(group, kind, name, uid);
      byUid.set(uid, node);
      this.#unknown.add(node);
      this.#initialise(node);
    }
    return node;
  }

  /**
   * What is already known of a new node. A look-up that found nothing, or another uid, was made before the first reference to this
   * one: it says nothing about it, and taking it for "gone" would leave the pods of a recreated workload unprotected.
   */
  #initialise(node: OwnerNode): void {
    if (node.group === '' && node.kind === 'Pod') {
      this.apply(node, this.#findPod(node.name));
      return;
    }
    const found = this.#recall(node);
    if (found !== undefined) this.apply(node, found);
  }

  /** What is known of this very owner, whether or not a pod or owner refers to it. */
  #recall(owner: Pick<OwnerNode, 'nameKey' | 'group' | 'kind' | 'name' | 'uid'>): OwnerState | undefined {
    const known = [this.#found.get(owner.nameKey), this.#memory?.(owner.group, owner.kind, owner.name)];
    const [first, second] = known.filter((one) => one !== undefined).filter((one) => isMeant(owner, one));
    return first !== undefined && second !== undefined && isOlder(first, second.resourceVersion) ? second : first;
  }

  /** Who would own a pod with this controller, as far as is known. Asking leaves no trace. */
  peek(reference: OwnerReference | undefined): readonly OwnerIdentity[] {
    const chain: OwnerIdentity[] = [];
    for (let next = reference; next !== undefined && chain.length < maxChain; ) {
      const { kind, name, uid } = next;
      const group = apiGroupOf(next.apiVersion);
      const nameKey = nameKeyOf(group, kind, name);
      chain.push({ group, kind, nameKey, uid });
      const isPod = nameKey === nameKeyOf('', 'Pod', name);
      const found = isPod ? this.#findPod(name) : this.#recall({ nameKey, group, kind, name, uid });
      next = found?.uid === uid ? found.controller : undefined;
    }
    return chain;
  }

  /** Whether an owner is known to be there and not to be deleted: only then does the garbage collector keep what it owns. */
  isAlive(reference: OwnerReference): boolean {
    const { kind, name, uid } = reference;
    const group = apiGroupOf(reference.apiVersion);
    const nameKey = nameKeyOf(group, kind, name);
    const node = this.#byName.get(nameKey)?.get(uid);
    if (node !== undefined) return node.state === 'known' && !node.deleting && !node.orphaned;
    const isPod = nameKey === nameKeyOf('', 'Pod', name);
    const found = isPod ? this.#findPod(name) : this.#recall({ nameKey, group, kind, name, uid });
    return found?.uid === uid && found.deleting !== true && found.orphaning !== true;
  }

  /**
   * A pod or owner stopped referring to it. `sweep` forgets it at the end of a change: the same change may refer to it again, and
   * what is known of it must not get lost in between.
   */
  release(node: OwnerNode): void {
    this.#idle.add(node);
  }

  sweep(): void {
    for (const node of this.#idle) {
      this.#idle.delete(node);
      if (node.pods.size === 0 && node.children.size === 0 && node.dependents.size === 0) this.#forget(node);
    }
  }

  /** Forgetting a node may leave its controller idle: the set that `sweep` walks grows while it does. */
  #forget(node: OwnerNode): void {
    const byUid = this.#byName.get(node.nameKey);
    byUid?.delete(node.uid);
    this.#unknown.delete(node);
    if (byUid?.size === 0) {
      this.#byName.delete(node.nameKey);
      if (this.#memory !== undefined) this.#found.delete(node.nameKey);
    }
    const controller = node.controller;
    node.controller = undefined;
    if (controller === undefined) return;
    controller.children.delete(node);
    this.#idle.add(controller);
  }

  /** Keeps what was found under a name, for those who will point at it. */
  remember(found: OwnerState): void {
    const nameKey = nameKeyOf(apiGroupOf(found.apiVersion), found.kind, found.name);
    const known = this.#found.get(nameKey);
    if (known !== undefined && isOlder(found, known.resourceVersion)) return;
    if (this.#memory === undefined || this.#byName.has(nameKey)) this.#found.set(nameKey, found);
  }

  /** There is nothing of that name. */
  disremember(name: OwnerName): void {
    this.#found.delete(nameKeyOf(apiGroupOf(name.apiVersion), name.kind, name.name));
  }

  /** All nodes of an owner's name, whatever their uids. */
  sharing(node: OwnerNode): Iterable<OwnerNode> {
    return this.#byName.get(node.nameKey)?.values() ?? [];
  }

  nodesOf(name: OwnerName): readonly OwnerNode[] {
    return [...(this.#byName.get(nameKeyOf(apiGroupOf(name.apiVersion), name.kind, name.name))?.values() ?? [])];
  }

  /** Owners that are referred to and were not looked up yet. */
  unknown(): Iterable<OwnerNode> {
    return this.#unknown;
  }

  apply(node: OwnerNode, state: OwnerState | undefined): void {
    const before = node.controller;
    this.#unknown.delete(node);
    if (state === undefined || !isMeant(node, state)) {
      node.state = 'gone';
      node.replicas = undefined;
      node.resourceVersion = undefined;
      node.deleting = false;
      node.controller = undefined;
    } else {
      node.state = 'known';
      node.replicas = state.replicas;
      node.resourceVersion = state.resourceVersion;
      node.orphaned = isOrphaned(node, state);
      node.deleting = state.deleting === true && !node.orphaned;
      node.controller = state.controller === undefined ? undefined : this.refer(state.controller);
    }
    if (before === node.controller) return;
    before?.children.delete(node);
    node.controller?.children.add(node);
    if (before !== undefined) this.release(before);
  }
}

/** Whether an owner leaves its pods when it goes. A name without a uid means another object after each deletion. */
export function isOrphaned(node: Pick<OwnerNode, 'uid' | 'orphaned'>, found: OwnerState): boolean {
  return found.orphaning === true || (node.orphaned && node.uid !== anyUid);
}

/** Whether the object that was found is the one that the node stands for. */
export function isMeant(node: { readonly uid: string }, found: OwnerState): boolean {
  return node.uid === anyUid || node.uid === found.uid;
}

/** Objects of one kind can be compared with each other, too: what was made later has the greater version. */
export function isOlder(found: OwnerState, than: string | undefined): boolean {
  return (
    found.resourceVersion !== undefined &&
    than !== undefined &&
    compareResourceVersions(found.resourceVersion, than) < 0
  );
}
