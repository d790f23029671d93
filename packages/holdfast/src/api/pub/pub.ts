import type { IntOrString } from '@holdfast/base/int-or-string';
import type { Condition, LabelSelector, ObjectMeta } from '@holdfast/base/meta';

export const pubGroup = 'policy.kruise.io';
export const protectOperations = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] as const;
export type ProtectOperation = (typeof protectOperations)[number];
/** What a budget guards when it does not say. RESIZE restarts nothing and is guarded only when asked for. */
export const defaultProtectOperations: readonly ProtectOperation[] = ['DELETE', 'UPDATE', 'EVICT'];

export interface TargetReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface PodGroupPolicy {
  readonly groupLabelKey: string;
  readonly minReadyReplicas?: number;
}

export interface PodUnavailableBudgetSpec {
  readonly selector?: LabelSelector | null;
  readonly targetRef?: TargetReference | null;
  readonly maxUnavailable?: IntOrString;
  readonly minAvailable?: IntOrString;
  readonly protectOperations?: readonly string[];
  readonly protectTotalReplicas?: number;
  readonly ignoredPodSelector?: LabelSelector | null;
  readonly podGroupPolicy?: PodGroupPolicy | null;
}

export interface PodUnavailableBudgetStatus {
  readonly observedGeneration: number;
  readonly unavailableAllowed: number;
  readonly currentAvailable: number;
  readonly desiredAvailable: number;
  readonly totalReplicas: number;
  readonly unavailableReplicas: number;
  /** Pod name to the time of its reservation, for evictions and deletes. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  /** Pod name to the time of its reservation, for updates and resizes. */
  readonly unavailablePods?: Readonly<Record<string, string>>;
  /** Group name to the time since when it is down. */
  readonly unavailablePodGroups?: Readonly<Record<string, string>>;
  readonly conditions?: readonly Condition[];
}

export interface PodUnavailableBudget {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PodUnavailableBudgetSpec;
  readonly status?: Partial<PodUnavailableBudgetStatus>;
}
