import type { IntOrString } from '@holdfast/base/int-or-string';
import type { Condition, LabelSelector, ObjectMeta } from '@holdfast/base/meta';

export interface PodDisruptionBudget {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly selector?: LabelSelector | null;
    readonly minAvailable?: IntOrString;
    readonly maxUnavailable?: IntOrString;
    readonly unhealthyPodEvictionPolicy?: string;
    /** KEP-5682, where the cluster has it. */
    readonly budgetScope?: string;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly observedGeneration?: number;
    /** The built-in counter: evictions take from it, the disruption controller counts it again. */
    readonly disruptionsAllowed?: number;
    /** Pods whose eviction was admitted and not seen yet, with the time; the disruption controller drops them after two minutes. */
    readonly disruptedPods?: Readonly<Record<string, string>>;
  };
}
