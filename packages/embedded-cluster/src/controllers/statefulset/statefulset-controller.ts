import type { Client } from '../../client.ts';
import { keyOf, splitKey } from '../../objects.ts';
import { executeClaims } from '../common/claiming.ts';
import { type Dependents, watchDependents } from '../common/dependents.ts';
import { EventRecorder } from '../common/events.ts';
import {
  deleteRevisions,
  executeRevision,
  planRevision,
  revisions,
  sortRevisions,
  surplusRevisions,
} from '../common/history.ts';
import { planClaims, selects } from '../common/owners.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { ClaimObject, PodObject, RevisionObject, StatefulSetObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { executeAction } from './execute.ts';
import { ordinalOf, revisionOfPod } from './ordinals.ts';
import { planStatefulSet } from './plan-stateful-set.ts';

const name = 'statefulset-controller';
const statefulSets = 'apps/statefulsets';
const claims = 'persistentvolumeclaims';

export interface StatefulSetOptions {
  /** Whether `rollingUpdate.maxUnavailable` counts. On unless said otherwise. */
  readonly maxUnavailableGate?: boolean;
}

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly pods: Dependents;
  readonly history: Dependents;
  readonly maxUnavailableGate: boolean;
}

export function startStatefulSetController(context: ControllerContext, options: StatefulSetOptions = {}): Controller {
  const client = context.clientFor(name);
  const events = new EventRecorder(context, client, name);
  const maxUnavailableGate = options.maxUnavailableGate ?? true;
  const reconciler: Reconciler = new Reconciler(context, {
    name,
    reconcile: (key) => reconcile({ context, client, events, pods, history, maxUnavailableGate }, key),
  });
  const dependents = (resource: string, changed: (key: string) => void): Dependents =>
    watchDependents({
      view: context.view,
      resource,
      ownerResource: statefulSets,
      ownerApiVersion: 'apps/v1',
      ownerKind: 'StatefulSet',
      wouldSelect: (owner, labels) => selects((owner as StatefulSetObject).spec.selector, labels),
      changed,
    });
  const pods = dependents('pods', (key) => reconciler.add(key));
  // A revision that goes is no reason to look: of a set that is going itself it would be made again, for good.
  const history = dependents(revisions, () => undefined);
  const watching = context.view.watch(statefulSets, ({ object }) => reconciler.add(keyOf(object)));
  // A pod may be waiting for its place to be free of the claim that was there before.
  const claimsGone = context.view.watch(claims, ({ type, object }) => {
    if (type !== 'DELETED') return;
    for (const set of context.view.list<StatefulSetObject>(statefulSets, object.metadata.namespace)) {
      if (mayMount(set, object.metadata.name)) reconciler.add(keyOf(set));
    }
  });
  return {
    stop() {
      for (const subscription of [watching, claimsGone, pods, history]) subscription.stop();
      reconciler.stop();
    },
  };
}

function mayMount(set: StatefulSetObject, claim: string): boolean {
  const templates = set.spec.volumeClaimTemplates ?? [];
  return templates.some(({ metadata }) => claim.startsWith(`${metadata?.name}-${set.metadata.name}-`));
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { context, client } = tools;
  const { namespace, name } = splitKey(key);
  const set = context.view.get<StatefulSetObject>(statefulSets, namespace, name);
  if (set === undefined) return undefined;
  const sorted = await claimRevisions(tools, set);
  const pods = await claimPods(tools, set);
  const known = set.status?.collisionCount ?? 0;
  const made = await executeRevision(client, context.view, set, planRevision(sorted, set, known), known);
  const { revision: update, collisions } = made;
  const current = sorted.find((revision) => revision.metadata.name === set.status?.currentRevision) ?? update;
  const plan = planStatefulSet({
    set,
    pods,
    current,
    update,
    collisions,
    claim: (claimName) => context.view.get<ClaimObject>(claims, namespace, claimName),
    nowMs: context.clock.now(),
    maxUnavailableGate: tools.maxUnavailableGate,
  });
  const failure = await carryOut(tools, set, plan.actions);
  await writeStatus(client, statefulSets, set, plan.status);
  await truncate(client, set, sorted, pods, [current, update]);
  if (failure) throw failure.error;
  return plan.requeueMs === undefined ? undefined : { afterMs: plan.requeueMs };
}

/** The first error ends the pass, and the status is written all the same. */
async function carryOut(
  { client, events }: Tools,
  set: StatefulSetObject,
  actions: ReturnType<typeof planStatefulSet>['actions'],
): Promise<{ error: unknown } | undefined> {
  try {
    for (const action of actions) await executeAction({ client, events, set }, action);
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function claimPods({ client, pods }: Tools, set: StatefulSetObject): Promise<readonly PodObject[]> {
  const isMember = (pod: PodObject): boolean =>
    ordinalOf(set, pod) !== undefined && selects(set.spec.selector, pod.metadata.labels ?? {});
  return executeClaims(client, 'pods', set, planClaims(set, isMember, pods.candidates<PodObject>(set)));
}

async function claimRevisions({ client, history }: Tools, set: StatefulSetObject): Promise<readonly RevisionObject[]> {
  const selected = (revision: RevisionObject) => selects(set.spec.selector, revision.metadata.labels ?? {});
  const planned = planClaims(set, selected, history.candidates<RevisionObject>(set));
  return sortRevisions(await executeClaims(client, revisions, set, { ...planned, release: [] }));
}

async function truncate(
  client: Client,
  set: StatefulSetObject,
  sorted: readonly RevisionObject[],
  pods: readonly PodObject[],
  live: readonly RevisionObject[],
): Promise<void> {
  const used = new Set([...live.map(({ metadata }) => metadata.name), ...pods.map(revisionOfPod)]);
  const limit = set.spec.revisionHistoryLimit ?? 10;
  const surplus = surplusRevisions(sorted, ({ metadata }) => used.has(metadata.name), limit);
  await deleteRevisions(client, surplus);
}
