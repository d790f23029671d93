import { matches } from '@holdfast/base/labels/label-selector';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import { DomainCounts } from './domain-counts.ts';
import { NodeState } from './node-state.ts';
import { countsTheSame, type Labels, type PodNeeds, type PodTerm } from './pod-needs.ts';

export const zoneLabel = 'topology.kubernetes.io/zone';

/** Counts of pods that rules ask for, kept up to date; those not asked for longest are dropped. */
const maxCounted = 256;

interface Counted {
  readonly counts: DomainCounts;
  includes(pod: PodNeeds): boolean;
}

/** All nodes and the pods on them, with every number that placing a pod asks for kept current on each change. */
export class ClusterState {
  /** Grows with every change that may let a pod fit that did not. */
  version = 0;
  readonly #nodes = new Map<string, NodeState>();
  readonly #placed = new Map<string, { needs: PodNeeds; node: string }>();
  readonly #counted = new Map<string, Counted>();
  readonly #repelling = new Map<string, { term: PodTerm; counts: DomainCounts }>();
  readonly #owners = new Map<string, DomainCounts>();
  readonly #namespaceLabels: (namespace: string) => Labels;
  #order: readonly NodeState[] | undefined;

  constructor(namespaceLabels: (namespace: string) => Labels) {
    this.#namespaceLabels = namespaceLabels;
  }

  /** Nodes that exist, zones in turn, so that any stretch of the list covers all of them. */
  get nodes(): readonly NodeState[] {
    this.#order ??= zonesInTurn([...this.#nodes.values()].filter(({ node }) => node !== undefined));
    return this.#order;
  }

  setNode(node: NodeObject): void {
    const state = this.#stateOf(node.metadata.name);
    const relabelled = JSON.stringify(state.labels) !== JSON.stringify(node.metadata.labels ?? {});
    if (state.node === undefined || relabelled) this.#order = undefined;
    state.set(node);
    if (relabelled && state.podCount > 0) this.#regroup();
    this.version += 1;
  }

  removeNode(name: string): void {
    const state = this.#nodes.get(name);
    if (state === undefined) return;
    state.set(undefined);
    if (state.podCount > 0) this.#regroup();
    else this.#nodes.delete(name);
    this.#order = undefined;
    this.version += 1;
  }

  isPlaced(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** It is placed where it says, and counts as it did when it was placed. */
  isCounted(pod: PodObject): boolean {
    const placed = this.#placed.get(pod.metadata.uid ?? '');
    return placed !== undefined && placed.node === pod.spec.nodeName && countsTheSame(placed.needs, pod);
  }

  /** A pod that is there already is counted again, with its new needs. */
  place(needs: PodNeeds, node: string): void {
    const before = this.#placed.get(needs.uid);
    if (before) this.#count(before.needs, before.node, -1);
    this.#placed.set(needs.uid, { needs, node });
    this.#count(needs, node, 1);
    this.version += 1;
  }

  remove(uid: string): boolean {
    const before = this.#placed.get(uid);
    if (before === undefined) return false;
    this.#placed.delete(uid);
    this.#count(before.needs, before.node, -1);
    this.version += 1;
    return true;
  }

  /** Pods that all of these terms are about. */
  countsOf(terms: readonly PodTerm[], topologyKey: string): DomainCounts {
    const id = JSON.stringify([topologyKey, ...terms.map((term) => term.id)]);
    const known = this.#counted.get(id);
    if (known) {
      this.#counted.delete(id);
      this.#counted.set(id, known);
      return known.counts;
    }
    const counts = new DomainCounts(topologyKey);
    const includes = (pod: PodNeeds): boolean => terms.every((term) => this.selects(term, pod));
    for (const { needs, node } of this.#placed.values()) {
      if (includes(needs)) counts.change(node, this.#domain(node, topologyKey), 1);
    }
    this.#counted.set(id, { counts, includes });
    if (this.#counted.size > maxCounted) dropFirst(this.#counted);
    return counts;
  }

  /** Which namespaces terms are about may have changed. */
  forgetCounts(): void {
    this.#counted.clear();
    this.version += 1;
  }

  /** Where pods are that do not want this one near them. */
  *repelledFrom(pod: PodNeeds): Iterable<DomainCounts> {
    for (const { term, counts } of this.#repelling.values()) {
      if (!counts.isEmpty && this.selects(term, pod)) yield counts;
    }
  }

  /** Pods of the same owner, by node and by zone. */
  siblingsOf(owner: string): DomainCounts | undefined {
    return this.#owners.get(owner);
  }

  selects(term: PodTerm, pod: PodNeeds): boolean {
    if (term.selector === 'none' || !matches(term.selector, pod.labels)) return false;
    if (term.namespaces.has(pod.namespace)) return true;
    const among = term.namespaceSelector;
    return among !== undefined && matches(among, this.#namespaceLabels(pod.namespace));
  }

  #count(needs: PodNeeds, name: string, sign: 1 | -1): void {
    const state = this.#stateOf(name);
    state.count(needs, sign);
    for (const { counts, includes } of this.#counted.values()) {
      if (includes(needs)) counts.change(name, state.label(counts.topologyKey), sign);
    }
    for (const term of needs.antiAffinity) this.#countRepelling(term, state, sign);
    if (needs.owner !== undefined) this.#countSibling(needs.owner, state, sign);
    if (state.podCount === 0 && state.node === undefined) this.#nodes.delete(name);
  }

  #countRepelling(term: PodTerm, state: NodeState, sign: 1 | -1): void {
    const known = this.#repelling.get(term.id) ?? { term, counts: new DomainCounts(term.topologyKey) };
    known.counts.change(state.name, state.label(term.topologyKey), sign);
    if (known.counts.isEmpty) this.#repelling.delete(term.id);
    else this.#repelling.set(term.id, known);
  }

  #countSibling(owner: string, state: NodeState, sign: 1 | -1): void {
    const counts = this.#owners.get(owner) ?? new DomainCounts(zoneLabel);
    counts.change(state.name, state.label(zoneLabel), sign);
    if (counts.isEmpty) this.#owners.delete(owner);
    else this.#owners.set(owner, counts);
  }

  #regroup(): void {
    const all = [...this.#counted.values(), ...this.#repelling.values()].map(({ counts }) => counts);
    for (const counts of [...all, ...this.#owners.values()]) {
      counts.regroup((node) => this.#domain(node, counts.topologyKey));
    }
  }

  #domain(node: string, topologyKey: string): string | undefined {
    return this.#nodes.get(node)?.label(topologyKey);
  }

  #stateOf(name: string): NodeState {
    let state = this.#nodes.get(name);
    if (state === undefined) {
      state = new NodeState(name);
      this.#nodes.set(name, state);
    }
    return state;
  }
}

function zonesInTurn(nodes: NodeState[]): readonly NodeState[] {
  const zones = new Map<string, NodeState[]>();
  for (const node of nodes.sort(byName)) {
    const zone = node.label(zoneLabel) ?? '';
    const others = zones.get(zone);
    if (others) others.push(node);
    else zones.set(zone, [node]);
  }
  const lists = [...zones.values()];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

function byName(left: NodeState, right: NodeState): number {
  return left.name < right.name ? -1 : 1;
}

function dropFirst(map: Map<string, unknown>): void {
  const first = map.keys().next();
  if (!first.done) map.delete(first.value);
}
