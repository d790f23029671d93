import { isObject } from '@holdfast/base/json';
import { hasProbe } from '@holdfast/base/probes/probe';
import { sim } from '@holdfast/embedded-cluster/objects';
import { condition } from '../../../api/names.ts';
import type { Pod } from '../../../api/pod.ts';
import type { LoadedObject } from '../../load-objects.ts';
import { spaceOf, uidOf } from './uids.ts';

/** As much of a pod as is looked at here; whether it is one is checked when it is loaded. */
export interface SnapshotPod extends LoadedObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly priorityClassName?: string;
    readonly priority?: number;
    readonly preemptionPolicy?: string;
    readonly containers?: readonly {
      readonly name?: string;
      readonly image?: string;
      readonly readinessProbe?: { readonly initialDelaySeconds?: number };
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly containerStatuses?: readonly {
      readonly restartCount?: number;
      readonly state?: { readonly running?: object };
    }[];
  };
}

export interface PodsAsTheyWere {
  readonly pods: readonly LoadedObject[];
  /** By uid: said by their probe that they cannot be lost. */
  readonly vetoes: ReadonlySet<string>;
  readonly notes: readonly string[];
}

export function isPod(object: LoadedObject): object is SnapshotPod {
  return object.kind === 'Pod' && object.apiVersion === 'v1';
}

function conditionOf({ status }: SnapshotPod, type: string): string | undefined {
  return status?.conditions?.find((one) => one.type === type)?.status;
}

export function isReady(pod: SnapshotPod): boolean {
  return conditionOf(pod, 'Ready') === 'True';
}

/** Nothing in the snapshot says when a pod that is not ready, or cannot be lost, would be: it stays as it was, and that is said. */
export function asTheyWere(pods: readonly SnapshotPod[]): PodsAsTheyWere {
  const unready = pods.filter(isStuck);
  const vetoing = pods.filter(
    (pod) => hasProbe(pod as unknown as Pod) && conditionOf(pod, condition.disruptable) === 'False',
  );
  return {
    pods: pods.map((pod) => (isStuck(pod) ? keptUnready(pod) : withContainers(pod))),
    vetoes: new Set(vetoing.map(uidOf)),
    notes: [
      ...listed(unready, 'not ready in the snapshot, and stays so'),
      ...listed(vetoing, 'said by its disruption probe that it cannot be lost, and goes on saying so'),
    ],
  };
}

/** It runs, or has crashed, and is not ready. One whose first start is still under way goes on starting. */
function isStuck(pod: SnapshotPod): boolean {
  const { metadata, status, spec } = pod;
  if (spec?.nodeName === undefined || metadata['deletionTimestamp'] !== undefined || isReady(pod)) return false;
  if (status?.phase !== 'Running' && status?.phase !== 'Pending') return false;
  return (status.containerStatuses ?? []).some(
    ({ restartCount = 0, state }) => restartCount > 0 || state?.running !== undefined,
  );
}

function keptUnready(pod: SnapshotPod): LoadedObject {
  const before = isObject(pod.metadata['annotations']) ? pod.metadata['annotations'] : {};
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...before, [sim.ready]: 'false' } } };
}

/** A pod written by hand says that it runs; that its containers run follows from that. */
function withContainers(pod: SnapshotPod): LoadedObject {
  const { spec, status, metadata } = pod;
  if (status?.phase !== 'Running' || status.containerStatuses !== undefined || !isReady(pod)) return pod;
  const startedAt = status.startTime ?? metadata['creationTimestamp'] ?? longAgo;
  const containerStatuses = (spec?.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt } },
  }));
  return { ...pod, status: { startTime: startedAt, ...status, containerStatuses } };
}

/** Before every simulation. */
const longAgo = '2025-12-31T00:00:00Z';

const maxNamed = 5;

function listed(pods: readonly SnapshotPod[], what: string): readonly string[] {
  if (pods.length === 0) return [];
  const names = pods.map(({ metadata }) => `${spaceOf(metadata)}/${metadata.name}`).sort();
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return [
    `${names.length === 1 ? 'pod' : `${names.length} pods`} ${names.slice(0, maxNamed).join(', ')}${more}: ${what}`,
  ];
}
