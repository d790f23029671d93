import type { Fields } from '@holdfast/base/json';
import { pubGroup } from '../../api/pub/pub.ts';
import type { Patience } from '../apply/wait-until.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy, type Went, went } from '../failures.ts';
import { foundOf, isOurs, ownSelector } from '../manifests/labelled.ts';
import { refText } from '../object-ref.ts';
import { done, type Ended } from '../outcome.ts';
import { removeAll } from './remove-objects.ts';

/** Kinds that people put into namespaces; what belongs to one of them is not looked for. */
const inhabitants = [
  ['v1', 'Pod'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  ['v1', 'PersistentVolumeClaim'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  [`${pubGroup}/v1beta1`, 'PodUnavailableBudget'],
] as const;

/** Kubernetes puts it into every namespace. */
const rootAuthority = 'kube-root-ca.crt';

const notOurs = ownSelector.replace('=', '!=');

/** Deleting a namespace deletes everything in it: only our own is deleted, and only when nothing else is in it. */
export async function removeNamespace(api: ClusterApi, name: string, patience: Patience): Promise<Ended> {
  const resource = await api.resourceOf({ apiVersion: 'v1', kind: 'Namespace' });
  if (!resource.ok) return endedBy(resource.failure, `namespace/${name}`).ended;
  const found = await api.find(resource.value, { namespace: undefined, name });
  if (!found.ok) return endedBy(found.failure, `namespace/${name}`).ended;
  if (found.value === undefined) return done;
  const why = isOurs(found.value) ? await strangersIn(api, name) : went('it is not labelled as a part of Holdfast');
  if (!why.ok) return why.ended;
  const namespace = foundOf(resource.value, found.value);
  if (why.value === undefined) return removeAll(api, [namespace], patience);
  patience.report({ kind: 'object', ref: namespace.ref, result: { kind: 'skipped', why: why.value } });
  return done;
}

async function strangersIn(api: ClusterApi, namespace: string): Promise<Went<string | undefined>> {
  for (const [apiVersion, kind] of inhabitants) {
    const resource = await api.resourceOf({ apiVersion, kind });
    if (!resource.ok && resource.failure.kind === 'notFound') continue;
    if (!resource.ok) return endedBy(resource.failure, kind.toLowerCase());
    const listed = await api.list<Fields>(resource.value, { namespace, labelSelector: notOurs });
    if (!listed.ok && listed.failure.kind === 'denied')
      return went(`you may not see whether others have ${kind}s in it`);
    if (!listed.ok) return endedBy(listed.failure, `cannot list ${resource.value.plural}`);
    const refs = listed.value.map((object) => foundOf(resource.value, object).ref);
    const stranger = refs.find(({ name }) => name !== rootAuthority);
    if (stranger !== undefined) return went(`${refText(stranger)} is in it, which is not Holdfast's`);
  }
  return went(undefined);
}
