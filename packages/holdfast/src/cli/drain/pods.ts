import type { CoursePod, EvictionAnswer } from '../../core/drain/course-pod.ts';
import type { ResourceName } from '../../kube/client/client.ts';
import { list } from '../../kube/client/list.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import type { KindReader } from '../../observe/once/kind-reader.ts';
import { problemOf } from '../../observe/problem.ts';
import { resources } from '../../observe/resources.ts';
import type { Session } from '../../observe/session.ts';
import { evictionAnswerOf } from './answer.ts';
import { type ListedPod, listedPodProjection, podName } from './listed-pod.ts';

/** The pods of a node. */
export async function listPods(
  { client, clock, call }: Session,
  node: string,
  labelSelector?: string,
): Promise<Outcome<readonly ListedPod[]>> {
  const selection = {
    fieldSelector: `spec.nodeName=${node}`,
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
  const listed = await list({
    client,
    resource: resources.pods,
    selection,
    project: listedPodProjection(),
    clock,
    ...call,
  });
  return listed.ok ? { ok: true, value: listed.value.items } : listed;
}

/** Requests an eviction of this very pod; undefined: the drain was stopped. */
export async function evict(
  { client, call }: Session,
  { namespace, name, uid }: CoursePod,
  gracePeriodSeconds: number | undefined,
): Promise<EvictionAnswer | undefined> {
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: {
      preconditions: { uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    },
  };
  return evictionAnswerOf(
    await client.create(resources.pods, { namespace, name, subresource: 'eviction' }, body, {
      ...evictionCall,
      ...call,
    }),
  );
}

/** A webhook may take half a minute to answer, and there may be several. */
const evictionCall = { deadlineMs: 60_000 };

const daemonSets: ResourceName = { group: 'apps', version: 'v1', plural: 'daemonsets', namespaced: true };

/** Which of these pods have a DaemonSet that exists. If the user may not read it, it counts as existing, as the pod says. */
export async function findDaemonSets(reader: KindReader, pods: readonly ListedPod[]): Promise<ReadonlySet<string>> {
  const owned = pods.filter(({ controller }) => controller?.kind === 'DaemonSet');
  const sets = new Map(owned.map((pod) => [daemonSetOf(pod), pod]));
  const found = await Promise.all(
    [...sets].map(async ([key, { namespace, controller }]) => {
      const read = await reader.get(daemonSets, { namespace, name: controller?.name ?? '' });
      return read.kind === 'absent' ? [] : [key];
    }),
  );
  return new Set(found.flat());
}

export function daemonSetOf({ namespace, controller }: ListedPod): string {
  return podName({ namespace, name: controller?.name ?? '' });
}

/** All pods of these nodes; without them nothing can be done. */
export async function podsOf(
  session: Session,
  nodes: readonly string[],
  podSelector: string | undefined,
): Promise<readonly ListedPod[]> {
  const lists = await Promise.all(
    nodes.map(async (node) => ({ node, read: await listPods(session, node, podSelector) })),
  );
  return lists.flatMap(({ node, read }) => {
    if (!read.ok) throw problemOf(read.failure, `cannot list the pods of node ${node}`);
    return read.value;
  });
}
