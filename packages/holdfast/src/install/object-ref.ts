import type { Manifest } from './manifests/manifests.ts';

/** Which object is meant, before it is known where its kind is served. */
export interface ObjectRef {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export function refOf({ apiVersion, kind, metadata }: Manifest): ObjectRef {
  const [group, version] = groupVersion(apiVersion ?? '');
  const namespace = metadata !== undefined && 'namespace' in metadata ? metadata.namespace : undefined;
  return { group, version, kind: kind ?? '', namespace, name: metadata?.name ?? '' };
}

export function groupVersion(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? ['', first] : [first, second];
}

/** As kubectl writes it: `deployment.apps/holdfast`. */
export function refText({ group, kind, name }: Pick<ObjectRef, 'group' | 'kind' | 'name'>): string {
  return `${refKindText({ group, kind })}/${name}`;
}

export function refKindText({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>): string {
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`;
}

/** No two objects have the same. */
export function refKey(ref: ObjectRef): string {
  return `${refText(ref)} ${ref.namespace ?? ''}`;
}
