import { type Fields, isObject } from '@holdfast/base/json';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { list } from '../../kube/client/list.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { projectPod } from '../../kube/projection/pod.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { resources } from '../../observe/resources.ts';
import { selectorQuery } from './selector-query.ts';
import type { WatchedSet } from './watched-set.ts';

export interface RolloutReader {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export type RolloutReading =
  | {
      readonly kind: 'read';
      readonly set: StatefulSet;
      readonly pods: readonly Pod[];
      /** Before the reads began: a pod that was ready then may have changed since. */
      readonly at: number;
    }
  /** The set is gone, or another one of its name is there: the watch will tell. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The state of now, from the API server and not from a view: a pod is removed by it. The set is read last, so that a pod which is
 * on an old revision by it cannot be on a newer one than it knows; a pod that changed since is kept by its preconditions.
 */
export async function readRollout(reader: RolloutReader, watched: WatchedSet): Promise<RolloutReading> {
  const { client, deadlineMs, signal } = reader;
  const { namespace = '', name, uid } = watched.metadata;
  const labelSelector = selectorQuery(watched.selector ?? {});
  if (!labelSelector) return { kind: 'failed', message: 'the selector of the StatefulSet is not valid' };
  const at = reader.clock.now();
  const selection = { namespace, labelSelector };
  const pods = await list({ ...reader, resource: resources.pods, selection, project: rolloutPod });
  if (!pods.ok) return failed(pods.failure);
  const set = await client.get<StatefulSet>(resources.statefulSets, { namespace, name }, { deadlineMs, signal });
  if (!set.ok) return set.failure.kind === 'notFound' ? { kind: 'gone' } : failed(set.failure);
  if (set.value.metadata.uid !== uid) return { kind: 'gone' };
  return { kind: 'read', set: set.value, pods: pods.value.items, at };
}

/** With the containers as they are: a crash loop can be told by them. */
function rolloutPod(object: Fields): Pod {
  const pod = projectPod(object, { interner: new Interner(), keepAnnotation: () => false });
  const { status } = object;
  if (!isObject(status)) return pod;
  const { containerStatuses, initContainerStatuses } = status;
  // Safe: the API server has put them into this shape.
  const containers = { containerStatuses, initContainerStatuses } as Partial<PodStatus>;
  return { ...pod, status: { ...pod.status, ...containers } };
}

function failed({ message }: Failure): RolloutReading {
  return { kind: 'failed', message };
}
