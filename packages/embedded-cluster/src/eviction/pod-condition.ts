import type { PodCondition } from 'kubernetes-types/core/v1.js';
import type { KubeObject } from '../objects.ts';

/** Newer than the published types. */
type SeenCondition = PodCondition & { observedGeneration?: number };

/** The pod with the condition by which clients see that it was evicted, and did not fail. The pod itself if it has it. */
export function disruptionTargeted(pod: KubeObject, now: string): KubeObject {
  const status = (pod['status'] ?? {}) as { conditions?: SeenCondition[] };
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'DisruptionTarget');
  if (before !== undefined && saysSo(before)) return pod;
  const condition: SeenCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: before?.status === 'True' && before.lastTransitionTime ? before.lastTransitionTime : now,
    // The server does not say which generation it has seen; it only never takes back what was said.
    ...(before?.observedGeneration === undefined ? {} : { observedGeneration: before.observedGeneration }),
  };
  const next = before ? conditions.map((one) => (one === before ? condition : one)) : [...conditions, condition];
  return { ...pod, metadata: { ...pod.metadata }, status: { ...status, conditions: next } };
}

function saysSo({ status, reason, message, lastProbeTime }: SeenCondition): boolean {
  const same = status === 'True' && reason === 'EvictionByEvictionAPI' && message === 'Eviction API: evicting';
  return same && (lastProbeTime === undefined || lastProbeTime === null);
}
