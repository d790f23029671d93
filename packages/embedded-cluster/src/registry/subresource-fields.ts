import type { ResourceType } from '../kinds/resource-type.ts';
import type { KubeObject } from '../objects.ts';

/** A built-in kind's status may carry labels and the like along, except that of the kinds that came last. */
const statusAlone = new Set(['scheduling.k8s.io/podgroups']);

/** What a request to a subresource wants, with everything that the subresource does not own as it was. */
export function withSubresourceOnly(
  type: ResourceType,
  subresource: string,
  wanted: KubeObject,
  old: KubeObject,
): KubeObject {
  const kept: KubeObject = { ...old, metadata: { ...old.metadata } };
  if (wanted.metadata.managedFields !== undefined) kept.metadata.managedFields = wanted.metadata.managedFields;
  switch (subresource) {
    case 'status':
      setField(kept, 'status', wanted['status']);
      if (!type.custom && !statusAlone.has(type.key)) carryMetadata(type, kept, wanted);
      return kept;
    case 'approval':
      return { ...kept, status: { ...(old['status'] as object), conditions: conditionsOf(wanted) } };
    case 'finalize':
      return { ...kept, spec: wanted['spec'] };
    case 'resize':
      // What else it wants to change is for validation to refuse, so it stays in.
      return { ...kept, spec: wanted['spec'] };
    case 'ephemeralcontainers':
      return { ...kept, spec: { ...(old['spec'] as object), ephemeralContainers: ephemeral(wanted) } };
    default:
      return wanted;
  }
}

function setField(object: KubeObject, field: string, value: unknown): void {
  if (value === undefined) delete object[field];
  else object[field] = value;
}

const carriedFields = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** What even those may not change who report on an object. */
const neverCarried: ReadonlyMap<string, string> = new Map([
  ['pods', 'ownerReferences'],
  ['apps/deployments', 'labels'],
]);

function carryMetadata(type: ResourceType, kept: KubeObject, wanted: KubeObject): void {
  for (const field of carriedFields) {
    if (neverCarried.get(type.key) === field) continue;
    const value = wanted.metadata[field];
    if (value === undefined) delete kept.metadata[field];
    else Object.assign(kept.metadata, { [field]: value });
  }
}

function conditionsOf(wanted: KubeObject): unknown {
  return (wanted['status'] as { conditions?: unknown } | undefined)?.conditions ?? [];
}

function ephemeral(wanted: KubeObject): unknown {
  return (wanted['spec'] as { ephemeralContainers?: unknown } | undefined)?.ephemeralContainers;
}
