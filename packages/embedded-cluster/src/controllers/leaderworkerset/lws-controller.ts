import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { keyOf, objectKey, splitKey } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { EventRecorder } from '../common/events.ts';
import { deleteRevisions, revisions } from '../common/history.ts';
import { controllerOf } from '../common/owners.ts';
import { errorMessageOf } from '../common/pod-writer.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { RevisionObject, StatefulSetObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { groupsIn, statesOf } from './groups.ts';
import * as keys from './keys.ts';
import { computeLwsStatus } from './leader-worker-set-status.ts';
import {
  groupsOf,
  isSharedSubdomain,
  type LwsObject,
  leaderWorkerSets,
  lwsKind,
  rollingUpdateOf,
} from './lws-object.ts';
import { startLwsPodController } from './lws-pod-controller.ts';
import { chooseRevision, revisionKeyOf } from './revision.ts';
import { type LeaderState, planRollout, type Rollout } from './rollout.ts';
import { ensureService } from './service.ts';
import { leaderStatefulSet, overlay } from './statefulsets.ts';

const name = 'lws-controller-manager';
const statefulSets = 'apps/statefulsets';
const terminatingRetryMs = 5_000;

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
}

/** Groups of a leader and its workers, started, updated and recreated as one. */
export function startLeaderWorkerSetController(context: ControllerContext): Controller {
  const client = context.clientFor(name);
  const tools: Tools = { context, client, events: new EventRecorder(context, client, 'leaderworkerset') };
  const reconciler = new Reconciler(context, { name, reconcile: (key) => reconcile(tools, key) });
  const { view } = context;
  const watches = [
    view.watch(leaderWorkerSets, ({ object }) => reconciler.add(keyOf(object))),
    view.watch(statefulSets, ({ object }) => {
      const { namespace, labels } = object.metadata;
      const set = labels?.[keys.setName];
      if (set) reconciler.add(objectKey(namespace, set));
    }),
    view.watch('services', ({ object }) => {
      const owner = controllerOf(object);
      if (owner?.kind === lwsKind) reconciler.add(objectKey(object.metadata.namespace, owner.name));
    }),
  ];
  const pods = startLwsPodController(context, client);
  return {
    stop() {
      for (const watch of watches) watch.stop();
      reconciler.stop();
      pods.stop();
    },
  };
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { view } = tools.context;
  const { namespace, name } = splitKey(key);
  const lws = view.get<LwsObject>(leaderWorkerSets, namespace, name);
  if (lws === undefined || lws.metadata.deletionTimestamp !== undefined) return undefined;
  const leaders = view.get<StatefulSetObject>(statefulSets, namespace, name);
  if (leaders?.metadata.deletionTimestamp !== undefined) return { afterMs: terminatingRetryMs };
  const { revision, changed } = await ensureRevision(tools, lws, leaders);
  const rollout = planLeaders(tools, lws, leaders, revision, changed);
  const written = await writeLeaders(tools, lws, leaders, rollout, revision);
  tellProgress(tools, lws, leaders, rollout, changed);
  if (isSharedSubdomain(lws)) await ensureOwnService(tools, lws);
  const updateDone = await updateStatus(tools, lws, written, revision);
  if (updateDone) {
    const old = revisionsOf(tools, lws).filter((one) => revisionKeyOf(one) !== revision);
    await deleteRevisions(tools.client, old);
  }
  return undefined;
}

function revisionsOf({ context }: Tools, lws: LwsObject): readonly RevisionObject[] {
  return context.view.controlledBy<RevisionObject>(revisions, lws.metadata.uid ?? '');
}

/** `revision` is the key of the wanted template; `changed`: the leaders run another one. */
async function ensureRevision(
  tools: Tools,
  lws: LwsObject,
  leaders: StatefulSetObject | undefined,
): Promise<{ readonly revision: string; readonly changed: boolean }> {
  const choice = chooseRevision(lws, revisionsOf(tools, lws), leaders && revisionKeyOf(leaders));
  if (choice.kind === 'create') {
    await tools.client.create(revisions, choice.revision);
    tools.events.event(lws, 'Normal', 'CreatingRevision', choice.message);
  }
  return { revision: revisionKeyOf(choice.revision), changed: choice.kind !== 'unchanged' && choice.changed };
}

function planLeaders(
  { context, events }: Tools,
  lws: LwsObject,
  leaders: StatefulSetObject | undefined,
  revision: string,
  changed: boolean,
): Rollout {
  const leader = leaders && leaderState(leaders);
  const rollout = planRollout({
    replicas: groupsOf(lws),
    limits: rollingUpdateOf(lws),
    leader,
    changed,
    states: () => (leaders ? statesOf(groupsIn(context.view, lws, leaders, revision), leader?.replicas ?? 0) : []),
  });
  if (rollout.releasesSurge) {
    const message = `deleting surge replica ${lws.metadata.name}-${rollout.replicas}`;
    events.event(lws, 'Normal', 'GroupsProgressing', message);
  }
  return rollout;
}

function leaderState({ spec, metadata }: StatefulSetObject): LeaderState {
  return {
    replicas: spec.replicas ?? 1,
    partition: spec.updateStrategy?.rollingUpdate?.partition ?? 0,
    askedReplicas: Number(metadata.annotations?.[keys.replicas]),
  };
}

async function writeLeaders(
  { client, events }: Tools,
  lws: LwsObject,
  leaders: StatefulSetObject | undefined,
  rollout: Rollout,
  revision: string,
): Promise<StatefulSetObject> {
  const wanted = leaderStatefulSet(lws, rollout, revision);
  const { namespace = '', name } = wanted.metadata;
  if (leaders !== undefined) {
    const merged = await client.modify<StatefulSetObject>(statefulSets, namespace, name, (draft) =>
      overlay(draft, wanted),
    );
    return merged ?? leaders;
  }
  try {
    return await client.create(statefulSets, wanted);
  } catch (error) {
    events.event(lws, 'Warning', 'FailedCreate', `Failed to create leader statefulset ${name}`);
    throw error;
  }
}

function tellProgress(
  { events }: Tools,
  lws: LwsObject,
  leaders: StatefulSetObject | undefined,
  { partition }: Rollout,
  changed: boolean,
): void {
  if (leaders === undefined) {
    events.event(lws, 'Normal', 'GroupsProgressing', `Created leader statefulset ${lws.metadata.name}`);
    return;
  }
  const before = leaderState(leaders).partition;
  if (changed || before === partition) return;
  events.event(lws, 'Normal', 'GroupsUpdating', `Updating replicas ${before} to ${partition}`);
}

async function ensureOwnService(tools: Tools, lws: LwsObject): Promise<void> {
  const { name } = lws.metadata;
  try {
    await ensureService(tools.context.view, tools.client, {
      lws,
      name,
      selector: { [keys.setName]: name },
      owner: lws,
    });
  } catch (error) {
    const message = `Failed to create headless service for error: ${errorMessageOf(error)}`;
    if (!isApiError(error, 409)) tools.events.event(lws, 'Warning', 'FailedCreate', message);
    throw error;
  }
}

async function updateStatus(
  { context, client, events }: Tools,
  lws: LwsObject,
  leaders: StatefulSetObject,
  revision: string,
): Promise<boolean> {
  const { status, updateDone, event } = computeLwsStatus({
    lws,
    leaders: leaders.status?.replicas ?? 0,
    groups: groupsIn(context.view, lws, leaders, revision).values(),
    now: timestamp(context.clock.now()),
  });
  await writeStatus(client, leaderWorkerSets, lws, status);
  if (event) events.event(lws, 'Normal', event.reason, event.message);
  return updateDone;
}
