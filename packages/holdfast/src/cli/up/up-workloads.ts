import type { View } from '@holdfast/embedded-cluster';
import type { KubeObject, ResourceKey } from '@holdfast/embedded-cluster/objects';
import { table } from '../table.ts';

/** Something that people deployed, and how much of it is up. */
export interface RunningWorkload {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly ready: number;
  readonly wanted: number;
}

interface Counts {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly numberReady?: number;
    readonly desiredNumberScheduled?: number;
  };
}

const kinds: readonly (readonly [ResourceKey, string])[] = [
  ['leaderworkerset.x-k8s.io/leaderworkersets', 'LeaderWorkerSet'],
  ['apps/statefulsets', 'StatefulSet'],
  ['apps/deployments', 'Deployment'],
  ['apps/daemonsets', 'DaemonSet'],
];

/** Not those that belong to others: they are counted with their owners. */
export function workloadsIn(view: View): readonly RunningWorkload[] {
  return kinds.flatMap(([resource, kind]) =>
    view
      .list(resource)
      .filter(({ metadata }) => !metadata.ownerReferences?.some(({ controller }) => controller === true))
      .map((object) => workloadOf(kind, object)),
  );
}

function workloadOf(kind: string, object: KubeObject): RunningWorkload {
  const { spec, status } = object as Counts;
  const { namespace = '', name } = object.metadata;
  const daemons = kind === 'DaemonSet';
  return {
    namespace,
    kind,
    name,
    ready: (daemons ? status?.numberReady : status?.readyReplicas) ?? 0,
    wanted: (daemons ? status?.desiredNumberScheduled : (spec?.replicas ?? 1)) ?? 0,
  };
}

export function isUp({ ready, wanted }: RunningWorkload): boolean {
  return ready >= wanted;
}

/** A screen of them. */
const maxRows = 20;

export function workloadTable(workloads: readonly RunningWorkload[]): string {
  const shown = workloads.slice(0, maxRows);
  const rows = shown.map(({ namespace, kind, name, ready, wanted }) => [
    namespace,
    kind,
    name,
    `${ready}/${wanted}${kind === 'LeaderWorkerSet' ? ' groups' : ''}`,
  ]);
  const more = workloads.length - shown.length;
  return `${table(['NAMESPACE', 'KIND', 'NAME', 'READY'], rows)}${more > 0 ? `\n... and ${more} more` : ''}`;
}
