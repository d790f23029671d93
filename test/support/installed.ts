import { operatorName } from '../../packages/holdfast/src/api/installation-names.ts';
import { foreignSign } from '../../packages/holdfast/src/install/apply/foreign.ts';
import { crdManifests } from '../../packages/holdfast/src/install/manifests/manifests.ts';
import {
  agentsNamespaceOf,
  namespaceOf,
  serviceAccountOf,
} from '../../packages/holdfast/src/install/manifests/namespace.ts';
import { operatorPolicies } from '../../packages/holdfast/src/install/manifests/operator-policies.ts';
import { peopleRoles } from '../../packages/holdfast/src/install/manifests/people-roles.ts';
import { projectionPolicies } from '../../packages/holdfast/src/install/manifests/projection-policy.ts';
import { rbacObjects } from '../../packages/holdfast/src/install/manifests/rbac.ts';
import { answeredPaths } from '../../packages/holdfast/src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import { createClients } from '../../packages/holdfast/src/kube/client/clients.ts';
import type { Access } from '../../packages/holdfast/src/kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../../packages/holdfast/src/kube/config/kubeconfig.ts';
import { targetOf } from '../../packages/holdfast/src/kube/config/target-of.ts';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { systemRandom } from '../../packages/holdfast/src/kube/time/random.ts';
import { Connection } from '../../packages/holdfast/src/kube/transport/connection.ts';
import { resources } from '../../packages/holdfast/src/observe/resources.ts';
import { registerWebhooks } from '../../packages/holdfast/src/operator/registration/register.ts';
import { untilTrusted } from '../../packages/holdfast/src/operator/registration/trust.ts';
import { createLogger } from '../../packages/holdfast/src/telemetry/log.ts';
import { made, pause, type TestCluster } from './cluster.ts';

/** What installing needs of a cluster: its administrator. */
export type Administered = Pick<TestCluster, 'request' | 'kubeconfig'>;

/** Definitions, namespace, account and rights of the operator, as the manifests have them, and how that account comes to the API server. */
export async function installOperator(cluster: Administered): Promise<{ namespace: string; access: Access }> {
  const values = defaultInstallValues;
  const { namespace } = values;
  const definitions = await Promise.all(
    crdManifests.map(async (one) => ((await isForeign(cluster, one)) ? [] : [one])),
  );
  const objects = [
    ...definitions.flat(),
    namespaceOf(values),
    agentsNamespaceOf(),
    serviceAccountOf(values),
    ...rbacObjects(values),
    ...peopleRoles,
  ];
  for (const object of objects) await applyManifest(cluster, object);
  await established(cluster);
  for (const object of operatorPolicies(values)) await applyManifest(cluster, object);
  await holdProjectedNumbers(cluster);
  return { namespace, access: await serviceAccountAccess(cluster, { namespace, name: operatorName }) };
}

/** By a policy, where API servers have mutating policies; elsewhere the webhook does it. */
export async function holdProjectedNumbers(cluster: Administered): Promise<void> {
  const { code } = await cluster.request('GET', '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies');
  if (code !== 200) return;
  for (const object of projectionPolicies(defaultInstallValues)) await applyManifest(cluster, object);
}

/** Where OpenKruise is, its definition stays, as it does when people install. */
async function isForeign(cluster: Administered, { metadata }: (typeof crdManifests)[number]): Promise<boolean> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`;
  const { code, body } = await cluster.request('GET', path);
  return code === 200 && foreignSign(body as object) !== undefined;
}

export interface RegisteredWebhooks {
  /** Resolves when API servers know whom to trust, which an operator has to say. */
  trusted(): Promise<void>;
  /** No webhook is called any more. */
  close(): Promise<void>;
}

const trustMs = 30_000;

/** API servers call the operators' webhooks at this URL. */
export async function registerAt(cluster: Administered, url: string): Promise<RegisteredWebhooks> {
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined);
  const connection = new Connection(targetOf(admin, realClock), { clock: realClock, userAgent: 'test' });
  const limit = { perSecond: 100, burst: 100, concurrent: 10, waiting: 100 };
  const client = createClients(connection, { admin: limit }, realClock).admin;
  const values = defaultInstallValues;
  const registered = await registerWebhooks({
    client,
    clock: realClock,
    random: systemRandom,
    log: createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => 0 }),
    values: { ...values, webhook: { ...values.webhook, url } },
    paths: answeredPaths,
    signal: new AbortController().signal,
  });
  if (registered.kind !== 'registered') throw new Error(`the webhooks are not registered: ${registered.kind}`);
  return {
    async trusted() {
      if (await untilTrusted(client, realClock, AbortSignal.timeout(trustMs))) return;
      throw new Error('no authority is trusted');
    },
    async close() {
      for (const resource of [resources.validating, resources.mutating])
        await client.delete(resource, { name: operatorName });
      connection.close();
    },
  };
}

interface Applied {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const plurals: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'customresourcedefinitions',
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
};

/** What an earlier run left on another server is used again. */
export async function applyManifest(cluster: Administered, manifest: object): Promise<void> {
  const object = manifest as Applied;
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { namespace, name } = object.metadata;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const path = `${root}${scope}/${plurals[object.kind]}/${name}?fieldManager=test&force=true`;
  const contentType = 'application/apply-patch+yaml';
  await made(cluster.request('PATCH', path, { body: object, contentType }));
}

async function established(cluster: Administered): Promise<void> {
  for (const { metadata } of crdManifests) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`;
    for (let left = 200; ; left -= 1) {
      const { status } = (await made(cluster.request('GET', path))) as { status?: { conditions?: Condition[] } };
      if (status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')) break;
      if (left === 0) throw new Error(`${metadata.name} is not established`);
      await pause(50);
    }
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** A token of a pod names the node that the pod is on; so does one that is bound to a node. */
async function boundTo(cluster: Administered, node: string | undefined): Promise<object> {
  if (node === undefined) return {};
  const { metadata } = await made(cluster.request('GET', `/api/v1/nodes/${node}`));
  return { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: node, uid: metadata.uid } };
}

/**
 * How a service account comes to the API server.
 * @param node that its token names, as those of pods there do
 */
export async function serviceAccountAccess(
  cluster: Administered,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  node?: string,
): Promise<Access> {
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined);
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 7_200, ...(await boundTo(cluster, node)) },
  };
  const answer = (await made(cluster.request('POST', path, { body }))) as { status?: { token?: string } };
  const text = answer.status?.token ?? '';
  const none = { certificate: undefined, key: undefined, basic: undefined, exec: undefined, impersonate: undefined };
  return { ...admin, user: { ...none, token: { kind: 'inline', text } } };
}
