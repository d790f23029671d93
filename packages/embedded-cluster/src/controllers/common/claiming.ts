import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import { type Claims, controllerOf, ownerReference } from './owners.ts';

/** Carries out adoption and release; returns everything that is controlled afterwards. */
export async function executeClaims<T extends KubeObject>(
  client: Client,
  resource: ResourceKey,
  owner: KubeObject,
  claims: Claims<T>,
): Promise<readonly T[]> {
  const adopted: T[] = [];
  for (const object of claims.adopt) {
    const result = await unlessGone(
      client.modify<T>(resource, owner.metadata.namespace ?? '', object.metadata.name, (draft) =>
        sameObject(draft, object) && controllerOf(draft) === undefined ? withOwner(draft, owner) : undefined,
      ),
    );
    if (result) adopted.push(result);
  }
  for (const object of claims.release) {
    await unlessGone(
      client.modify<T>(resource, owner.metadata.namespace ?? '', object.metadata.name, (draft) =>
        sameObject(draft, object) ? withoutOwner(draft, owner) : undefined,
      ),
    );
  }
  return [...claims.owned, ...adopted];
}

function sameObject(draft: KubeObject, seen: KubeObject): boolean {
  return draft.metadata.uid === seen.metadata.uid;
}

function withOwner<T extends KubeObject>(draft: T, owner: KubeObject): T {
  const others = (draft.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid);
  return { ...draft, metadata: { ...draft.metadata, ownerReferences: [...others, ownerReference(owner)] } };
}

function withoutOwner<T extends KubeObject>(draft: T, owner: KubeObject): T {
  const { ownerReferences = [], ...metadata } = draft.metadata;
  const others = ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid);
  return { ...draft, metadata: others.length > 0 ? { ...metadata, ownerReferences: others } : metadata };
}

/** An object that is gone or has become invalid needs no claiming. */
async function unlessGone<T>(write: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isApiError(error, 404) || isApiError(error, 422)) return undefined;
    throw error;
  }
}
