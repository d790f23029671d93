import { bit } from '../health.ts';
import type { PodRecord } from '../world/pod-record.ts';
import { obtain } from '../world/selector-index.ts';
import type { World } from '../world/world.ts';
import type { PodShape } from './input.ts';

/** A pod that has to go somewhere else when its node is drained. */
export interface Mover {
  readonly pod: PodRecord;
  readonly shape: PodShape | undefined;
}

/** What a drain makes of the pods of a node. */
export interface Tenants {
  readonly movers: readonly Mover[];
  /** Pods that a drain leaves alone, and that take room as long as they are there. */
  readonly stay: readonly Mover[];
  /** Pods that no controller would recreate. */
  readonly unmanaged: readonly PodRecord[];
}

const none: Tenants = { movers: [], stay: [], unmanaged: [] };

type ShapeOf = (namespace: string, pod: string) => PodShape | undefined;

export function tenantsByNode(world: World, shapeOf: ShapeOf, force: boolean): (node: string) => Tenants {
  const byNode = new Map<string, { movers: Mover[]; stay: Mover[]; unmanaged: PodRecord[] }>();
  for (const state of world.namespaces()) {
    for (const pod of state.pods.values()) {
      if (pod.node === undefined || pod.has(bit.finished)) continue;
      const tenants = obtain(byNode, pod.node, () => ({ movers: [], stay: [], unmanaged: [] }));
      const mover = { pod, shape: shapeOf(pod.namespace, pod.name) };
      if (stays(pod)) tenants.stay.push(mover);
      else if (isManaged(pod) || force) tenants.movers.push(mover);
      else tenants.unmanaged.push(pod);
    }
  }
  return (node) => byNode.get(node) ?? none;
}

/** Daemons and static pods belong to the node; a pod that is terminating already needs no eviction. */
function stays(pod: PodRecord): boolean {
  const kind = pod.owner?.kind;
  return kind === 'DaemonSet' || kind === 'Node' || pod.has(bit.terminating);
}

/** By its controller, or by the group system whose labels it carries: manifests of such pods often name no owner. */
function isManaged(pod: PodRecord): boolean {
  return pod.owner !== undefined || pod.root !== undefined;
}
