import type { EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import { pubGroup } from '../../api/pub/pub.ts';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import { pubsIn } from '../../observe/resources.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { Reporter } from '../outcome.ts';
import type { InstallValues } from '../values/values.ts';

const slices: ResourceName = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespaced: true };
const ofApiServers = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=kubernetes' };

/** Whether the NetworkPolicy limits where the webhooks are called from, and the values do not say from where. */
export function wantsAddresses({ hostNetwork, apiServerPorts, apiServerCidrs, webhook }: InstallValues): boolean {
  return !hostNetwork && apiServerPorts.length > 0 && apiServerCidrs.length === 0 && webhook.url === undefined;
}

/** The addresses of the API servers, as they publish them. Empty: they cannot be told. */
export async function apiServerCidrs(api: ClusterApi): Promise<readonly string[]> {
  const found = await api.list<EndpointSlice>(slices, ofApiServers);
  const all = found.ok ? found.value.flatMap(({ endpoints = [] }) => endpoints) : [];
  const addresses = all.flatMap(({ addresses = [] }) => addresses);
  return [...new Set(addresses)].sort().map((address) => `${address}/${address.includes(':') ? 128 : 32}`);
}

/** What the network of the nodes does not protect. */
export function reportExposure(values: InstallValues, report: Reporter): void {
  const { hostNetwork, apiServerPorts } = values;
  if (!hostNetwork && apiServerPorts.length > 0) return;
  const why = hostNetwork ? 'on the network of the nodes no NetworkPolicy holds' : 'no NetworkPolicy was asked for';
  const text = `${why}: whatever reaches the ports of the operator may call them, and only the secret path keeps it from acting`;
  report({ kind: 'note', text });
}

/** How often and how long calls are tried: a policy takes a while to hold, and to be lifted. */
const attempts = 5;
const pauseMs = 2_000;

/** OpenKruise's definition of PodUnavailableBudgets, where it is installed, may serve this version alone. */
const servedByAll = 'v1alpha1';

/**
 * Whether API servers reach the webhooks now. Networks may give their calls another address than they publish; then a policy that
 * knows only the published one would stop every eviction.
 */
export async function callsArrive(
  client: Pick<KubeClient, 'create'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const body = {
    apiVersion: `${pubGroup}/${servedByAll}`,
    kind: 'PodUnavailableBudget',
    metadata: { generateName: 'holdfast-reached-' },
    spec: { selector: { matchLabels: { 'holdfast.dev/none': 'none' } }, maxUnavailable: 1 },
  };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await client.create(pubsIn(servedByAll), { namespace: 'default' }, body, { dryRun: true, signal });
    if (answer.ok || !answer.failure.message.includes('failed calling webhook')) return true;
    if (attempt === attempts || !(await sleep(clock, pauseMs, signal))) return false;
  }
}
