import type { Condition, ObjectMeta } from '@holdfast/base/meta';
import { annotation, condition as conditionTypes } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { pubsIn, resources } from '../../observe/resources.ts';
import { groupBudgetOf, type PdbShown } from './plan-pdb.ts';
import type { PubStatus } from './plan-pub.ts';

export type StatusClient = Pick<KubeClient, 'replace' | 'patch'>;

const statusManager = 'holdfast';

/** Replaces the whole status, if the object is still what the status was computed from. */
export function writePubStatus(
  client: StatusClient,
  shown: PodUnavailableBudget,
  status: PubStatus,
  over: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<PodUnavailableBudget>> {
  const { name, namespace, uid } = shown.metadata;
  const body = {
    apiVersion: shown.apiVersion,
    kind: 'PodUnavailableBudget',
    metadata: { name, namespace, uid, resourceVersion: over },
    // Written to a status it changes nothing, but some servers want to see an object that is whole.
    spec: shown.spec,
    status,
  };
  const options = { fieldManager: statusManager, signal };
  return client.replace<PodUnavailableBudget>(pubsOf(shown), statusOf(shown.metadata), body, options);
}

/** Sets the conditions alone, if the object is still what was looked at: the rest of the status is Kruise's. */
export function writePubConditions(
  client: StatusClient,
  shown: PodUnavailableBudget,
  conditions: readonly Condition[],
  signal: AbortSignal,
): Promise<Outcome<PodUnavailableBudget>> {
  const { uid, resourceVersion } = shown.metadata;
  const body = { metadata: { uid, resourceVersion }, status: { conditions } };
  const options = { fieldManager: statusManager, signal };
  return client.patch(pubsOf(shown), statusOf(shown.metadata), { type: 'merge', body }, options);
}

/**
 * Sets our condition and the projected number, or takes them away, in one write. The number goes into the status, where other tools read
 * it, and into an annotation, from which the API server puts it back into each status that the disruption controller writes. (A write
 * of the status may change annotations, so that no other right is needed.) Another budget of the same name is not meant: hence the uid.
 */
export async function writePdbShown(
  client: StatusClient,
  { metadata }: PodDisruptionBudget,
  { condition, allowed }: PdbShown,
  signal: AbortSignal,
): Promise<Outcome<PodDisruptionBudget>> {
  const { name, namespace, uid } = metadata;
  const status = {
    ...(condition === undefined ? {} : { conditions: [condition] }),
    ...(allowed === undefined ? {} : { disruptionsAllowed: allowed }),
  };
  const annotations =
    allowed === undefined ? {} : { annotations: { [annotation.disruptionsAllowed]: String(allowed) } };
  const body = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, uid, ...annotations },
    ...(Object.keys(status).length === 0 ? {} : { status }),
  };
  const patch = { type: 'apply', fieldManager: statusManager, force: true, body } as const;
  const applied = await client.patch<PodDisruptionBudget>(resources.pdbs, statusOf(metadata), patch, { signal });
  const left = condition === undefined && applied.ok && groupBudgetOf(applied.value) !== undefined;
  return left ? removeCondition(client, applied.value, signal) : applied;
}

/** Applying without a condition leaves one that another client wrote, such as a tool that restored the object from a backup. */
function removeCondition(
  client: StatusClient,
  pdb: PodDisruptionBudget,
  signal: AbortSignal,
): Promise<Outcome<PodDisruptionBudget>> {
  const { groupBudget } = conditionTypes;
  const index = pdb.status?.conditions?.findIndex(({ type }) => type === groupBudget) ?? -1;
  const path = `/status/conditions/${index}`;
  const operations = [
    { op: 'test', path: `${path}/type`, value: groupBudget },
    { op: 'remove', path },
  ] as const;
  const options = { fieldManager: statusManager, signal };
  return client.patch(resources.pdbs, statusOf(pdb.metadata), { type: 'json', operations }, options);
}

function statusOf({ namespace, name }: ObjectMeta) {
  return { namespace, name, subresource: 'status' };
}

/** Where it was read: another version may not be served. */
function pubsOf({ apiVersion = 'v1beta1' }: PodUnavailableBudget): ResourceName {
  return pubsIn(apiVersion.slice(apiVersion.indexOf('/') + 1));
}
