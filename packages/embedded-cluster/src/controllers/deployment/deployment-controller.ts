import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { type KubeObject, keyOf, objectKey, splitKey } from '../../objects.ts';
import { executeClaims } from '../common/claiming.ts';
import { withCondition } from '../common/conditions.ts';
import { type Dependents, watchDependents } from '../common/dependents.ts';
import { EventRecorder } from '../common/events.ts';
import { controllerOf, planClaims, selects } from '../common/owners.ts';
import { errorMessageOf, isNamespaceTerminating } from '../common/pod-writer.ts';
import { isFinishedPod } from '../common/pods.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { DeploymentObject, PodObject, ReplicaSetObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { desiredStateOf, revisionAnnotation } from './deployment-fields.ts';
import { condition } from './deployment-status.ts';
import { sameTemplate } from './new-replica-set.ts';
import { type DeploymentPlan, planDeployment, type ReplicaSetWrite } from './plan-deployment.ts';

const name = 'deployment-controller';
const deployments = 'apps/deployments';
const replicaSets = 'apps/replicasets';

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly dependents: Dependents;
}

export function startDeploymentController(context: ControllerContext): Controller {
  const client = context.clientFor(name);
  const events = new EventRecorder(context, client, name);
  const reconciler: Reconciler = new Reconciler(context, {
    name,
    reconcile: (key) => reconcile({ context, client, events, dependents }, key),
  });
  const dependents = watchDependents({
    view: context.view,
    resource: replicaSets,
    ownerResource: deployments,
    ownerApiVersion: 'apps/v1',
    ownerKind: 'Deployment',
    wouldSelect: (owner, labels) => selects((owner as DeploymentObject).spec.selector, labels),
    changed: (key) => reconciler.add(key),
  });
  const watching = context.view.watch(deployments, ({ object }) => reconciler.add(keyOf(object)));
  // The end of the last old pod lets a Recreate go on.
  const pods = context.view.watch('pods', ({ type, object }) => {
    if (type === 'DELETED' || isFinishedPod(object as PodObject)) notifyOwner(context, reconciler, object);
  });
  return {
    stop() {
      for (const subscription of [watching, pods, dependents]) subscription.stop();
      reconciler.stop();
    },
  };
}

function notifyOwner(context: ControllerContext, reconciler: Reconciler, pod: KubeObject): void {
  const namespace = pod.metadata.namespace ?? '';
  const owner = controllerOf(pod);
  if (owner?.kind !== 'ReplicaSet') return;
  const replicaSet = context.view.get(replicaSets, namespace, owner.name);
  const deployment = replicaSet && controllerOf(replicaSet);
  if (deployment?.kind === 'Deployment') reconciler.add(objectKey(namespace, deployment.name));
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { context, client, dependents } = tools;
  const { namespace, name } = splitKey(key);
  const deployment = context.view.get<DeploymentObject>(deployments, namespace, name);
  if (deployment === undefined) return undefined;
  const claims = planClaims(
    deployment,
    (replicaSet: ReplicaSetObject) => selects(deployment.spec.selector, replicaSet.metadata.labels ?? {}),
    dependents.candidates<ReplicaSetObject>(deployment),
  );
  const owned = await executeClaims(client, replicaSets, deployment, claims);
  const plan = planDeployment({
    deployment,
    replicaSets: owned,
    withPods: new Set(owned.filter((one) => hasPods(context, one)).map((one) => one.metadata.uid ?? '')),
    nowMs: context.clock.now(),
  });
  for (const write of plan.writes) await carryOut(tools, deployment, write);
  await writeBack(client, deployment, plan);
  return plan.requeueMs === undefined ? undefined : { afterMs: plan.requeueMs };
}

function hasPods({ view }: ControllerContext, replicaSet: ReplicaSetObject): boolean {
  return view.controlledBy<PodObject>('pods', replicaSet.metadata.uid ?? '').some((pod) => !isFinishedPod(pod));
}

async function carryOut(tools: Tools, deployment: DeploymentObject, write: ReplicaSetWrite): Promise<void> {
  const { client, events } = tools;
  const { replicaSet } = write;
  if (write.kind === 'delete') {
    const { namespace, name, uid } = replicaSet.metadata;
    await client.delete(replicaSets, namespace ?? '', name, {
      propagationPolicy: 'Background',
      ...(uid ? { uid } : {}),
    });
    return;
  }
  if (write.kind === 'create') await create(tools, deployment, replicaSet);
  else await client.update(replicaSets, replicaSet);
  if (write.event !== undefined) events.event(deployment, 'Normal', 'ScalingReplicaSet', write.event);
}

async function create(tools: Tools, deployment: DeploymentObject, replicaSet: ReplicaSetObject): Promise<void> {
  try {
    await tools.client.create(replicaSets, replicaSet);
  } catch (error) {
    if (isApiError(error, 409)) await noteCollision(tools, deployment, replicaSet);
    else if (!isNamespaceTerminating(error)) await noteFailure(tools, deployment, replicaSet, errorMessageOf(error));
    throw error;
  }
}

/** Another template has the same hash, or another object has the name: the next reconciliation hashes differently. */
async function noteCollision(tools: Tools, deployment: DeploymentObject, wanted: ReplicaSetObject): Promise<void> {
  const { namespace, name } = wanted.metadata;
  const existing = tools.context.view.get<ReplicaSetObject>(replicaSets, namespace ?? '', name);
  if (existing === undefined) return;
  const ours = controllerOf(existing)?.uid === deployment.metadata.uid;
  if (ours && sameTemplate(existing.spec.template, deployment.spec.template)) return;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await writeStatus(tools.client, deployments, deployment, { ...deployment.status, collisionCount });
}

async function noteFailure(
  tools: Tools,
  deployment: DeploymentObject,
  replicaSet: ReplicaSetObject,
  why: string,
): Promise<void> {
  const message = `Failed to create new replica set "${replicaSet.metadata.name}": ${why}`;
  tools.events.event(deployment, 'Warning', 'ReplicaSetCreateError', message);
  if (desiredStateOf(deployment).progressDeadlineSeconds === undefined) return;
  const failed = condition('Progressing', 'False', 'ReplicaSetCreateError', message, tools.context.clock.now());
  const conditions = withCondition(deployment.status?.conditions, failed);
  await writeStatus(tools.client, deployments, deployment, { ...deployment.status, conditions });
}

async function writeBack(client: Client, deployment: DeploymentObject, plan: DeploymentPlan): Promise<void> {
  let current = deployment;
  const { revision } = plan;
  if (revision !== undefined && deployment.metadata.annotations?.[revisionAnnotation] !== revision) {
    const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
    current = await client.update(deployments, { ...deployment, metadata: { ...deployment.metadata, annotations } });
  }
  await writeStatus(client, deployments, current, plan.status);
}
