import { type Fields, isObject } from '@holdfast/base/json';
import type { Namespace } from '@holdfast/base/meta';
import type { DisruptionLedger } from '../../api/ledger.ts';
import { annotation } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Pod } from '../../api/pod.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { PodGroup, Workload } from '../../api/workload.ts';
import type { ResourceName } from '../../kube/client/client.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { projectMeta } from '../../kube/projection/meta.ts';
import { projectPod as projectWholePod } from '../../kube/projection/pod.ts';
import { keepPodAnnotation } from './pod-annotations.ts';

/** What is kept of each object that the API server sends. Specs of budgets and groups are small, and taken as they are. */

const budgetAnnotations: ReadonlySet<string> = new Set([
  annotation.budgetScope,
  annotation.groupLabel,
  annotation.groupMinAvailable,
  annotation.takeover,
  annotation.projection,
  annotation.disruptionsAllowed,
]);

/** Everything but what kubectl remembers of a manifest, which may be as long as the object. */
function keepAllButLastApplied(key: string): boolean {
  return key !== 'kubectl.kubernetes.io/last-applied-configuration';
}

export function podProjection(interner: Interner): (object: Fields) => Pod {
  const projection = { interner, keepAnnotation: keepPodAnnotation };
  return (object) => projectWholePod(object, projection);
}

export function namespaceProjection(interner: Interner): (object: Fields) => Namespace {
  return (object) => {
    const { status } = object;
    const phase = isObject(status) && typeof status['phase'] === 'string' ? status['phase'] : undefined;
    return {
      metadata: projectMeta(object, { interner, keepAnnotation: () => false }),
      ...(phase === undefined ? {} : { status: { phase } }),
    };
  };
}

export function pdbProjection(interner: Interner): (object: Fields) => PodDisruptionBudget {
  const projection = { interner, keepAnnotation: (key: string) => budgetAnnotations.has(key) };
  return (object) => {
    const { spec, status } = object;
    return {
      metadata: projectMeta(object, projection),
      ...(isObject(spec) ? { spec } : {}),
      ...(isObject(status) ? { status: pdbStatus(status) } : {}),
    };
  };
}

/** Our condition, and what Kubernetes' own eviction check reads and writes. */
function pdbStatus({ conditions, observedGeneration, disruptionsAllowed, disruptedPods }: Fields) {
  return {
    ...(Array.isArray(conditions) ? { conditions: conditions.filter(isObject) as never } : {}),
    ...(typeof observedGeneration === 'number' ? { observedGeneration } : {}),
    ...(typeof disruptionsAllowed === 'number' ? { disruptionsAllowed } : {}),
    ...(isObject(disruptedPods) ? { disruptedPods: disruptedPods as Readonly<Record<string, string>> } : {}),
  };
}

export function pubProjection(
  interner: Interner,
  { group, version }: ResourceName,
): (object: Fields) => PodUnavailableBudget {
  const projection = { interner, keepAnnotation: keepAllButLastApplied };
  // As it was read: its status is written in the same version.
  const apiVersion = `${group}/${version}`;
  return (object) => {
    const { spec, status } = object;
    return {
      apiVersion,
      kind: 'PodUnavailableBudget',
      metadata: projectMeta(object, projection),
      ...(isObject(spec) ? { spec } : {}),
      ...(isObject(status) ? { status } : {}),
    };
  };
}

export function ledgerProjection(interner: Interner): (object: Fields) => DisruptionLedger {
  const projection = { interner, keepAnnotation: keepAllButLastApplied };
  return (object) => {
    const { spec } = object;
    return { metadata: projectMeta(object, projection), ...(isObject(spec) ? { spec } : {}) };
  };
}

export function workloadProjection(interner: Interner): (object: Fields) => Workload {
  return (object) => {
    const { spec } = object;
    return {
      metadata: projectMeta(object, { interner, keepAnnotation: () => false }),
      ...(isObject(spec) ? { spec } : {}),
    };
  };
}

/** Items of a list do not say what they are; the collection does. */
export function podGroupProjection(interner: Interner, resource: ResourceName): (object: Fields) => PodGroup {
  const apiVersion = `${resource.group}/${resource.version}`;
  return (object) => {
    const { spec } = object;
    return {
      apiVersion,
      metadata: projectMeta(object, { interner, keepAnnotation: () => false }),
      ...(isObject(spec) ? { spec } : {}),
    };
  };
}
