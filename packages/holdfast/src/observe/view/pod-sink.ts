import type { Pod } from '../../api/pod.ts';
import { bit } from '../../core/health.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import type { World } from '../../core/world/world.ts';
import type { Sink } from '../../kube/reflector/sink.ts';
import type { Touched } from './touched.ts';
import { budgetsOver } from './touched-budgets.ts';

export interface PodSinkParts {
  readonly world: World;
  readonly touched: Touched;
  /** The watch has advanced by an event of this namespace; undefined: by a bookmark or a whole list. */
  readonly advanced: (namespace: string | undefined) => void;
  /** Called with every pod that is created, changed or deleted; undefined: with any number of them, by a whole list. */
  readonly seen: (pod: Pod | undefined) => void;
}

/**
 * Pods go straight into the world, which keeps what it needs of them: a second copy of each would be most of the memory of a big
 * cluster. The budgets over a pod are reported from before and after a change, since a change of labels moves a pod from one budget to another.
 */
export class PodSink implements Sink<Pod> {
  readonly #parts: PodSinkParts;

  constructor(parts: PodSinkParts) {
    this.#parts = parts;
  }

  replace(items: readonly Pod[], resourceVersion: string): void {
    const { world, touched } = this.#parts;
    const kept = new Set(items.map(({ metadata }) => keyOf(metadata.namespace ?? '', metadata.name)));
    const namespaces = new Set<string>();
    for (const state of world.namespaces()) {
      const gone = [...state.pods.keys()].filter((name) => !kept.has(keyOf(state.name, name)));
      for (const name of gone) world.deletePod(state.name, name);
      if (gone.length > 0) namespaces.add(state.name);
    }
    for (const item of items) {
      world.upsertPod(item);
      namespaces.add(item.metadata.namespace ?? '');
    }
    this.#progress(resourceVersion, undefined);
    for (const name of namespaces) touched.namespace(name);
    this.#parts.seen(undefined);
  }

  upsert(item: Pod, resourceVersion: string): void {
    const { namespace = '', name } = item.metadata;
    this.#change(namespace, name, resourceVersion, () => this.#parts.world.upsertPod(item));
    this.#parts.seen(item);
  }

  remove(item: Pod, resourceVersion: string): void {
    const { namespace = '', name } = item.metadata;
    this.#change(namespace, name, resourceVersion, () => this.#parts.world.deletePod(namespace, name));
    this.#parts.seen(item);
  }

  bookmark(resourceVersion: string): void {
    this.#parts.world.setUnchanged('pods', resourceVersion);
    this.#parts.advanced(undefined);
  }

  #change(namespace: string, name: string, resourceVersion: string, mutate: () => void): void {
    const { world, touched } = this.#parts;
    const refs = new Set<BudgetRef>();
    const wasProbed = isProbed(world.pod(namespace, name));
    const wasCrowded = isCrowded(world.pod(namespace, name));
    budgetsOver(world.pod(namespace, name), refs);
    mutate();
    budgetsOver(world.pod(namespace, name), refs);
    this.#progress(resourceVersion, namespace);
    if (refs.size > 0) touched.budgets(refs);
    // A probe alone is a reason to guard a namespace.
    if (isProbed(world.pod(namespace, name)) !== wasProbed) touched.namespace(namespace);
    // A pod under too many budgets is linked to none of them, and each has to say so.
    if (isCrowded(world.pod(namespace, name)) !== wasCrowded) touched.namespace(namespace);
  }

  #progress(resourceVersion: string, namespace: string | undefined): void {
    this.#parts.world.setSynced('pods', resourceVersion);
    this.#parts.advanced(namespace);
  }
}

function isProbed(pod: PodRecord | undefined): boolean {
  return pod?.has(bit.probed) ?? false;
}

function isCrowded(pod: PodRecord | undefined): boolean {
  return pod !== undefined && pod.crowdedBy > 0;
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
