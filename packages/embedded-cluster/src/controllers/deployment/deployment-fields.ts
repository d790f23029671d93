/** What a Deployment asks for, with the defaults filled in. */

import { scaled } from '../common/amounts.ts';
import type { DeploymentObject } from '../common/workloads.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
export const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
export const hashLabel = 'pod-template-hash';

export interface DesiredState {
  readonly replicas: number;
  readonly recreate: boolean;
  readonly paused: boolean;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Zero where none is wanted. */
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number | undefined;
  readonly historyLimit: number | undefined;
}

const maxInt32 = 2_147_483_647;

export function desiredStateOf(deployment: DeploymentObject): DesiredState {
  const { spec } = deployment;
  const replicas = spec.replicas ?? 1;
  const recreate = spec.strategy?.type === 'Recreate';
  const rolling = recreate ? undefined : spec.strategy?.rollingUpdate;
  const maxSurge = scaled(rolling?.maxSurge, replicas, 'up');
  const unavailable = scaled(rolling?.maxUnavailable, replicas, 'down');
  // Percentages may both round to nothing, and then nothing could ever move.
  const maxUnavailable = !recreate && maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  const deadline = spec.progressDeadlineSeconds ?? maxInt32;
  const limit = spec.revisionHistoryLimit ?? maxInt32;
  return {
    replicas,
    recreate,
    paused: spec.paused === true,
    maxSurge,
    maxUnavailable: Math.min(maxUnavailable, replicas),
    minReadySeconds: spec.minReadySeconds ?? 0,
    progressDeadlineSeconds: deadline === maxInt32 ? undefined : deadline,
    historyLimit: limit === maxInt32 ? undefined : limit,
  };
}
