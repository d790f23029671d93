import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import type { Propagation } from './judge.ts';
import type { Owned } from './owner-lookup.ts';

const writesAtOnce = 100;

/** Deletes this very object, unless it has changed since it was judged. */
export async function deleteOwned(client: Client, { resource, object }: Owned, policy: Propagation): Promise<void> {
  const { namespace = '', name, uid, resourceVersion } = object.metadata;
  await ignoringGone(
    client.delete(resource, namespace, name, {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      propagationPolicy: policy,
    }),
  );
}

/** Takes these owners off the object's list. */
export async function stripOwners(client: Client, owned: Owned, uids: ReadonlySet<string>): Promise<void> {
  await changeOwners(client, owned, (owners) => owners.filter(({ uid }) => !uids.has(uid)));
}

/** The object no longer blocks the deletion of its owners, though they stay its owners. */
export async function unblockOwners(client: Client, owned: Owned): Promise<KubeObject | undefined> {
  return changeOwners(client, owned, (owners) =>
    owners.map((owner) => (owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner)),
  );
}

async function changeOwners(
  client: Client,
  { resource, object }: Owned,
  change: (owners: readonly OwnerReference[]) => OwnerReference[],
): Promise<KubeObject | undefined> {
  const { namespace = '', name, uid } = object.metadata;
  return ignoringGone(
    client.modify(resource, namespace, name, (draft) => {
      if (draft.metadata.uid !== uid) return undefined;
      const owners = change(draft.metadata.ownerReferences ?? []);
      if (owners.length > 0) draft.metadata.ownerReferences = owners;
      else delete draft.metadata.ownerReferences;
      return draft;
    }),
  );
}

/** The dependents live on without this owner. */
export async function orphan(client: Client, owner: KubeObject, dependents: readonly Owned[]): Promise<void> {
  const uids = new Set([owner.metadata.uid ?? '']);
  for (let start = 0; start < dependents.length; start += writesAtOnce) {
    const batch = dependents.slice(start, start + writesAtOnce);
    await Promise.all(batch.map((owned) => stripOwners(client, owned, uids)));
  }
}

export async function removeFinalizer(client: Client, { resource, object }: Owned, finalizer: string): Promise<void> {
  const { namespace = '', name, uid } = object.metadata;
  await ignoringGone(
    client.modify(resource, namespace, name, (draft) => {
      if (draft.metadata.uid !== uid) return undefined;
      draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((one) => one !== finalizer);
      return draft;
    }),
  );
}

async function ignoringGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}
