import type { StringMap } from '@holdfast/base/meta';
import type { PodSpec } from '../../api/pod.ts';
import type { GroupClaim } from './claim.ts';
import type { PodMaker } from './pod-maker.ts';

/**
 * All that Holdfast knows about one system that runs pods in groups. Every other list (watches, rights, annotations that are kept,
 * templates that are checked, stand-ins of lint) is derived from these entries, so that support for a system is one file.
 */
export interface GroupSystem {
  /** In texts for people. */
  readonly name: string;
  /** The group that a pod names; undefined: it is not a pod of this system. */
  readonly claim: (labels: StringMap, annotations: StringMap, spec: PodSpec | undefined) => StatedClaim | undefined;
  /** The labels that `claim` and `labelledOwner` read. */
  readonly labels?: readonly string[];
  /** The annotations that `claim` reads. Views keep these, and others of the same domains. */
  readonly annotations?: readonly string[];
  /** The kinds of objects that describe its groups. They are listed and watched. */
  readonly groupObjects?: readonly GroupObjectKind[];
  /** The kinds that own its pods, directly or through others. They are listed, watched and looked up. */
  readonly owners?: readonly SystemOwnerKind[];
  readonly labelledOwner?: LabelledOwner;
  /** How its controllers make pods from manifests. */
  readonly podMakers?: readonly PodMaker[];
}

export type StatedClaim = Omit<GroupClaim, 'convention'>;

/** Where objects of a kind are found, and what they are called in rights. */
export interface SystemKind {
  readonly group: string;
  readonly kind: string;
  /** The plural, as in URLs. */
  readonly resource: string;
}

/** A `PodGroup` states `spec.minMember`. Only the Kubernetes API's own group has another shape of it, and the kind `Workload`. */
export interface GroupObjectKind extends SystemKind {
  readonly kind: 'PodGroup' | 'Workload';
}

export interface SystemOwnerKind extends SystemKind {
  /**
   * What `spec.replicas` counts. `none`: the pods are not counted by one number of their owner, and the server offers no scale of
   * it; the kind is watched for the end of the chain of owners.
   */
  readonly scale: 'groups' | 'pods' | 'none';
  /** Where it keeps templates of pods whose disruption probes are checked when it is created or changed: `spec.template`. */
  readonly templates?: readonly string[];
}

/**
 * The owner that labels of a pod name. It is the root owner of the pod even where the chain of controllers ends before it, such as
 * at a leader pod that was deleted (O3).
 */
export interface LabelledOwner {
  readonly group: string;
  readonly kind: string;
  readonly nameOf: (labels: StringMap) => string | undefined;
  /** Owners whose pods carry the same labels. A chain of controllers that ends at one of these is complete. */
  readonly notBelow?: readonly { readonly group: string; readonly kind: string }[];
}
