import type { StringMap } from '../../../packages/base/src/meta.ts';
import type { Reservation } from '../../../packages/holdfast/src/api/ledger.ts';
import { annotation } from '../../../packages/holdfast/src/api/names.ts';
import type { PodUnavailableBudgetSpec } from '../../../packages/holdfast/src/api/pub/pub.ts';
import { stopping } from '../../e2e/support/objects.ts';
import { isReady } from '../../support/availability.ts';
import { made } from '../../support/cluster.ts';
import type { Answer, Body } from '../../support/kube-http.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { eventually } from './eventually.ts';

type Cluster = Pick<ProtectedCluster, 'request'>;

/** Pods that no controller replaces: a deleted pod stays deleted, so that how many may be disrupted is known beforehand. */
export async function createPods(
  cluster: Cluster,
  namespace: string,
  pods: ReadonlyMap<string, StringMap>,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'web:1' }] };
  const create = ([name, labels]: readonly [string, StringMap]) =>
    made(cluster.request('POST', path, { body: { metadata: { name, labels, annotations: stopping }, spec } }));
  await Promise.all([...pods].map(create));
  await podsReady(cluster, namespace, pods.size, (name) => pods.has(name));
}

/** Pods that are replaced. */
export async function createDeployment(
  cluster: Cluster,
  namespace: string,
  name: string,
  replicas: number,
): Promise<void> {
  const labels = { app: name };
  const pod = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'web:1' }] };
  const spec = { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } };
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await made(cluster.request('POST', path, { body: { metadata: { name }, spec } }));
  await podsReady(cluster, namespace, replicas, (pod) => pod.startsWith(`${name}-`));
}

async function podsReady(
  cluster: Cluster,
  namespace: string,
  count: number,
  among: (name: string) => boolean = () => true,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const there = async () => (await made(cluster.request('GET', path))).items;
  const ready = async () => (await there()).filter((pod) => among(pod.metadata.name) && isReady(pod)).length;
  await eventually(async () => (await ready()) === count, `${count} pods are ready`);
}

export function podNames(base: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${base}-${i}`);
}

export function all(names: readonly string[], labels: StringMap): Map<string, StringMap> {
  return new Map(names.map((name) => [name, labels]));
}

const pubs = (namespace: string) => `/apis/policy.kruise.io/v1beta1/namespaces/${namespace}/podunavailablebudgets`;

/** Resolves when the budget says of itself that it is enforced. */
export async function createPub(
  cluster: Cluster,
  namespace: string,
  name: string,
  spec: PodUnavailableBudgetSpec,
): Promise<void> {
  const kind = { apiVersion: 'policy.kruise.io/v1beta1', kind: 'PodUnavailableBudget' };
  await made(cluster.request('POST', pubs(namespace), { body: { ...kind, metadata: { name }, spec } }));
  await eventually(
    async () => conditionOf(await pubOf(cluster, namespace, name), 'Enforced') === 'True',
    `the budget ${name} is enforced`,
  );
}

export function pubOf(cluster: Cluster, namespace: string, name: string): Promise<Body> {
  return made(cluster.request('GET', `${pubs(namespace)}/${name}`));
}

/** The pods that these nodes still have, but for those that are going. */
export async function podsOn(cluster: Cluster, namespace: string, nodes: readonly string[]): Promise<string[]> {
  const { items } = await made(cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`));
  const there = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return there.filter(({ spec }) => nodes.includes(String(spec['nodeName']))).map(({ metadata }) => metadata.name);
}

/** A PodDisruptionBudget over groups; resolves when it is judged. */
export async function createGroupPdb(
  cluster: Cluster,
  namespace: string,
  name: string,
  wish: { readonly minAvailable: number; readonly groupLabel: string; readonly labels: StringMap },
): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const annotations = { [annotation.budgetScope]: 'PodGroup', [annotation.groupLabel]: wish.groupLabel };
  const spec = { minAvailable: wish.minAvailable, selector: { matchLabels: wish.labels } };
  await made(cluster.request('POST', path, { body: { metadata: { name, annotations }, spec } }));
  const judged = async () => {
    const status = conditionOf(await made(cluster.request('GET', `${path}/${name}`)), 'holdfast.dev/GroupBudget');
    return status === 'True' || status === 'False';
  };
  await eventually(judged, `the budget ${name} is judged`);
}

function conditionOf({ status }: Body, type: string): string | undefined {
  const conditions = (status?.['conditions'] ?? []) as readonly { type: string; status: string }[];
  return conditions.find((one) => one.type === type)?.status;
}

export function evict(
  cluster: Cluster,
  namespace: string,
  name: string,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Answer> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction${dryRun ? '?dryRun=All' : ''}`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  return cluster.request('POST', path, { body });
}

/** Whether a pod went. When it is gone before the API server looks for it once more, that is said with 404, and kubectl is content. */
export function went({ code }: Answer): boolean {
  return code === 201 || code === 404;
}

/** How often each code came. */
export function tally(answers: readonly { readonly code: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

export async function reservations(cluster: Cluster, namespace: string): Promise<readonly Reservation[]> {
  const path = `/apis/holdfast.dev/v1alpha1/namespaces/${namespace}/disruptionledgers/default`;
  const { code, body } = await cluster.request('GET', path);
  if (code === 404) return [];
  return (body.spec?.['reservations'] ?? []) as readonly Reservation[];
}

export function nothingReserved(cluster: Cluster, namespace: string): Promise<void> {
  return eventually(async () => (await reservations(cluster, namespace)).length === 0, 'nothing is reserved any more');
}

/** A change that means nothing, and makes controllers reconcile this namespace again. */
export async function nudge(cluster: Cluster, namespace: string, pod: string): Promise<void> {
  const body = { metadata: { annotations: { nudge: String(performance.now()) } } };
  const contentType = 'application/merge-patch+json';
  await made(cluster.request('PATCH', `/api/v1/namespaces/${namespace}/pods/${pod}`, { body, contentType }));
}
