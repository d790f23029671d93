import type { Client } from '../../client.ts';
import { keyOf, splitKey } from '../../objects.ts';
import { executeClaims } from '../common/claiming.ts';
import { type Dependents, watchDependents } from '../common/dependents.ts';
import { EventRecorder } from '../common/events.ts';
import { controllerOf, planClaims, selects } from '../common/owners.ts';
import { generatedName, podFromTemplate } from '../common/pod-template.ts';
import {
  allOf,
  createPodWriter,
  errorMessageOf,
  isNamespaceTerminating,
  type PodWriter,
} from '../common/pod-writer.ts';
import { isFinishedPod, isTerminating } from '../common/pods.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { computeReplicaSetStatus, nextReplicaSetCheckMs, planReplicas } from './plan-replica-set.ts';
import { type ReplicaKind, type ReplicaOwner, replicaSets, replicationControllers } from './replica-owner.ts';

export function startReplicaSetController(context: ControllerContext): Controller {
  return startReplicaController(context, replicaSets);
}

export function startReplicationController(context: ControllerContext): Controller {
  return startReplicaController(context, replicationControllers);
}

interface Tools {
  readonly context: ControllerContext;
  readonly kind: ReplicaKind;
  readonly client: Client;
  readonly writer: PodWriter;
  readonly dependents: Dependents;
}

function startReplicaController(context: ControllerContext, kind: ReplicaKind): Controller {
  const client = context.clientFor(kind.controller);
  const writer = createPodWriter(client, new EventRecorder(context, client, kind.component));
  const reconciler: Reconciler = new Reconciler(context, {
    name: kind.controller,
    reconcile: (key) => reconcile({ context, kind, client, writer, dependents }, key),
  });
  const dependents = watchDependents({
    view: context.view,
    resource: 'pods',
    ownerResource: kind.resource,
    ownerApiVersion: kind.apiVersion,
    ownerKind: kind.kind,
    wouldSelect: (owner, labels) => selects(kind.read(owner).selector, labels),
    changed: (key) => reconciler.add(key),
  });
  const watching = context.view.watch(kind.resource, ({ object }) => reconciler.add(keyOf(object)));
  return {
    stop() {
      watching.stop();
      dependents.stop();
      reconciler.stop();
    },
  };
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { context, kind, client, dependents } = tools;
  const { namespace, name } = splitKey(key);
  const object = context.view.get(kind.resource, namespace, name);
  if (object === undefined) return undefined;
  const owner = kind.read(object);
  const candidates = dependents.candidates<PodObject>(object).filter((pod) => !isFinishedPod(pod));
  const claims = planClaims(object, (pod) => selects(owner.selector, pod.metadata.labels ?? {}), candidates);
  const pods = await executeClaims(client, 'pods', object, claims);
  const failure = await carryOut(tools, owner, pods);
  // Counts the pods that were there before the plan: those it made are seen, and counted, in the next look.
  const now = context.clock.now();
  const message = failure === undefined ? undefined : errorMessageOf(failure.error);
  await writeStatus(client, kind.resource, object, computeReplicaSetStatus(owner, pods, message, now));
  if (failure !== undefined) throw failure.error;
  const next = nextReplicaSetCheckMs(owner, pods, now);
  return next === undefined ? undefined : { afterMs: next };
}

async function carryOut(
  tools: Tools,
  owner: ReplicaOwner,
  pods: readonly PodObject[],
): Promise<{ error: unknown } | undefined> {
  const plan = planReplicas(owner, pods, relatedPods(tools, owner), tools.context.clock.now());
  const creations = Array.from({ length: plan.create }, () => () => {
    const pod = podFromTemplate(owner.template, owner.object, generatedName(owner.object.metadata.name));
    return tools.writer.create(owner.object, pod);
  });
  const removals = plan.remove.map((pod) => () => tools.writer.delete(owner.object, pod));
  try {
    await slowStart(creations);
    await allOf(removals);
    return undefined;
  } catch (error) {
    return isNamespaceTerminating(error) ? undefined : { error };
  }
}

/** One, two, four, ...: what is refused once is most likely refused for all, and not worth asking hundreds of times. */
async function slowStart(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  for (let start = 0; start < tasks.length; start = 2 * start + 1) {
    await allOf(tasks.slice(start, 2 * start + 1));
  }
}

/** Pods of all sets with the same owner: during a rollout, old and new pods crowd the same nodes. */
function relatedPods({ context, kind }: Tools, owner: ReplicaOwner): readonly PodObject[] {
  const uid = owner.object.metadata.uid ?? '';
  const parent = controllerOf(owner.object);
  const siblings = parent ? context.view.controlledBy(kind.resource, parent.uid) : [];
  const uids = new Set([uid, ...siblings.map((sibling) => sibling.metadata.uid ?? '')]);
  return [...uids].flatMap((one) => [...context.view.controlledBy<PodObject>('pods', one)]).filter(notLeaving);
}

function notLeaving(pod: PodObject): boolean {
  return !isTerminating(pod);
}
