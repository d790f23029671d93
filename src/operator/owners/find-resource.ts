import type { APIGroup } from 'kubernetes-types/meta/v1.js';
import type { KubeClient } from '../../kube/client/client.ts';
import { groupPath } from '../../kube/client/resource.ts';
import type { Discovery, KindResource } from '../../kube/discovery/discovery.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import type { OwnerKind } from './owner-kinds.ts';

export type FindResource = (kind: OwnerKind) => Promise<Outcome<KindResource>>;

/**
 * Finds where objects of a kind live. The version that a group prefers need not have all of its kinds: not found means that none
 * of its versions has it.
 */
export function createFindResource(discovery: Discovery, client: KubeClient, signal: AbortSignal): FindResource {
  return async (kind) => {
    const preferred = await discovery.resourceOf(kind);
    if (preferred.ok || preferred.failure.kind !== 'notFound') return preferred;
    const path = kind.group === '' ? undefined : groupPath(kind.group);
    if (path === undefined) return preferred;
    const group = await client.document<APIGroup>(path, { signal });
    if (!group.ok) return group;
    for (const { version } of group.value.versions ?? []) {
      const found = await discovery.resourceOf({ ...kind, version });
      if (found.ok || found.failure.kind !== 'notFound') return found;
    }
    return preferred;
  };
}
