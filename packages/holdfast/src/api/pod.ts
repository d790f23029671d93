import type { Condition, ObjectMeta, StringMap } from '@holdfast/base/meta';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly restartCount?: number;
  readonly started?: boolean;
  /** What the node has set aside for it; a resize changes it when the node has room. */
  readonly allocatedResources?: StringMap;
  /** Only where it is asked for: a cache of all pods has no use for it. */
  readonly state?: { readonly running?: { readonly startedAt?: string } };
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly resources?: { readonly requests?: StringMap; readonly limits?: StringMap };
  readonly disruptionProbe?: unknown;
}

/** Pod specs as we read them from a cache. Admission handlers see whole specs; they use `unknown` for what is not here. */
export interface PodSpec {
  readonly nodeName?: string;
  /** Kubernetes 1.36 and later. */
  readonly schedulingGroup?: { readonly podGroupName?: string };
  /** Kubernetes 1.35. */
  readonly workloadRef?: { readonly name?: string; readonly podGroup?: string; readonly podGroupReplicaKey?: string };
  /** The KEP's own first shape; only the embedded cluster keeps it. */
  readonly workload?: { readonly name?: string; readonly podGroup?: string; readonly podGroupReplicaIndex?: number };
  /** The KEP's second shape; only the embedded cluster keeps it. */
  readonly workloadReference?: {
    readonly name?: string;
    readonly podGroup?: string;
    readonly podGroupReplicaIndex?: number;
  };
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly activeDeadlineSeconds?: number;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
}

export interface PodStatus {
  readonly phase?: PodPhase;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly observedGeneration?: number;
}

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}
