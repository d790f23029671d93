import { sameJson } from '@holdfast/base/json';
import type { ResourceType } from '../../kinds/resource-type.ts';
import type { KubeObject } from '../../objects.ts';

/** Kinds whose specification is counted. The others (config maps, secrets, services, nodes, ...) have no generation. */
const counted = new Set([
  'pods',
  'replicationcontrollers',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  'batch/cronjobs',
  'policy/poddisruptionbudgets',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/networkpolicies',
  'discovery.k8s.io/endpointslices',
  'scheduling.k8s.io/priorityclasses',
  'autoscaling/horizontalpodautoscalers',
  'podtemplates',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'apiextensions.k8s.io/customresourcedefinitions',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceslices',
]);

export function hasGeneration(type: ResourceType): boolean {
  return type.custom !== undefined || counted.has(type.key);
}

/** Something that people specify differs: neither metadata nor, where it has its own path, status. */
export function specificationChanged(type: ResourceType, next: KubeObject, old: KubeObject): boolean {
  const skipsStatus = type.subresources.has('status');
  const fields = new Set([...Object.keys(next), ...Object.keys(old)]);
  for (const field of fields) {
    if (field === 'metadata' || field === 'apiVersion' || field === 'kind' || (field === 'status' && skipsStatus))
      continue;
    if (!deepSame(next[field], old[field])) return true;
  }
  return false;
}

/** Specifications nest deeper than the fields that `sameJson` was made for. */
const maxDepth = 200;

function deepSame(left: unknown, right: unknown): boolean {
  return sameJson(left, right, maxDepth);
}

/** Whole objects, as an update compares them before it writes. */
export function sameObject(left: KubeObject, right: KubeObject): boolean {
  return deepSame(left, right);
}
