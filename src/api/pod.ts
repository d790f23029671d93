import type { Condition, ObjectMeta } from './meta.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly imageID?: string;
  /** These two only where somebody asks for them: they change often, and a cache of all pods has no use for them. */
  readonly restartCount?: number;
  readonly state?: { readonly running?: { readonly startedAt?: string } };
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
  readonly containers?: readonly { readonly name: string; readonly disruptionProbe?: unknown }[];
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
