import { isTerminating } from '../common/pods.ts';
import { omitZeros } from '../common/status-writer.ts';
import type { RevisionObject, StatefulSetObject } from '../common/workloads.ts';
import { replicasOf, revisionOfPod } from './ordinals.ts';
import { type AvailabilityInput, isRunningAndReady, isSlotAvailable, type Slot } from './slots.ts';

export type StatefulSetStatus = NonNullable<StatefulSetObject['status']>;

export interface StatefulSetStatusInput {
  readonly set: StatefulSetObject;
  readonly slots: readonly Slot[];
  readonly current: RevisionObject;
  readonly update: RevisionObject;
  readonly collisions: number;
  readonly health: AvailabilityInput;
  /** Pods of the current revision that this pass deletes for the update. */
  readonly givenUp: number;
}

export function computeStatefulSetStatus(input: StatefulSetStatusInput): StatefulSetStatus {
  const { set, slots, current, update, health } = input;
  const existing = slots.filter(({ exists }) => exists);
  const ready = existing.filter(isRunningAndReady);
  const staying = existing.filter(({ pod }) => !isTerminating(pod));
  const ofRevision = (revision: RevisionObject) =>
    staying.filter(({ pod }) => revisionOfPod(pod) === revision.metadata.name).length;
  const conditions = set.status?.conditions;
  return complete(set, {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: existing.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((slot) => isSlotAvailable(slot, health)).length,
    currentReplicas: Math.max(0, ofRevision(current) - input.givenUp),
    updatedReplicas: ofRevision(update),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: input.collisions,
    ...(conditions && conditions.length > 0 ? { conditions } : {}),
  });
}

/** When everything is of the new revision and ready, the new revision is the current one. */
function complete(set: StatefulSetObject, status: StatefulSetStatus): StatefulSetStatus {
  const replicas = replicasOf(set);
  const done = status.updatedReplicas === replicas && status.readyReplicas === replicas && status.replicas === replicas;
  const { updatedReplicas: currentReplicas = 0, updateRevision: currentRevision = '' } = status;
  return omitZeros(done ? { ...status, currentReplicas, currentRevision } : status, [
    'replicas',
    'availableReplicas',
    'collisionCount',
  ]);
}
