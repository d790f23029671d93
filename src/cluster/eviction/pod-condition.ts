import type { PodCondition } from 'kubernetes-types/core/v1.js';
import type { KubeObject } from '../objects.ts';

/** The pod with the condition by which everyone sees that it was evicted, and did not fail. */
export function disruptionTargeted(pod: KubeObject, now: string): KubeObject {
  const status = (pod['status'] ?? {}) as { conditions?: PodCondition[] };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  const before = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const condition: PodCondition & { observedGeneration?: number } = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: before?.status === 'True' && before.lastTransitionTime ? before.lastTransitionTime : now,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
  };
  return { ...pod, metadata: { ...pod.metadata }, status: { ...status, conditions: [...others, condition] } };
}
