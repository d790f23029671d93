import { randomBytes } from 'node:crypto';
import { createClients } from '../../src/kube/client/clients.ts';
import type { Access } from '../../src/kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../src/kube/config/target-of.ts';
import { type Clock, realClock } from '../../src/kube/time/clock.ts';
import { systemRandom } from '../../src/kube/time/random.ts';
import { Connection } from '../../src/kube/transport/connection.ts';
import type { FeatureGates } from '../../src/operator/feature-gates.ts';
import { crdManifests } from '../../src/operator/install/manifests.ts';
import { operatorName } from '../../src/operator/install/names.ts';
import { namespaceOf, serviceAccountOf } from '../../src/operator/install/namespace.ts';
import { rbacObjects } from '../../src/operator/install/rbac.ts';
import { defaultInstallValues } from '../../src/operator/install/values.ts';
import { answeredPaths } from '../../src/operator/install/webhooks.ts';
import { type RunningOperator, startOperator } from '../../src/operator/operator.ts';
import { registerWebhooks, unregisterWebhooks } from '../../src/operator/registration/register.ts';
import { untilTrusted } from '../../src/operator/registration/trust.ts';
import type { OperatorSettings } from '../../src/operator/settings.ts';
import { createLogger, type LogLevel } from '../../src/telemetry/log.ts';
import { Balancer } from './balancer.ts';
import { type ClusterWish, made, type TestCluster, testCluster } from './cluster.ts';

export interface ProtectedWish extends ClusterWish {
  /** Operators in this process, behind one address. Default: 1. */
  readonly replicas?: number;
  readonly takeover?: OperatorSettings['takeover'];
  readonly featureGates?: FeatureGates;
  /** Of one replica, by its number from 0. */
  readonly clockOf?: (replica: number) => Clock;
  readonly logLevel?: LogLevel;
  /** A cluster of the caller's own making, to be protected. Default: a new one. */
  readonly base?: TestCluster;
}

export interface ProtectedCluster extends TestCluster {
  readonly operators: readonly RunningOperator[];
  readonly balancer: Balancer;
  /** The operator's own namespace. */
  readonly operatorNamespace: string;
  /** How the operators come to the API server: as their service account, and by what the manifests allow it. */
  readonly operatorAccess: Access;
  /** One more operator behind the same address; resolves when it is ready. */
  addReplica(): Promise<RunningOperator>;
}

const host = '127.0.0.1';

/** A cluster with operators that run as the manifests would have it, over HTTP(S) alone, with their own service account. */
export async function protectedCluster(wish: ProtectedWish = {}): Promise<ProtectedCluster> {
  const cluster = wish.base ?? (await testCluster({ controllers: true, speed: 20, nodes: 6, ...wish }));
  const values = defaultInstallValues;
  const { namespace } = values;
  const objects = [...crdManifests, namespaceOf(values), serviceAccountOf(values), ...rbacObjects(values)];
  for (const object of objects) await applyManifest(cluster, object);
  await established(cluster);
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined);
  const operatorAccess = await serviceAccountAccess(cluster, { namespace, name: operatorName });
  const balancer = await Balancer.start();
  const operators: RunningOperator[] = [];
  const start = async () => {
    const number = operators.length;
    const operator = await startOperator(settingsOf(wish, namespace, number), {
      access: operatorAccess,
      clock: wish.clockOf?.(number) ?? realClock,
      random: systemRandom,
      log: createLogger({
        level: wish.logLevel ?? 'error',
        format: 'text',
        write: (line) => void process.stderr.write(line),
        now: () => realClock.now(),
      }),
    });
    operators.push(operator);
    balancer.add(operator.webhookPort);
    return operator;
  };
  const connection = new Connection(targetOf(admin, realClock), { clock: realClock, userAgent: 'test' });
  const limit = { perSecond: 100, burst: 100, concurrent: 10, waiting: 100 };
  const client = createClients(connection, { admin: limit }, realClock).admin;
  for (let i = 0; i < (wish.replicas ?? 1); i += 1) await start();
  const registered = await registerWebhooks({
    client,
    clock: realClock,
    random: systemRandom,
    log: createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => 0 }),
    values: { ...values, webhook: { ...values.webhook, url: `https://${host}:${balancer.port}` } },
    paths: answeredPaths,
    signal: new AbortController().signal,
  });
  if (registered.kind !== 'registered') throw new Error(`the webhooks are not registered: ${registered.kind}`);
  // Without an operator there is nobody to trust yet.
  if (operators.length > 0 && !(await untilTrusted(client, realClock, AbortSignal.timeout(30_000)))) {
    throw new Error('nobody is trusted');
  }
  for (const operator of operators) await ready(operator);
  return {
    ...cluster,
    operators,
    balancer,
    operatorNamespace: namespace,
    operatorAccess,
    async addReplica() {
      const operator = await start();
      await ready(operator);
      return operator;
    },
    async close() {
      await unregisterWebhooks(client);
      connection.close();
      await Promise.all(operators.map((operator) => operator.stop()));
      await balancer.close();
      await cluster.close();
    },
  };
}

function settingsOf(
  { takeover = 'pdb', featureGates }: ProtectedWish,
  namespace: string,
  number: number,
): OperatorSettings {
  return {
    namespace,
    identity: `operator-${number}_${randomBytes(4).toString('hex')}`,
    takeover,
    webhook: { host, port: 0, url: `https://${host}` },
    health: { host, port: 0 },
    ...(featureGates === undefined ? {} : { featureGates }),
    budgetMetrics: true,
  };
}

async function ready(operator: RunningOperator): Promise<void> {
  const end = Date.now() + 30_000;
  while (operator.missing().length > 0) {
    if (Date.now() > end) throw new Error(`the operator does not become ready: ${operator.missing().join(', ')}`);
    await pause(20);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
};

/** What an earlier run left on another server is used again. */
export async function applyManifest(cluster: TestCluster, manifest: object): Promise<void> {
  const object = manifest as Applied;
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { namespace, name } = object.metadata;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const path = `${root}${scope}/${plurals[object.kind]}/${name}?fieldManager=test&force=true`;
  const contentType = 'application/apply-patch+yaml';
  await made(cluster.request('PATCH', path, { body: object, contentType }));
}

async function established(cluster: TestCluster): Promise<void> {
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

/** How a service account comes to the API server. */
export async function serviceAccountAccess(
  cluster: TestCluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Access> {
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined);
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7_200 } };
  const answer = (await made(cluster.request('POST', path, { body }))) as { status?: { token?: string } };
  const text = answer.status?.token ?? '';
  const none = { certificate: undefined, key: undefined, basic: undefined, exec: undefined, impersonate: undefined };
  return { ...admin, user: { ...none, token: { kind: 'inline', text } } };
}
