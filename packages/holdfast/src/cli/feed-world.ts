import { isObject } from '@holdfast/base/json';
import { controllerOf, type Namespace, type ObjectMeta } from '@holdfast/base/meta';
import type { DisruptionLedger } from '../api/ledger.ts';
import type { PodDisruptionBudget } from '../api/pdb.ts';
import type { Pod } from '../api/pod.ts';
import type { PodUnavailableBudget } from '../api/pub/pub.ts';
import type { PodGroup, Workload } from '../api/workload.ts';
import { deletionOf } from '../core/owner.ts';
import { collections } from '../core/sync.ts';
import { World } from '../core/world/world.ts';
import { withSizesAlone } from './ledger-sizes.ts';
import type { LoadedObject } from './load-objects.ts';

/** Builds a world from a snapshot of objects. */
export function worldOf(objects: readonly LoadedObject[]): World {
  const world = new World();
  for (const collection of collections) world.setSynced(collection, '0');
  for (const namespace of new Set(objects.map(namespaceOf))) {
    world.setLedger(namespace, { metadata: { name: 'default', namespace } });
  }
  for (const object of withUids(withSizesAlone(objects).map(inNamespace))) {
    try {
      feedObject(world, object);
    } catch (error) {
      const { namespace, name } = object.metadata;
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${object.kind} ${namespace}/${name} cannot be read: ${why}`);
    }
  }
  return world;
}

/**
 * Manifests, unlike what a cluster prints, may have no uids. An object without one is taken for the one that others of the
 * snapshot mean by its name: as a stranger it would leave its pods without an owner, and so without protection.
 */
function withUids(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  const meant = new Map<string, string>();
  for (const { metadata } of objects) {
    const references = (metadata as unknown as ObjectMeta).ownerReferences ?? [];
    for (const one of references) meant.set(`${metadata.namespace}/${one.kind}/${one.name}`, one.uid);
  }
  return objects.map((object) => {
    const { metadata, kind } = object;
    const uid =
      metadata['uid'] ?? meant.get(`${metadata.namespace}/${kind}/${metadata.name}`) ?? `${kind}/${metadata.name}`;
    return { ...object, metadata: { ...metadata, uid } };
  });
}

function namespaceOf(object: LoadedObject): string {
  return object.metadata.namespace ?? 'default';
}

/** kubectl leaves the namespace out of manifests; the API server puts them into `default`. */
function inNamespace(object: LoadedObject): LoadedObject {
  return { ...object, metadata: { ...object.metadata, namespace: namespaceOf(object) } };
}

/** A snapshot carries no clock: probe leases count as fresh, and a budget without a status as processed. */
export function feedObject(world: World, object: LoadedObject): void {
  const into = feeders[object.kind] ?? feedOwner;
  into(world, object);
}

/** The file is not checked against a schema: what does not fit is read as absent, as by the API server's own caches. */
const feeders: Readonly<Record<string, (world: World, object: LoadedObject) => void>> = {
  Pod: (world, object) => feedPod(world, object as unknown as Pod),
  PodDisruptionBudget: (world, object) => world.upsertPdb(object as unknown as PodDisruptionBudget),
  PodUnavailableBudget: (world, object) => feedPub(world, object as unknown as PodUnavailableBudget),
  Workload: (world, object) => world.upsertWorkload(object as unknown as Workload),
  PodGroup: (world, object) => world.upsertPodGroup(object as unknown as PodGroup),
  Namespace: (world, object) => world.setNamespace(object as unknown as Namespace),
  DisruptionLedger: (world, object) => world.setLedger(namespaceOf(object), object as unknown as DisruptionLedger),
};

function feedPod(world: World, pod: Pod): void {
  const node = pod.spec?.nodeName;
  if (node !== undefined) world.setProbeLease(node, { renewedAt: 0, durationSeconds: Number.MAX_SAFE_INTEGER });
  world.upsertPod(pod);
}

function feedPub(world: World, pub: PodUnavailableBudget): void {
  const observedGeneration = pub.status?.observedGeneration ?? pub.metadata.generation ?? 0;
  world.upsertPub({ ...pub, status: { ...pub.status, observedGeneration } });
}

/** Anything else may own pods. */
function feedOwner(world: World, object: LoadedObject): void {
  const metadata = object.metadata as unknown as ObjectMeta;
  const replicas = isObject(object['spec']) ? object['spec']['replicas'] : undefined;
  const controller = controllerOf(metadata);
  world.setOwner({
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: namespaceOf(object),
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...deletionOf(metadata.deletionTimestamp, metadata.finalizers),
    ...(typeof replicas === 'number' ? { replicas } : {}),
    ...(controller === undefined ? {} : { controller }),
  });
}

/** The object is gone. */
export function forgetObject(world: World, object: LoadedObject): void {
  const forget = forgetters[object.kind] ?? forgetOwner;
  forget(world, namespaceOf(object), object);
}

type Forgetter = (world: World, namespace: string, object: LoadedObject) => void;

const forgetters: Readonly<Record<string, Forgetter>> = {
  Pod: (world, namespace, { metadata }) => world.deletePod(namespace, metadata.name),
  PodDisruptionBudget: (world, namespace, { metadata }) => world.deletePdb(namespace, metadata.name),
  PodUnavailableBudget: (world, namespace, { metadata }) => world.deletePub(namespace, metadata.name),
  Workload: (world, namespace, { metadata }) => world.deleteWorkload(namespace, metadata.name),
  PodGroup: (world, namespace, { apiVersion, metadata }) => world.deletePodGroup(apiVersion, namespace, metadata.name),
  Namespace: (world, _, { metadata }) => world.deleteNamespace(metadata.name),
};

function forgetOwner(world: World, namespace: string, { apiVersion, kind, metadata }: LoadedObject): void {
  world.setOwnerGone({ apiVersion, kind, namespace, name: metadata.name });
}
