import { type Fields, isObject } from '@holdfast/base/json';
import { selectorLabels } from '../../api/installation-names.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { list } from '../../kube/client/list.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { resources } from '../../observe/resources.ts';

interface Replica {
  /** The hash of the Deployment's pod template that this replica was made from. */
  readonly template: string;
  readonly ended: boolean;
}

/**
 * Whether all replicas of the operator were made from one template: no rolling update is under way in which an older version still
 * answers beside this one. Outside of a cluster there are no pods. False also when that cannot be told.
 */
export async function areAllOneVersion(
  client: KubeClient,
  clock: Clock,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const labelSelector = Object.entries(selectorLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const selection = { namespace, labelSelector };
  const pods = await list({ client, resource: resources.pods, selection, project: replicaOf, clock, signal });
  if (!pods.ok) return false;
  const templates = pods.value.items.filter(({ ended }) => !ended).map(({ template }) => template);
  return new Set(templates).size <= 1;
}

function replicaOf({ metadata, status }: Fields): Replica {
  const labels = isObject(metadata) && isObject(metadata['labels']) ? metadata['labels'] : {};
  const phase = isObject(status) ? status['phase'] : undefined;
  return { template: String(labels['pod-template-hash'] ?? ''), ended: phase === 'Succeeded' || phase === 'Failed' };
}
