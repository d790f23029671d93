import type { ValidatingWebhookConfiguration } from 'kubernetes-types/admissionregistration/v1.js';
import type { Secret } from 'kubernetes-types/core/v1.js';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import { startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import {
  agentsNamespace,
  certificateSecret,
  defaultNamespace,
  operatorName,
  operatorUser,
} from '../../../src/api/installation-names.ts';
import { rbacObjects } from '../../../src/install/manifests/rbac.ts';
import { answeredPaths } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues, type InstallValues } from '../../../src/install/values/values.ts';
import type { KubeClient, ResourceName } from '../../../src/kube/client/client.ts';
import { createClients } from '../../../src/kube/client/clients.ts';
import type { Access } from '../../../src/kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { type Clock, realClock } from '../../../src/kube/time/clock.ts';
import { Connection } from '../../../src/kube/transport/connection.ts';
import { operatorPurposeLimits } from '../../../src/observe/purposes.ts';
import { resources } from '../../../src/observe/resources.ts';
import type { Certificates } from '../../../src/operator/certificates/certificates.ts';
import { webhookNames } from '../../../src/operator/certificates/names.ts';
import { type PathUpkeep, startCertificates, startPaths } from '../../../src/operator/certificates/start.ts';
import { registerWebhooks } from '../../../src/operator/registration/register.ts';
import { createLogger, type Logger } from '../../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';
import type { CertificatePolicy } from '../../../src/trust/certificate-policy.ts';
import { readBundle } from '../../../src/trust/read-certificates.ts';

export const secretPlace = { namespace: defaultNamespace, name: certificateSecret };
const rbac = (plural: string, namespaced: boolean) =>
  ({ group: 'rbac.authorization.k8s.io', version: 'v1', plural, namespaced }) as const;
const rbacResources: Readonly<Record<string, ReturnType<typeof rbac>>> = {
  ClusterRole: rbac('clusterroles', false),
  ClusterRoleBinding: rbac('clusterrolebindings', false),
  Role: rbac('roles', true),
  RoleBinding: rbac('rolebindings', true),
};

export interface Bed {
  readonly admin: KubeClient;
  /** With the permissions that the manifests give, and no others. */
  clientsAs(user: string): ReturnType<typeof clientsOf>;
  close(): Promise<void>;
}

function clientsOf(connection: Connection) {
  return createClients(connection, operatorPurposeLimits, realClock);
}

export async function startBed(values: InstallValues = defaultInstallValues): Promise<Bed> {
  const cluster = await startCluster({ controllers: false, report: () => undefined });
  const bed = await bedOn(cluster.kubeconfig(), values);
  return {
    ...bed,
    async close() {
      await bed.close();
      await cluster.close();
    },
  };
}

/** On a cluster of the caller's, by the kubeconfig of its administrator. */
export async function bedOn(kubeconfig: string, values: InstallValues = defaultInstallValues): Promise<Bed> {
  const access = accessOf(parseKubeconfig(kubeconfig, '/'));
  const connections: Connection[] = [];
  const clientsFor = (who: Access) => {
    const connection = new Connection(targetOf(who, realClock), { clock: realClock, userAgent: 'holdfast-test' });
    connections.push(connection);
    return clientsOf(connection);
  };
  const admin = clientsFor(access).upkeep;
  await prepare(admin, values);
  return {
    admin,
    clientsAs: (user) =>
      clientsFor({
        ...access,
        user: { ...access.user, impersonate: { user, uid: undefined, groups: ['system:authenticated'], extra: {} } },
      }),
    async close() {
      for (const connection of connections) connection.close();
    },
  };
}

async function prepare(admin: KubeClient, values: InstallValues): Promise<void> {
  for (const name of [defaultNamespace, agentsNamespace]) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await put(admin, resources.namespaces, namespace);
  }
  for (const object of rbacObjects(values)) {
    const resource = rbacResources[object.kind ?? ''];
    const namespace = object.metadata?.namespace;
    if (resource === undefined) throw new Error(`no resource for ${object.kind}`);
    await put(admin, resource, object, namespace);
  }
}

