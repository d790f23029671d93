import type { FieldError } from '@holdfast/base/field-errors';
import type { Pod } from '../../api/pod.ts';
import type { NotOptedIn } from './opt-in.ts';

/** What a PodUnavailableBudget answers to the DELETE of one pod. */
export type RemovalVerdict = { readonly result: 'allow' } | { readonly result: 'deny'; readonly message: string };

export type VerdictOf = (pod: Pod) => RemovalVerdict;

/** A graceful DELETE with both preconditions: if the pod changed since it was judged, it is judged again. */
export interface Removal {
  readonly why: 'broken' | 'condemned';
  readonly pod: string;
  readonly ordinal: number;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Why we wait for a replica. `until` is when the answer changes if nothing happens, where that can be told. */
export type PodWait =
  | 'missing'
  | 'terminating'
  /** Failed or Succeeded: the built-in controller replaces it by itself. */
  | 'finished'
  /** Ready, but not for minReadySeconds yet. */
  | 'warmingUp'
  /** Ready, but restarted a moment ago. */
  | 'unsteady'
  /** Not ready, and nothing that we would replace: it gets the settle time before it is called broken. */
  | 'starting'
  /** Not ready and on an old revision: it is replaced when the settle time is over. */
  | 'settling'
  /** Two pods with one ordinal: the view is torn, and nothing is decided on it. */
  | 'duplicate';

/** The ordinals that the set no longer has go on beside whatever happens to its replicas. */
export type CondemnedState =
  | { readonly kind: 'leftToKubernetes'; readonly pod: string }
  | { readonly kind: 'terminating'; readonly pod: string }
  /** It is its turn when `other`, another pod of the set, is gone. */
  | { readonly kind: 'after'; readonly pod: string; readonly other: string }
  | { readonly kind: 'removing'; readonly pod: string; readonly behind: string }
  | { readonly kind: 'refused'; readonly pod: string; readonly message: string };

export type ReplicaState =
  | { readonly kind: 'idle'; readonly why: 'noReplicas' | 'upToDate' | 'rolling' | 'heldByPartition' }
  | { readonly kind: 'waiting'; readonly why: PodWait; readonly pod: string; readonly until?: number }
  | { readonly kind: 'replacing'; readonly pod: string; readonly from: string; readonly to: string }
  | {
      readonly kind: 'blocked';
      readonly why: 'brokenOnUpdateRevision';
      readonly pod: string;
      readonly revision: string;
    }
  | {
      readonly kind: 'blocked';
      readonly why: 'belowPartition';
      readonly pod: string;
      readonly firstUpdatedOrdinal: number;
    }
  /** Kubernetes would make it from the same template again: the strategy has no `rollingUpdate`, which is not the same as an empty one. */
  | { readonly kind: 'blocked'; readonly why: 'comesBackOld'; readonly pod: string; readonly revision: string }
  | { readonly kind: 'blocked'; readonly why: 'refused'; readonly pod: string; readonly message: string };

export type RolloutState =
  | ({ readonly kind: 'off' } & NotOptedIn)
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'unobserved'; readonly generation: number; readonly observedGeneration: number }
  | { readonly kind: 'noUpdateRevision' }
  | (ReplicaState & { readonly condemned?: CondemnedState });

export interface RolloutPlan {
  readonly state: RolloutState;
  /** One pod of a set goes at a time. */
  readonly removal?: Removal;
  /** When to look again although nothing changed; absent when only a change can matter. */
  readonly nextCheckAt?: number;
}

/** What one half of the plan (replicas, or condemned pods) contributes. */
export interface RolloutStep<S> {
  readonly state: S;
  readonly removal?: Removal;
  readonly checkAt?: number;
}
