import type { Affinity, PodAffinityTerm } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../common/workloads.ts';

/** One domain of the topology for each value of the label: its own pods together, and no others of the kind. */
export function withExclusiveAffinity(pod: PodObject, topologyKey: string, label: string, value: string): PodObject {
  const affinity: Affinity = pod.spec.affinity ?? {};
  const near = affinity.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = affinity.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const covers = (term: PodAffinityTerm): boolean => term.topologyKey === topologyKey;
  if (near.some(covers) && far.some(covers)) return pod;
  const together: PodAffinityTerm = {
    labelSelector: { matchExpressions: [{ key: label, operator: 'In', values: [value] }] },
    topologyKey,
  };
  const apart: PodAffinityTerm = {
    labelSelector: {
      matchExpressions: [
        { key: label, operator: 'Exists' },
        { key: label, operator: 'NotIn', values: [value] },
      ],
    },
    topologyKey,
  };
  return {
    ...pod,
    spec: {
      ...pod.spec,
      affinity: {
        ...affinity,
        podAffinity: {
          ...affinity.podAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: [...near, together],
        },
        podAntiAffinity: {
          ...affinity.podAntiAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: [...far, apart],
        },
      },
    },
  };
}
