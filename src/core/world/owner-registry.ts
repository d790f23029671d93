import { apiGroupOf, type OwnerReference } from '../../api/meta.ts';
import type { OwnerName, OwnerState } from '../owner.ts';
import { maxChain } from './owner-chain.ts';
import { anyUid, nameKeyOf, OwnerNode } from './owner-node.ts';

/** An owner by name and uid, whether or not anybody keeps a node for it. */
export interface OwnerIdentity {
  readonly nameKey: string;
  readonly uid: string;
}

/** The owners of one namespace. Changing one reports the pods below it, which the caller takes out and puts back. */
export class OwnerRegistry {
  readonly #byName = new Map<string, Map<string, OwnerNode>>();
  /** The last look-up of each name; `undefined` is "not there". Kept while nobody points at it, too: pods come and go. */
  readonly #lookups = new Map<string, OwnerState | undefined>();
  readonly #idle = new Set<OwnerNode>();
  readonly #findPod: (name: string) => OwnerState | undefined;

  /** Pods can own (a LeaderWorkerSet's leader does); they are known by the view of the pods, not by look-ups. */
  constructor(findPod: (name: string) => OwnerState | undefined) {
    this.#findPod = findPod;
  }

  /** The node that a controller reference means. */
  refer(reference: OwnerReference): OwnerNode {
    return this.#node(apiGroupOf(reference.apiVersion), reference.kind, reference.name, reference.uid);
  }

  /** The node for an owner known by name only. */
  named(group: string, kind: string, name: string): OwnerNode {
    return this.#node(group, kind, name, anyUid);
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
      this.#initialise(node);
    }
    return node;
  }

  /**
   * What is already known of a new node. A look-up that found nothing, or another uid, was made before anybody pointed at this
   * one: it says nothing about it, and taking it for "gone" would leave the pods of a recreated workload unprotected.
   */
  #initialise(node: OwnerNode): void {
    if (node.group === '' && node.kind === 'Pod') {
      this.apply(node, this.#findPod(node.name));
      return;
    }
    const found = this.#lookups.get(node.nameKey);
    if (found !== undefined && (node.uid === anyUid || found.uid === node.uid)) this.apply(node, found);
  }

  /** Who would own a pod with this controller, as far as is known. Asking leaves no trace. */
  peek(reference: OwnerReference | undefined): readonly OwnerIdentity[] {
    const chain: OwnerIdentity[] = [];
    for (let next = reference; next !== undefined && chain.length < maxChain; ) {
      const nameKey = nameKeyOf(apiGroupOf(next.apiVersion), next.kind, next.name);
      chain.push({ nameKey, uid: next.uid });
      const isPod = nameKey === nameKeyOf('', 'Pod', next.name);
      const found: OwnerState | undefined = isPod ? this.#findPod(next.name) : this.#lookups.get(nameKey);
      next = found?.uid === next.uid ? found.controller : undefined;
    }
    return chain;
  }

  /**
   * Somebody stopped pointing at it. It is forgotten by `sweep`, at the end of a change: the same change may point at it again,
   * and what is known of it must not get lost in between.
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
    if (byUid?.size === 0) this.#byName.delete(node.nameKey);
    const controller = node.controller;
    node.controller = undefined;
    if (controller === undefined) return;
    controller.children.delete(node);
    this.#idle.add(controller);
  }

  /** Keeps what a look-up found, and returns the nodes it speaks about; the caller applies it to them. */
  remember(name: OwnerName, found: OwnerState | undefined): readonly OwnerNode[] {
    this.#lookups.set(nameKeyOf(apiGroupOf(name.apiVersion), name.kind, name.name), found);
    return this.nodesOf(name);
  }

  /** All nodes of an owner's name, whatever their uids. */
  sharing(node: OwnerNode): Iterable<OwnerNode> {
    return this.#byName.get(node.nameKey)?.values() ?? [];
  }

  nodesOf(name: OwnerName): readonly OwnerNode[] {
    return [...(this.#byName.get(nameKeyOf(apiGroupOf(name.apiVersion), name.kind, name.name))?.values() ?? [])];
  }

  /** Owners that pods point at and nobody has looked up. */
  *unknown(): Iterable<OwnerNode> {
    for (const byUid of this.#byName.values()) {
      for (const node of byUid.values()) if (node.state === 'unknown') yield node;
    }
  }

  apply(node: OwnerNode, state: OwnerState | undefined): void {
    const before = node.controller;
    if (state === undefined || (node.uid !== anyUid && node.uid !== state.uid)) {
      node.state = 'gone';
      node.replicas = undefined;
      node.deleting = false;
      node.controller = undefined;
    } else {
      node.state = 'known';
      node.replicas = state.replicas;
      node.deleting = state.deleting ?? false;
      node.controller = state.controller === undefined ? undefined : this.refer(state.controller);
    }
    if (before === node.controller) return;
    before?.children.delete(node);
    node.controller?.children.add(node);
    if (before !== undefined) this.release(before);
  }
}
