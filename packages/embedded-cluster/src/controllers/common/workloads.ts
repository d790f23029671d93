/** The objects that workload controllers read, with the fields validation has made sure of. */

import type {
  ControllerRevision,
  DaemonSetSpec,
  DaemonSetStatus,
  DeploymentSpec,
  DeploymentStatus,
  ReplicaSetSpec,
  ReplicaSetStatus,
  StatefulSetSpec,
  StatefulSetStatus,
} from 'kubernetes-types/apps/v1.js';
import type { JobSpec, JobStatus } from 'kubernetes-types/batch/v1.js';
import type {
  NodeSpec,
  NodeStatus,
  PersistentVolumeClaimSpec,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  ReplicationControllerSpec,
} from 'kubernetes-types/core/v1.js';
import type { JsonObject, KubeObject } from '../../objects.ts';

export type PodObject = KubeObject & { spec: PodSpec; status?: PodStatus };
export type NodeObject = KubeObject & { spec?: NodeSpec; status?: NodeStatus };
export type ClaimObject = KubeObject & { spec: PersistentVolumeClaimSpec };

/** Newer than the published types: pods on their way out, counted next to the replicas. */
interface Terminating {
  terminatingReplicas?: number;
}

export type ReplicaSetObject = KubeObject & { spec: ReplicaSetSpec; status?: ReplicaSetStatus & Terminating };
export type ReplicationControllerObject = KubeObject & {
  spec: ReplicationControllerSpec;
  status?: ReplicaSetStatus & Terminating;
};
export type DeploymentObject = KubeObject & { spec: DeploymentSpec; status?: DeploymentStatus & Terminating };
export type StatefulSetObject = KubeObject & { spec: StatefulSetSpec; status?: StatefulSetStatus };
export type DaemonSetObject = KubeObject & { spec: DaemonSetSpec; status?: DaemonSetStatus };
export type JobObject = KubeObject & { spec: JobSpec; status?: JobStatus };
export type RevisionObject = KubeObject & Pick<ControllerRevision, 'revision'> & { data?: JsonObject };

export type PodTemplate = PodTemplateSpec;
