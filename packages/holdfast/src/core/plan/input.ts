import type { StringMap } from '@holdfast/base/meta';
import type { World } from '../world/world.ts';

/** What is known of a node beside the pods on it. */
export interface PlanNode {
  readonly name: string;
  readonly labels: StringMap;
  readonly taints: readonly PlanTaint[];
  readonly unschedulable: boolean;
  /** CPU in thousandths, everything else in whole units. */
  readonly allocatable: ReadonlyMap<string, number>;
}

export interface PlanTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** What pods of one kind ask of a node. Pods that ask for the same share one shape: they are told apart by identity. */
export interface PodShape {
  readonly requests: ReadonlyMap<string, number>;
  readonly graceSeconds: number;
  /** Selectors, required affinity and taints; whether there is room is another matter. */
  readonly allows: (node: PlanNode) => boolean;
}

export interface PlanInput {
  readonly world: World;
  /** The nodes to drain, in the order of a drain without a plan. */
  readonly drain: readonly string[];
  /** All nodes of the cluster. None: the room is unknown, and the plan ignores it. */
  readonly nodes: readonly PlanNode[];
  readonly shapeOf: (namespace: string, pod: string) => PodShape | undefined;
  readonly now: number;
}

export interface PlanOptions {
  /** So many nodes of each wave are replaced before they are drained. */
  readonly maxSurge: number;
  /** The drained nodes do not come back. */
  readonly forGood: boolean;
  /** Also drain pods that no controller recreates; the plan then assumes that their owners do. */
  readonly force: boolean;
  /** How long a replacement takes to be healthy. */
  readonly startUpSeconds: number;
}

/** Kubernetes' own, for pods that do not say. */
export const defaultGraceSeconds = 30;

export const defaultPlanOptions: PlanOptions = { maxSurge: 0, forGood: false, force: false, startUpSeconds: 60 };
