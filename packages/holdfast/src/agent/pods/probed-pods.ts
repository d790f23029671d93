import { compareResourceVersions } from '../../core/resource-version.ts';
import type { Delta } from '../../kube/reflector/cache.ts';
import type { ProbeResult } from '../probes/probe-result.ts';
import type { ProbeQuestion } from '../probes/prober.ts';
import type { ProbeVerdict, Standing } from '../verdict.ts';
import type { AgentPod, PresentCondition, ProbedPodView } from './agent-pod.ts';
import { ProbedPod, type ProbingTerms } from './probed-pod.ts';

/** What is to be said about a pod now, and what stands on it. */
export interface ProbedPodState {
  readonly metadata: AgentPod['metadata'];
  readonly node: string;
  readonly verdict: ProbeVerdict;
  /** This agent has found out something about it; before, what stands on the pod is its predecessor's word. */
  readonly decided: boolean;
  readonly present: PresentCondition | undefined;
}

export interface ProbedPodsOptions {
  readonly terms: ProbingTerms;
  /** Whether a node is this agent's. */
  readonly serves: (node: string) => boolean;
  readonly onProbed: (pod: ProbedPodState, question: ProbeQuestion, result: ProbeResult, tookMs: number) => void;
  /** Something about the pod may have to be published. */
  readonly onTouched: (uid: string) => void;
  /** What the lease of a node is to list may have changed. */
  readonly onNode: (node: string) => void;
}

interface Entry {
  readonly metadata: AgentPod['metadata'];
  readonly node: string;
  readonly pod: ProbedPod;
  verdict: ProbeVerdict;
  decided: boolean;
  present: PresentCondition | undefined;
  /** The pod's version after our last write. */
  writtenAt: string;
}

/** The probed pods of this agent's nodes, by uid: a pod of the same name is another one. */
export class ProbedPods {
  readonly #options: ProbedPodsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #nodes = new Map<string, Set<string>>();

  constructor(options: ProbedPodsOptions) {
    this.#options = options;
  }

  take({ type, item }: Delta<AgentPod>): void {
    const view = type === 'deleted' ? undefined : item.probed;
    if (view === undefined || view.leaving || !this.#options.serves(view.node)) this.#drop(item.metadata.uid);
    else this.#see(item, view);
  }

  /** A copy of its state. */
  get(uid: string): ProbedPodState | undefined {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return undefined;
    const { metadata, node, verdict, decided, present } = entry;
    return { metadata, node, verdict, decided, present };
  }

  /** What the API server answered to a write of ours is known before the watch tells. */
  published(uid: string, present: PresentCondition, resourceVersion: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    entry.present = present;
    entry.writtenAt = resourceVersion;
    this.#options.onNode(entry.node);
  }

  /** The pods that a lease may list now: found to be disruptable, not too long ago. */
  disruptable(node: string): readonly string[] {
    const uids: string[] = [];
    for (const uid of this.#nodes.get(node) ?? []) {
      const entry = this.#entries.get(uid);
      if (entry === undefined) continue;
      this.#look(uid, entry);
      if (entry.verdict.disruptable) uids.push(uid);
    }
    return uids;
  }

  /** About a pod that was listed at the time `since`. Undefined: it is not here. */
  standing(uid: string, since: number): Standing | undefined {
    return this.#entries.get(uid)?.pod.standing(since);
  }

  /** Whether there is a probed pod on a node. */
  has(node: string): boolean {
    return this.#nodes.has(node);
  }

  counts(): { readonly probed: number; readonly vetoing: number } {
    let vetoing = 0;
    for (const { verdict } of this.#entries.values()) if (!verdict.disruptable) vetoing += 1;
    return { probed: this.#entries.size, vetoing };
  }

  close(): void {
    for (const { pod } of this.#entries.values()) pod.close();
    this.#entries.clear();
    this.#nodes.clear();
  }

  #see(pod: AgentPod, view: ProbedPodView): void {
    const { uid } = pod.metadata;
    const entry = this.#entries.get(uid) ?? this.#add(pod, view);
    // The watch may still be behind our own write.
    if (compareResourceVersions(pod.metadata.resourceVersion, entry.writtenAt) >= 0) entry.present = view.present;
    entry.pod.update(pod, view);
    this.#look(uid, entry);
    this.#options.onTouched(uid);
    this.#options.onNode(entry.node);
  }

  #add(pod: AgentPod, view: ProbedPodView): Entry {
    const { metadata } = pod;
    const { terms, onProbed } = this.#options;
    const probed = new ProbedPod(pod, view, terms, (_container, question, result, tookMs) => {
      const entry = this.#entries.get(metadata.uid);
      if (entry === undefined) return;
      onProbed(entry, question, result, tookMs);
      this.#look(metadata.uid, entry);
    });
    const entry: Entry = {
      metadata,
      node: view.node,
      pod: probed,
      verdict: probed.verdict(),
      decided: false,
      present: view.present,
      writtenAt: '',
    };
    this.#entries.set(metadata.uid, entry);
    const known = this.#nodes.get(view.node);
    if (known === undefined) this.#nodes.set(view.node, new Set([metadata.uid]));
    else known.add(metadata.uid);
    return entry;
  }

  /** Compares what is to be said with what was said last. */
  #look(uid: string, entry: Entry): void {
    const before = entry.verdict;
    entry.verdict = entry.pod.verdict();
    if (entry.verdict.reason !== 'ProbePending') entry.decided = true;
    if (entry.verdict.reason === before.reason) return;
    this.#options.onTouched(uid);
    if (entry.verdict.disruptable !== before.disruptable) this.#options.onNode(entry.node);
  }

  #drop(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    entry.pod.close();
    this.#entries.delete(uid);
    const known = this.#nodes.get(entry.node);
    known?.delete(uid);
    if (known?.size === 0) this.#nodes.delete(entry.node);
    this.#options.onNode(entry.node);
  }
}
