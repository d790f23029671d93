import type { ObjectMeta } from '@holdfast/base/meta';
import type { LoadedObject } from '../../load-objects.ts';

/**
 * Manifests, unlike what a cluster prints, may have no uids. An object without one is taken for the one that others of the snapshot
 * refer to by its name; one without references gets one when it is loaded.
 */
export function withMeantUids(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  const meant = new Map<string, string>();
  for (const { metadata } of objects) {
    for (const { kind, name, uid } of referencesOf(metadata)) meant.set(`${spaceOf(metadata)}/${kind}/${name}`, uid);
  }
  return objects.map((object) => {
    const { metadata, kind } = object;
    const uid = metadata['uid'] ?? meant.get(`${spaceOf(metadata)}/${kind}/${metadata.name}`);
    return uid === undefined ? object : { ...object, metadata: { ...metadata, uid } };
  });
}

export function referencesOf(metadata: LoadedObject['metadata']): NonNullable<ObjectMeta['ownerReferences']> {
  return (metadata as unknown as ObjectMeta).ownerReferences ?? [];
}

export function uidOf({ metadata }: LoadedObject): string {
  return typeof metadata['uid'] === 'string' ? metadata['uid'] : '';
}

/** Owners are in the namespace of what they own; kubectl leaves `default` out of manifests. */
export function spaceOf({ namespace }: LoadedObject['metadata']): string {
  return namespace ?? 'default';
}
