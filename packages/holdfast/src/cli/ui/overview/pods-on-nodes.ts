import type { Pod } from '../../../api/pod.ts';
import type { PodRecord } from '../../../core/world/pod-record.ts';
import type { World } from '../../../core/world/world.ts';
import { isDrained } from '../../status/node-view.ts';

/** What a change of a pod means for nodes: which it was on, which it is on, and whether it was deleted. */
export interface PodMove {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Which pods run on which node, kept current change by change: a world has no such index. */
export class PodsOnNodes {
  readonly #world: World;
  readonly #pods = new Map<string, Set<PodRecord>>();
  /** A record outlives its pod where a pod of the same name takes its place, perhaps on another node. */
  readonly #nodeOf = new Map<PodRecord, string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Pods that run on a node. */
  get count(): number {
    return this.#nodeOf.size;
  }

  nodes(): Iterable<string> {
    return this.#pods.keys();
  }

  /** Those that a drain would evict. */
  drained(node: string): readonly PodRecord[] {
    return [...(this.#pods.get(node) ?? [])].filter(isDrained);
  }

  /** Many pods may have changed. */
  rebuild(): void {
    this.#pods.clear();
    this.#nodeOf.clear();
    for (const state of this.#world.namespaces()) for (const pod of state.pods.values()) this.#place(pod, pod.node);
  }

  /** A pod came, changed or was deleted, and the world knows already. */
  changed({ metadata, spec }: Pod): PodMove {
    const { namespace = '', name } = metadata;
    const record = this.#world.pod(namespace, name) ?? this.#deleted(spec?.nodeName, namespace, name);
    if (record === undefined) return { from: undefined, to: undefined };
    const from = this.#nodeOf.get(record);
    const to = this.#world.pod(namespace, name) === undefined ? undefined : record.node;
    if (from !== to) this.#place(record, to);
    return { from, to };
  }

  /** The last that was heard of a pod names its node; where another one is remembered, all are looked through. */
  #deleted(node: string | undefined, namespace: string, name: string): PodRecord | undefined {
    if (node === undefined) return undefined;
    const isMeant = (pod: PodRecord) => pod.name === name && pod.namespace === namespace;
    return find(this.#pods.get(node) ?? [], isMeant) ?? find(this.#nodeOf.keys(), isMeant);
  }

  #place(pod: PodRecord, node: string | undefined): void {
    const before = this.#nodeOf.get(pod);
    if (before !== undefined) {
      const pods = this.#pods.get(before);
      pods?.delete(pod);
      if (pods?.size === 0) this.#pods.delete(before);
      this.#nodeOf.delete(pod);
    }
    if (node === undefined || node === '') return;
    this.#nodeOf.set(pod, node);
    const pods = this.#pods.get(node);
    if (pods === undefined) this.#pods.set(node, new Set([pod]));
    else pods.add(pod);
  }
}

function find<T>(items: Iterable<T>, test: (item: T) => boolean): T | undefined {
  for (const item of items) if (test(item)) return item;
  return undefined;
}
