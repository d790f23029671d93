import { sameJson } from '@holdfast/base/json';
import type { Client } from '../../client.ts';
import { keyOf, splitKey } from '../../objects.ts';
import type { Subscription } from '../../store/store.ts';
import { Backoff } from '../common/backoff.ts';
import { executeClaims } from '../common/claiming.ts';
import { type Dependents, watchDependents } from '../common/dependents.ts';
import { EventRecorder } from '../common/events.ts';
import {
  deleteRevisions,
  executeRevision,
  planRevision,
  type RevisionResult,
  revisionHashLabel,
  revisions,
  sortRevisions,
  surplusRevisions,
} from '../common/history.ts';
import { planClaims, selects } from '../common/owners.ts';
import { allOf, createPodWriter, type PodWriter } from '../common/pod-writer.ts';
import { podPhaseOf } from '../common/pods.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { DaemonSetObject, NodeObject, PodObject, RevisionObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { newDaemonPod } from './daemon-pods.ts';
import { computeDaemonSetStatus, nextDaemonSetCheckMs } from './daemon-set-status.ts';
import { type DaemonSetPlan, planDaemonSet } from './plan-daemon-set.ts';

const name = 'daemonset-controller';
const daemonSets = 'apps/daemonsets';
const firstBackoffMs = 1000;
const lastBackoffMs = 15 * 60_000;

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly writer: PodWriter;
  readonly pods: Dependents;
  readonly history: Dependents;
  readonly backoff: Backoff;
}

export function startDaemonSetController(context: ControllerContext): Controller {
  const client = context.clientFor('daemon-set-controller');
  const events = new EventRecorder(context, client, name);
  const writer = createPodWriter(client, events);
  const backoff = new Backoff(firstBackoffMs, lastBackoffMs);
  const reconciler: Reconciler = new Reconciler(context, {
    name,
    reconcile: (key) => reconcile({ context, client, events, writer, pods, history, backoff }, key),
  });
  const dependents = (resource: string): Dependents =>
    watchDependents({
      view: context.view,
      resource,
      ownerResource: daemonSets,
      ownerApiVersion: 'apps/v1',
      ownerKind: 'DaemonSet',
      wouldSelect: (owner, labels) => selects((owner as DaemonSetObject).spec.selector, labels),
      changed: (key) => reconciler.add(key),
    });
  const pods = dependents('pods');
  const history = dependents(revisions);
  const watching = context.view.watch(daemonSets, ({ object }) => reconciler.add(keyOf(object)));
  const nodes = watchNodes(context, reconciler);
  return {
    stop() {
      for (const subscription of [watching, nodes, pods, history]) subscription.stop();
      reconciler.stop();
    },
  };
}

/** Heartbeats of nodes concern no daemon; their coming and going, labels and taints concern all. */
function watchNodes(context: ControllerContext, reconciler: Reconciler): Subscription {
  return context.view.watch('nodes', ({ object, previous, type }) => {
    const same =
      type === 'MODIFIED' &&
      sameJson(object.metadata.labels, previous?.metadata.labels) &&
      sameJson(object['spec'], previous?.['spec']);
    if (same) return;
    for (const set of context.view.list(daemonSets)) reconciler.add(keyOf(set));
  });
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { context, client, backoff } = tools;
  const { namespace, name: setName } = splitKey(key);
  const set = context.view.get<DaemonSetObject>(daemonSets, namespace, setName);
  if (set === undefined) return undefined;
  const { sorted, made } = await syncHistory(tools, set);
  const pods = await claimPods(tools, set);
  const nowMs = context.clock.now();
  const backoffKey = (node: string): string => `${set.metadata.uid}/${set.metadata.generation}/${node}`;
  const seen = {
    set,
    nodes: context.view.list<NodeObject>('nodes'),
    pods,
    hash: hashOfRevision(made.revision),
    nowMs,
  };
  const plan = planDaemonSet({ ...seen, backoffMs: (node) => backoff.remainingMs(backoffKey(node), nowMs) });
  for (const { pod, node } of plan.ended) {
    if (podPhaseOf(pod) === 'Failed') backoff.failed(backoffKey(node), nowMs);
  }
  const failure = await carryOut(tools, set, plan, seen.hash);
  await writeStatus(client, daemonSets, set, computeDaemonSetStatus(seen, made.collisions));
  await truncate(client, set, sorted, pods, seen.hash);
  if (failure) throw failure.error;
  const waits = [plan.requeueMs, nextDaemonSetCheckMs(seen)].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : { afterMs: Math.min(...waits) };
}

async function claimPods({ client, pods }: Tools, set: DaemonSetObject): Promise<readonly PodObject[]> {
  const selected = (pod: PodObject): boolean => selects(set.spec.selector, pod.metadata.labels ?? {});
  return executeClaims(client, 'pods', set, planClaims(set, selected, pods.candidates<PodObject>(set)));
}

async function syncHistory(
  { client, context, history }: Tools,
  set: DaemonSetObject,
): Promise<{ sorted: readonly RevisionObject[]; made: RevisionResult }> {
  const selected = (revision: RevisionObject) => selects(set.spec.selector, revision.metadata.labels ?? {});
  const planned = planClaims(set, selected, history.candidates<RevisionObject>(set));
  const sorted = sortRevisions(await executeClaims(client, revisions, set, { ...planned, release: [] }));
  const known = set.status?.collisionCount ?? 0;
  const made = await executeRevision(client, context.view, set, planRevision(sorted, set, known), known);
  return { sorted, made };
}

function hashOfRevision(revision: RevisionObject): string {
  return revision.metadata.labels?.[revisionHashLabel] ?? revision.metadata.name;
}

async function carryOut(
  { writer, events }: Tools,
  set: DaemonSetObject,
  plan: DaemonSetPlan,
  hash: string,
): Promise<{ error: unknown } | undefined> {
  for (const { pod, node } of plan.ended) {
    const where = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`;
    if (podPhaseOf(pod) === 'Failed') {
      events.event(set, 'Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
    } else {
      events.event(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
    }
  }
  try {
    await allOf([
      ...plan.create.map((node) => () => writer.create(set, newDaemonPod(set, node, hash))),
      ...plan.remove.map((pod) => () => writer.delete(set, pod)),
    ]);
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function truncate(
  client: Client,
  set: DaemonSetObject,
  sorted: readonly RevisionObject[],
  pods: readonly PodObject[],
  hash: string,
): Promise<void> {
  const used = new Set([hash, ...pods.map((pod) => pod.metadata.labels?.[revisionHashLabel])]);
  const limit = set.spec.revisionHistoryLimit ?? 10;
  const surplus = surplusRevisions(sorted, (revision) => used.has(hashOfRevision(revision)), limit);
  await deleteRevisions(client, surplus);
}
