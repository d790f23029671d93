import { type Fields, isObject } from '@holdfast/base/json';
import type { ObjectMeta, OwnerReference, StringMap } from '@holdfast/base/meta';
import type { Interner } from './interner.ts';

/** Under construction. Projections run for every event: they assign fields one by one, because spreading costs three times as much. */
export type Draft<T> = { -readonly [key in keyof T]: T[key] };

const orphanFinalizer = 'orphan';
/** Shared by all objects that have it. */
const orphaning: readonly string[] = [orphanFinalizer];

export interface MetaProjection {
  readonly interner: Interner;
  /** Annotations can be long, and most belong to other programs. */
  readonly keepAnnotation: (key: string) => boolean;
}

/** What we read of any object's metadata, and nothing that it came in. Throws when there is no name. */
export function projectMeta(object: Fields, { interner, keepAnnotation }: MetaProjection): ObjectMeta {
  const source = object['metadata'];
  if (!isObject(source) || typeof source['name'] !== 'string') throw new SyntaxError('an object has a name');
  const { namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = source;
  const meta: Draft<ObjectMeta> = { name: source['name'] };
  if (typeof namespace === 'string') meta.namespace = interner.of(namespace);
  if (typeof uid === 'string') meta.uid = uid;
  if (typeof resourceVersion === 'string') meta.resourceVersion = resourceVersion;
  if (typeof generation === 'number') meta.generation = generation;
  if (typeof creationTimestamp === 'string') meta.creationTimestamp = interner.of(creationTimestamp);
  if (typeof deletionTimestamp === 'string') meta.deletionTimestamp = deletionTimestamp;
  const labels = texts(source['labels'], interner, undefined);
  if (labels !== undefined) meta.labels = labels;
  const annotations = texts(source['annotations'], interner, keepAnnotation);
  if (annotations !== undefined) meta.annotations = annotations;
  const owners = ownersOf(source['ownerReferences'], interner);
  if (owners !== undefined) meta.ownerReferences = owners;
  // The one that says what a deletion does to what the object owns; the others are for their controllers.
  const { finalizers } = source;
  if (Array.isArray(finalizers) && finalizers.includes(orphanFinalizer)) meta.finalizers = orphaning;
  return meta;
}

function texts(
  source: unknown,
  interner: Interner,
  keep: ((key: string) => boolean) | undefined,
): StringMap | undefined {
  if (!isObject(source)) return undefined;
  let kept: Record<string, string> | undefined;
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (typeof value !== 'string' || (keep !== undefined && !keep(key))) continue;
    kept ??= {};
    // A key like any other, where assigning it would be lost.
    if (key === '__proto__') Object.defineProperty(kept, key, { value, enumerable: true });
    else kept[key] = interner.of(value);
  }
  return kept;
}

function ownersOf(source: unknown, interner: Interner): readonly OwnerReference[] | undefined {
  if (!Array.isArray(source) || source.length === 0) return undefined;
  return source.filter(isObject).map(({ apiVersion, kind, name, uid, controller }) => {
    const owner: Draft<OwnerReference> = {
      apiVersion: interner.of(String(apiVersion)),
      kind: interner.of(String(kind)),
      name: interner.of(String(name)),
      uid: interner.of(String(uid)),
    };
    if (controller === true) owner.controller = true;
    return owner;
  });
}
