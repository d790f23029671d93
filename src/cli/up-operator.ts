import { randomBytes } from 'node:crypto';
import type { User } from '../cluster/auth/user.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { KubeObject } from '../cluster/objects.ts';
import { createClients } from '../kube/client/clients.ts';
import type { Access } from '../kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../kube/config/kubeconfig.ts';
import { targetOf } from '../kube/config/target-of.ts';
import { realClock, sleep } from '../kube/time/clock.ts';
import { systemRandom } from '../kube/time/random.ts';
import { Connection } from '../kube/transport/connection.ts';
import { crdManifests } from '../operator/install/manifests.ts';
import { operatorUser } from '../operator/install/names.ts';
import { namespaceOf, serviceAccountOf } from '../operator/install/namespace.ts';
import { rbacObjects } from '../operator/install/rbac.ts';
import { defaultInstallValues, type InstallValues } from '../operator/install/values.ts';
import { answeredPaths } from '../operator/install/webhooks.ts';
import { type RunningOperator, startOperator } from '../operator/operator.ts';
import { registerWebhooks } from '../operator/registration/register.ts';
import { untilTrusted } from '../operator/registration/trust.ts';
import { createLogger } from '../telemetry/log.ts';

const values: InstallValues = defaultInstallValues;
const host = '127.0.0.1';
const adminLimit = { perSecond: 100, burst: 100, concurrent: 10, waiting: 100 };
const lookEveryMs = 25;

/** What the operator needs to be there, as the manifests have it, but for a Deployment to run it in. */
export const operatorObjects: readonly KubeObject[] = [
  ...crdManifests,
  namespaceOf(values),
  serviceAccountOf(values),
  ...rbacObjects(values),
] as unknown as readonly KubeObject[];

/** The operator comes to the API as its service account, and may do there what that may. */
export interface OperatorToken {
  readonly token: string;
  readonly user: User;
}

export function operatorToken(): OperatorToken {
  const { namespace } = values;
  return {
    token: randomBytes(32).toString('hex'),
    user: {
      name: operatorUser(namespace),
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    },
  };
}

/** Runs the same operator as in any cluster, over HTTPS. Resolves when it protects. */
export async function runOperator(cluster: Cluster, { token }: OperatorToken): Promise<RunningOperator> {
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig(), '/'), undefined);
  const log = createLogger({
    level: 'warn',
    format: 'text',
    write: (line) => void process.stderr.write(line),
    now: () => realClock.now(),
  });
  const environment = { access: asOperator(admin, token), clock: realClock, random: systemRandom, log };
  const operator = await startOperator(
    {
      namespace: values.namespace,
      identity: `holdfast-up_${randomBytes(4).toString('hex')}`,
      takeover: values.takeover,
      webhook: { host, port: 0, url: `https://${host}` },
      health: { host, port: 0 },
      budgetMetrics: true,
    },
    environment,
  );
  await register(admin, `https://${host}:${operator.webhookPort}`);
  while (operator.missing().length > 0) await sleep(realClock, lookEveryMs);
  return operator;
}

function asOperator(admin: Access, token: string): Access {
  const user = { certificate: undefined, key: undefined, basic: undefined, exec: undefined, impersonate: undefined };
  return { ...admin, user: { ...user, token: { kind: 'inline', text: token } } };
}

/** By the administrator, as an installation would: the operator may only change what is registered. */
async function register(admin: Access, url: string): Promise<void> {
  const clock = realClock;
  const connection = new Connection(targetOf(admin, clock), { clock, userAgent: 'holdfast-up' });
  try {
    const client = createClients(connection, { admin: adminLimit }, clock).admin;
    const { signal } = new AbortController();
    const registered = await registerWebhooks({
      client,
      clock,
      random: systemRandom,
      log: createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => clock.now() }),
      values: { ...values, webhook: { ...values.webhook, url } },
      paths: answeredPaths,
      signal,
    });
    if (registered.kind === 'refused') throw new Error(registered.problem);
    await untilTrusted(client, clock, signal);
  } finally {
    connection.close();
  }
}