/** What an earlier run left on another server becomes what it is to be. */
async function put(admin: KubeClient, resource: ResourceName, body: KubeBody, namespace?: string): Promise<void> {
  const place = { namespace, name: body.metadata?.name ?? '' };
  unwrap(await admin.patch(resource, place, { type: 'apply', body, fieldManager: 'test', force: true }));
}

interface KubeBody {
  readonly metadata?: { readonly name?: string };
}

export interface Replica {
  readonly certificates: Certificates;
  readonly metrics: Metrics;
  readonly lines: string[];
  /** Returns how to stop leading. */
  lead(): () => Promise<void>;
}

export interface ReplicaWish {
  readonly clock?: Clock;
  readonly policy?: CertificatePolicy;
  readonly url?: string;
}

export function logInto(lines: string[]): Logger {
  return createLogger({ level: 'debug', format: 'json', now: () => 0, write: (line) => lines.push(line) });
}

/** One operator whose certificates others make, as far as paths go, with the permissions of the service account. */
export function startPathReplica(bed: Bed): PathUpkeep {
  const clock = realClock;
  const context = {
    clients: bed.clientsAs(operatorUser(defaultNamespace)),
    clock,
    random: Math.random,
    log: logInto([]),
    metrics: createMetrics(),
    namespace: defaultNamespace,
  };
  return startPaths({ context, traits: { watchList: true }, names: webhookNames(defaultNamespace, undefined) });
}

/** One operator, as far as certificates go, with the permissions of the service account. */
export function startReplica(bed: Bed, wish: ReplicaWish = {}): Replica {
  const lines: string[] = [];
  const metrics = createMetrics();
  const context = {
    clients: bed.clientsAs(operatorUser(defaultNamespace)),
    clock: wish.clock ?? realClock,
    random: Math.random,
    log: logInto(lines),
    metrics,
    namespace: defaultNamespace,
  };
  const certificates = startCertificates({
    context,
    traits: { watchList: true },
    names: webhookNames(defaultNamespace, wish.url ?? 'https://127.0.0.1:9443'),
    ...(wish.policy === undefined ? {} : { policy: wish.policy }),
  });
  const lead = () => {
    const stopping = new AbortController();
    const leading = certificates.lead(stopping.signal);
    return async () => {
      stopping.abort();
      await leading;
    };
  };
  return { certificates, metrics, lines, lead };
}

export function urlValues(url: string): InstallValues {
  return { ...defaultInstallValues, webhook: { ...defaultInstallValues.webhook, url } };
}

export function register(client: KubeClient, url: string, paths: ReadonlySet<string> = answeredPaths) {
  const { signal } = new AbortController();
  const log = logInto([]);
  return registerWebhooks({
    client,
    clock: realClock,
    random: Math.random,
    log,
    values: urlValues(url),
    paths,
    signal,
  });
}

/** As if no replica had ever been here. */
export async function forgetAll({ admin }: Bed): Promise<void> {
  await admin.delete(resources.secrets, secretPlace);
  for (const resource of [resources.validating, resources.mutating]) {
    await admin.delete(resource, { name: operatorName });
  }
}

export async function readSecretObject({ admin }: Bed): Promise<Secret> {
  return unwrap(await admin.get<Secret>(resources.secrets, secretPlace));
}

export async function readConfiguration({ admin }: Bed): Promise<ValidatingWebhookConfiguration> {
  return unwrap(await admin.get<ValidatingWebhookConfiguration>(resources.validating, { name: operatorName }));
}

/** What each webhook trusts, as PEM. */
export async function bundles(bed: Bed): Promise<readonly string[]> {
  const { webhooks = [] } = await readConfiguration(bed);
  return webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString());
}

/** How many authorities each webhook trusts. */
export async function trustedCounts(bed: Bed): Promise<readonly number[]> {
  return (await bundles(bed)).map((bundle) => readBundle(bundle).length);
}

/** Waits, in real time, for something that is bound to happen. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; waited < 15_000; waited += 10) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited in vain for ${what}`);
}
