import { sameJson } from '@holdfast/base/json';
import type { ViewEvent } from '../../view.ts';
import { isFinishedPod, isTerminating } from '../common/pods.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import type { PodNeeds } from './pod-needs.ts';

/** What a pod is to the scheduler. */
export type PodRole = 'placed' | 'pending' | 'none';

const schedulerName = 'default-scheduler';

export function podRoleOf(pod: PodObject): PodRole {
  if (isFinishedPod(pod)) return 'none';
  if (pod.spec.nodeName) return 'placed';
  const ours = (pod.spec.schedulerName ?? schedulerName) === schedulerName;
  const gated = (pod.spec.schedulingGates ?? []).length > 0;
  return ours && !gated && !isTerminating(pod) ? 'pending' : 'none';
}

/** A change of its status alone is no reason to try a pod again. */
export function isRequestChanged(before: PodNeeds, pod: PodObject): boolean {
  return !sameJson(before.labels, pod.metadata.labels ?? {}) || !sameJson(before.spec, pod.spec);
}

/** Heartbeats come all the time and change nothing for the scheduler. */
export function isNodeChanged({ type, object, previous }: ViewEvent): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return true;
  return !sameJson(relevant(object as NodeObject), relevant(previous as NodeObject));
}

function relevant({ metadata, spec, status }: NodeObject): unknown {
  return {
    labels: metadata.labels ?? {},
    taints: spec?.taints ?? [],
    unschedulable: spec?.unschedulable ?? false,
    allocatable: status?.allocatable ?? status?.capacity ?? {},
  };
}
