import { splitApiVersion } from '@holdfast/embedded-cluster/objects';
import type { LoadedObject } from '../../load-objects.ts';
import { isPod, type SnapshotPod } from './snapshot-pods.ts';
import { referencesOf, spaceOf, uidOf } from './uids.ts';

export interface MissingOwner {
  /** As kubectl takes it: `replicasets.apps`, `nodes`. */
  readonly resource: string;
  /** `ReplicaSet web/web-5d8` */
  readonly owner: string;
}

/** Kinds that the cluster knows, and whose objects it looks for: what they own is garbage when they are not there. */
const collected: ReadonlyMap<string, string> = new Map([
  ['apps/ReplicaSet', 'replicasets.apps'],
  ['apps/StatefulSet', 'statefulsets.apps'],
  ['apps/DaemonSet', 'daemonsets.apps'],
  ['apps/Deployment', 'deployments.apps'],
  ['batch/Job', 'jobs.batch'],
  ['batch/CronJob', 'cronjobs.batch'],
  ['/ReplicationController', 'replicationcontrollers'],
  ['/Node', 'nodes'],
  ['/Pod', 'pods'],
  ['leaderworkerset.x-k8s.io/LeaderWorkerSet', 'leaderworkersets.leaderworkerset.x-k8s.io'],
]);

/** Whose pods come back in the simulation. */
const replaced = new Set([
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'batch/Job',
  '/ReplicationController',
  '/Node',
]);

/** Owners that the cluster would look for and not find: their pods would be collected as garbage before anything is simulated. */
export function missingOwners(objects: readonly LoadedObject[]): readonly MissingOwner[] {
  const there = new Set(objects.map(uidOf));
  const missing = new Map<string, MissingOwner>();
  for (const { metadata } of objects) {
    const references = referencesOf(metadata);
    if (references.length === 0 || references.some(({ uid }) => there.has(uid))) continue;
    for (const { apiVersion, kind, name } of references) {
      const resource = collected.get(kindKey(apiVersion, kind));
      const owner = `${kind} ${spaceOf(metadata)}/${name}`;
      if (resource !== undefined) missing.set(owner, { resource, owner });
    }
  }
  return [...missing.values()].sort((a, b) => (a.owner < b.owner ? -1 : 1));
}

export interface ForeignOwner {
  readonly kind: string;
  readonly owners: number;
  readonly pods: number;
}

/** Owners whose controllers do not run here: their pods are not replaced. */
export function foreignOwners(objects: readonly LoadedObject[]): readonly ForeignOwner[] {
  const found = new Map<string, { owners: Set<string>; pods: number }>();
  for (const pod of objects.filter(isPod)) {
    const controller = referencesOf(pod.metadata).find((one) => one.controller === true);
    if (controller === undefined || isFinished(pod)) continue;
    const key = kindKey(controller.apiVersion, controller.kind);
    if (replaced.has(key)) continue;
    const entry = found.get(controller.kind) ?? { owners: new Set(), pods: 0 };
    entry.owners.add(controller.uid);
    entry.pods += 1;
    found.set(controller.kind, entry);
  }
  return [...found].map(([kind, { owners, pods }]) => ({ kind, owners: owners.size, pods }));
}

function isFinished({ status }: SnapshotPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function kindKey(apiVersion: string, kind: string): string {
  return `${splitApiVersion(apiVersion).group}/${kind}`;
}
