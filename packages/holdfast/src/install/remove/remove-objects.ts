import type { Fields } from '@holdfast/base/json';
import type { InstallReadiness } from '../apply/readiness.ts';
import { type Patience, waitUntil } from '../apply/wait-until.ts';
import type { ClusterApi, Propagation, RefPlace } from '../cluster-api.ts';
import { endedBy, type Went, went } from '../failures.ts';
import { type FoundObject, foundOf, labelledObjects } from '../manifests/labelled.ts';
import type { OwnKind } from '../manifests/own-kinds.ts';
import { refText } from '../object-ref.ts';
import { done, type Ended } from '../outcome.ts';

/** Removes every object of ours of these kinds, and waits until they are gone. */
export async function removeKinds(
  api: ClusterApi,
  kinds: readonly OwnKind[],
  namespace: string,
  patience: Patience,
): Promise<Ended> {
  const found: FoundObject[] = [];
  for (const kind of kinds) {
    const objects = await labelledObjects(api, kind, kind.anywhere === true ? undefined : namespace);
    if (!objects.ok) return objects.ended;
    found.push(...objects.value);
  }
  return removeAll(api, found, patience);
}

/** Removes one object, if it is there. */
export async function removeNamed(
  api: ClusterApi,
  kind: { readonly apiVersion: string; readonly kind: string },
  place: RefPlace,
  patience: Patience,
): Promise<Ended> {
  const resource = await api.resourceOf(kind);
  if (!resource.ok) return resource.failure.kind === 'notFound' ? done : endedBy(resource.failure, kind.kind).ended;
  const object = await api.find<Fields>(resource.value, place);
  if (!object.ok) return endedBy(object.failure, `${kind.kind.toLowerCase()}/${place.name}`).ended;
  return object.value === undefined ? done : removeAll(api, [foundOf(resource.value, object.value)], patience);
}

export async function removeAll(api: ClusterApi, found: readonly FoundObject[], patience: Patience): Promise<Ended> {
  for (const { resource, ref, uid } of found) {
    const removed = await api.remove(resource, ref, uid, propagationOf(ref.kind));
    if (!removed.ok) return endedBy(removed.failure, refText(ref)).ended;
  }
  if (!api.dryRun) {
    const waited = await waitUntil(api, patience, () => gone(api, found));
    if (!waited.ok) return waited.ended;
    if (waited.value.kind !== 'ready') return stillThere(waited.value.text);
  }
  for (const { ref } of found) patience.report({ kind: 'object', ref, result: { kind: 'deleted' } });
  return done;
}

/** Foreground for what has pods: when the object is deleted, none of its pods runs any more. */
function propagationOf(kind: string): Propagation {
  return kind === 'Deployment' || kind === 'DaemonSet' ? 'Foreground' : 'Background';
}

async function gone(api: ClusterApi, found: readonly FoundObject[]): Promise<Went<InstallReadiness>> {
  for (const { resource, ref, uid } of found) {
    const now = await api.find<Fields>(resource, ref);
    if (!now.ok) return endedBy(now.failure, refText(ref));
    if (now.value === undefined || foundOf(resource, now.value).uid !== uid) continue;
    return went({ kind: 'waiting', text: `${refText(ref)} is being deleted` });
  }
  return went({ kind: 'ready' });
}

function stillThere(message: string): Ended {
  const advice =
    'Its finalizers, or what it owns, keep it (kubectl get -o yaml shows them). Run the same command again later: it continues where it stopped.';
  return { kind: 'late', message, reasons: [], events: [], advice };
}
