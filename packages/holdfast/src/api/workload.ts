import type { ObjectMeta } from '@holdfast/base/meta';

/** `scheduling.k8s.io` Workload, in every shape that a release or the KEP had. */
export interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly controllerRef?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
    /** 1.35 and the KEP (which alone has `replicas`). */
    readonly podGroups?: readonly {
      readonly name: string;
      readonly replicas?: number;
      readonly policy?: { readonly basic?: object; readonly gang?: { readonly minCount?: number } };
    }[];
  };
}

/**
 * A PodGroup object: Kubernetes' own (`scheduling.k8s.io`), Volcano's (`scheduling.volcano.sh`) or
 * coscheduling's (`scheduling.x-k8s.io`). The apiVersion says which.
 */
export interface PodGroup {
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: {
    /** 1.37. */
    readonly workloadRef?: { readonly workloadName?: string; readonly templateName?: string };
    /** 1.36. */
    readonly podGroupTemplateRef?: {
      readonly workload?: { readonly workloadName?: string; readonly podGroupTemplateName?: string };
    };
    readonly schedulingPolicy?: { readonly basic?: object; readonly gang?: { readonly minCount?: number } };
    /** 1.37: one of `single` and `all`. 1.36: the words `Pod` and `PodGroup`. */
    readonly disruptionMode?: string | { readonly single?: object; readonly all?: object };
    /** Volcano and coscheduling. */
    readonly minMember?: number;
  };
}
