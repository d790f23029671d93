import { apiGroupOf, type OwnerReference } from '../../api/meta.ts';
import { type OwnerName, type OwnerState, scaleCountsGroups } from '../owner.ts';
import type { PodRecord } from './pod-record.ts';

/** Chains longer than this do not exist; a longer one is a cycle or an attack (O1). */
const maxChain = 8;

/** Stands for "whichever object has this name now": labels and target references name owners without a uid. */
const anyUid = '*';

/** One owner of pods, by name and uid. */
export class OwnerNode {
  readonly nameKey: string;
  readonly display: string;
  readonly countsGroups: boolean;
  state: 'unknown' | 'gone' | 'known' = 'unknown';
  replicas: number | undefined;
  deleting = false;
  controller: OwnerNode | undefined;
  /** Pods whose controller, or whose root by label, this is. */
  readonly pods = new Set<PodRecord>();
  readonly children = new Set<OwnerNode>();
  /** Called when only the scale changed: whoever computed an expected number from it must do so again. */
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

function nameKeyOf(group: string, kind: string, name: string): string {
  return `${group}/${kind}/${name}`;
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
    if (!this.#lookups.has(node.nameKey)) return;
    const found = this.#lookups.get(node.nameKey);
    if (node.uid === anyUid || found?.uid === node.uid) this.apply(node, found);
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

/** The owners of a pod from its controller upwards, as far as they are known. */
export function chainOf(controller: OwnerNode | undefined): readonly OwnerNode[] {
  const chain: OwnerNode[] = [];
  for (let node = controller; node !== undefined && chain.length < maxChain; node = node.controller) {
    if (chain.includes(node)) break;
    chain.push(node);
  }
  return chain;
}

/** Pods below an owner: those it controls and those that the owners it controls control. */
export function podsBelow(node: OwnerNode, into: Set<PodRecord> = new Set(), depth = 0): Set<PodRecord> {
  if (depth > maxChain) return into;
  for (const pod of node.pods) into.add(pod);
  for (const child of node.children) podsBelow(child, into, depth + 1);
  return into;
}

/** The owner whose scale counts the pod (O2). */
export function podCounter(controller: OwnerNode | undefined): OwnerNode | undefined {
  if (controller === undefined) return undefined;
  const parent = controller.controller;
  const isReplicaSet = controller.group === 'apps' && controller.kind === 'ReplicaSet';
  if (!isReplicaSet || parent === undefined) return controller;
  // A parent that was not looked up yet may have a scale: the answer is its, and not known.
  return parent.state === 'unknown' || parent.replicas !== undefined ? parent : controller;
}

/** An owner that is gone or going takes its pods along; so does a workload that is scaled to nothing (X4). */
export function isDoomed(chain: readonly OwnerNode[], root: OwnerNode | undefined): boolean {
  if (chain.some((node) => node.state === 'gone' || node.deleting)) return true;
  const counter = podCounter(chain[0]);
  if (counter?.state === 'known' && counter.replicas === 0) return true;
  return root?.state === 'known' && root.countsGroups && root.replicas === 0;
}
