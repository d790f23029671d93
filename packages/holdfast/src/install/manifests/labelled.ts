import type { Fields } from '@holdfast/base/json';
import { isObject } from '@holdfast/base/json';
import { commonLabels } from '../../api/installation-names.ts';
import type { KindResource } from '../../kube/discovery/discovery.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy, type Went, went } from '../failures.ts';
import { type ObjectRef, refKindText } from '../object-ref.ts';
import type { OwnKind } from './own-kinds.ts';

const partOf = 'app.kubernetes.io/part-of';
export const ownSelector = `${partOf}=${commonLabels[partOf]}`;

/** An object of an installation, as it was found. */
export interface FoundObject {
  readonly ref: ObjectRef;
  readonly resource: KindResource;
  readonly uid: string;
  readonly object: Fields;
}

/** All objects of a kind that say they are ours. A kind that is not served has none. */
export async function labelledObjects(
  api: ClusterApi,
  kind: OwnKind,
  namespace: string | undefined,
): Promise<Went<readonly FoundObject[]>> {
  const resource = await api.resourceOf(kind);
  if (!resource.ok) {
    return resource.failure.kind === 'notFound' ? went([]) : endedBy(resource.failure, kind.kind.toLowerCase());
  }
  const selection = {
    labelSelector: ownSelector,
    ...(kind.namespaced && namespace !== undefined ? { namespace } : {}),
  };
  const listed = await api.list<Fields>(resource.value, selection);
  if (!listed.ok) return endedBy(listed.failure, `cannot list ${refKindText(resource.value)}`);
  return went(listed.value.map((object) => foundOf(resource.value, object)));
}

/** It says that it is ours. */
export function isOurs({ metadata }: Fields): boolean {
  const labels = isObject(metadata) ? metadata['labels'] : undefined;
  return isObject(labels) && labels[partOf] === commonLabels[partOf];
}

export function foundOf(resource: KindResource, object: Fields): FoundObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const text = (key: string) => (typeof metadata[key] === 'string' ? metadata[key] : undefined);
  const { group, version, kind } = resource;
  const ref = { group, version, kind, namespace: text('namespace'), name: text('name') ?? '' };
  return { ref, resource, uid: text('uid') ?? '', object };
}
