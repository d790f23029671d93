import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { keyOf, objectKey, splitKey } from '../../objects.ts';
import { EventRecorder } from '../common/events.ts';
import { revisions } from '../common/history.ts';
import { controllerOf } from '../common/owners.ts';
import { isReady, isTerminating } from '../common/pods.ts';
import type { NodeObject, PodObject, RevisionObject, StatefulSetObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import * as keys from './keys.ts';
import { isSharedSubdomain, type LwsObject, leaderWorkerSets, sizeOf } from './lws-object.ts';
import { splitOrdinal } from './ordinal-name.ts';
import { isLeader } from './pod-mutation.ts';
import { decideRestart } from './restart.ts';
import { findRevision, revisionKeyOf, workerTemplateOf } from './revision.ts';
import { ensureService } from './service.ts';
import { workerStatefulSet } from './statefulsets.ts';

const statefulSets = 'apps/statefulsets';
const noRevisionRetryMs = 1_000;

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
}

/** Looks at each pod: a leader gets its workers, and a group that lost a member is recreated. */
export function startLwsPodController(context: ControllerContext, client: Client): Controller {
  const tools: Tools = { context, client, events: new EventRecorder(context, client, 'leaderworkerset') };
  const reconciler = new Reconciler(context, { name: 'lws-pod', reconcile: (key) => reconcile(tools, key) });
  const { view } = context;
  const watches = [
    view.watch('pods', ({ type, object }) => {
      if (type !== 'DELETED' && object.metadata.labels?.[keys.setName]) reconciler.add(keyOf(object));
    }),
    view.watch(statefulSets, ({ object }) => {
      const owner = controllerOf(object);
      if (owner?.kind === 'Pod' && object.metadata.labels?.[keys.setName]) {
        reconciler.add(objectKey(object.metadata.namespace, owner.name));
      }
    }),
  ];
  return {
    stop() {
      for (const watch of watches) watch.stop();
      reconciler.stop();
    },
  };
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { view } = tools.context;
  const { namespace, name } = splitKey(key);
  const pod = view.get<PodObject>('pods', namespace, name);
  const set = pod?.metadata.labels?.[keys.setName];
  if (pod === undefined || !set || pod.metadata.labels?.[keys.workerIndex] === undefined) return undefined;
  const lws = view.get<LwsObject>(leaderWorkerSets, namespace, set);
  if (lws === undefined) return undefined;
  if ((await handleRestart(tools, lws, pod)) === 'group goes' || !isLeader(pod)) return undefined;
  return ensureWorkers(tools, lws, pod);
}

async function handleRestart(tools: Tools, lws: LwsObject, pod: PodObject): Promise<'group goes' | 'group stays'> {
  const { view } = tools.context;
  const { namespace = '', name } = pod.metadata;
  const parent = splitOrdinal(name)?.parent ?? '';
  const leader = isLeader(pod) ? pod : view.get<PodObject>('pods', namespace, parent);
  const decision = decideRestart({ lws, pod, leader, group: () => groupOf(tools, pod) });
  if (decision.kind === 'keep') return 'group stays';
  if (decision.kind === 'underway') return 'group goes';
  const { name: leaderName, uid, labels } = decision.leader.metadata;
  await tools.client.delete('pods', namespace, leaderName, {
    propagationPolicy: 'Foreground',
    ...(uid === undefined ? {} : { uid }),
  });
  const message = `Worker pod ${name} failed, deleted leader pod ${leaderName} to recreate group ${labels?.[keys.groupIndex] ?? ''}`;
  tools.events.event(lws, 'Normal', 'RecreateGroupOnPodRestart', message);
  return 'group goes';
}

function groupOf({ context }: Tools, pod: PodObject): readonly PodObject[] {
  const { namespace, labels = {} } = pod.metadata;
  return context.view
    .list<PodObject>('pods', namespace)
    .filter(({ metadata }) => [keys.setName, keys.groupIndex].every((key) => metadata.labels?.[key] === labels[key]));
}

async function ensureWorkers(tools: Tools, lws: LwsObject, leader: PodObject): Promise<Requeue | undefined> {
  const { view } = tools.context;
  const { namespace = '', name, annotations, labels } = leader.metadata;
  // A worker that looks like a leader would get workers of its own, without end.
  if (annotations?.[keys.leaderName]) return undefined;
  if (!isSharedSubdomain(lws)) {
    const selector = { [keys.setName]: lws.metadata.name, [keys.groupIndex]: labels?.[keys.groupIndex] ?? '' };
    await ensureService(view, tools.client, { lws, name, selector, owner: leader });
  }
  if (isTerminating(leader) || sizeOf(lws) === 1) return undefined;
  if (lws.spec.startupPolicy === 'LeaderReady' && !isReady(leader)) return undefined;
  const known = view.controlledBy<RevisionObject>(revisions, lws.metadata.uid ?? '');
  const revision = findRevision(known, revisionKeyOf(leader));
  if (revision === undefined) return { afterMs: noRevisionRetryMs };
  const topologyKey = lws.metadata.annotations?.[keys.exclusiveTopology];
  if (topologyKey !== undefined && !leader.spec.nodeName) return undefined;
  if (view.get<StatefulSetObject>(statefulSets, namespace, name) !== undefined) return undefined;
  const nodeSelector = topologyKey === undefined ? undefined : { [topologyKey]: domainOf(tools, leader, topologyKey) };
  await createWorkers(
    tools,
    lws,
    leader,
    workerStatefulSet({ lws, leader, template: workerTemplateOf(revision), nodeSelector }),
  );
  return undefined;
}

/** Where the leader runs, its workers run, too. */
function domainOf({ context }: Tools, { spec }: PodObject, topologyKey: string): string {
  const domain = context.view.get<NodeObject>('nodes', '', spec.nodeName ?? '')?.metadata.labels?.[topologyKey];
  if (domain === undefined) throw new Error(`node does not have topology label: ${topologyKey}`);
  return domain;
}

async function createWorkers(
  { client, events }: Tools,
  lws: LwsObject,
  { metadata }: PodObject,
  workers: StatefulSetObject,
): Promise<void> {
  try {
    await client.create(statefulSets, workers);
  } catch (error) {
    if (isApiError(error, 409)) return;
    events.event(lws, 'Warning', 'FailedCreate', `Failed to create worker statefulset for leader pod ${metadata.name}`);
    throw error;
  }
  events.event(lws, 'Normal', 'GroupsProgressing', `Created worker statefulset for leader pod ${metadata.name}`);
}
