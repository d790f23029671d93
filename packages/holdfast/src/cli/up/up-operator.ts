import type { Cluster } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import {
  agentsNamespaceOf,
  answeredPaths,
  crdManifests,
  namespaceOf,
  operatorPolicies,
  peopleRoles,
  projectionPolicies,
  rbacObjects,
  serviceAccountOf,
} from '../../install/index.ts';
import { createClients } from '../../kube/client/clients.ts';
import type { Access } from '../../kube/config/access.ts';
import { targetOf } from '../../kube/config/target-of.ts';
import { realClock, sleep } from '../../kube/time/clock.ts';
import { systemRandom } from '../../kube/time/random.ts';
import { Connection } from '../../kube/transport/connection.ts';
import { type RunningOperator, registerWebhooks, startOperator, untilTrusted } from '../../operator/index.ts';
import { createLogger } from '../../telemetry/log.ts';
import {
  accessWith,
  administratorOf,
  upHost as host,
  type ServiceToken,
  upIdentity,
  upLog,
  upValues as values,
} from './up-service.ts';

const adminLimit = { perSecond: 100, burst: 100, concurrent: 10, waiting: 100 };
const lookEveryMs = 25;

/** What the operator needs to be there, as the manifests have it, but for a Deployment to run it in. */
export const operatorObjects: readonly KubeObject[] = [
  ...crdManifests,
  namespaceOf(values),
  agentsNamespaceOf(),
  serviceAccountOf(values),
  ...rbacObjects(values),
  ...peopleRoles,
  ...operatorPolicies(values),
  ...projectionPolicies(values),
] as unknown as readonly KubeObject[];

/** Runs the same operator as in any cluster, over HTTPS. Resolves when it protects. */
export async function runUpOperator(cluster: Cluster, token: ServiceToken): Promise<RunningOperator> {
  const admin = administratorOf(cluster);
  const environment = { access: accessWith(admin, token), clock: realClock, random: systemRandom, log: upLog() };
  const operator = await startOperator(
    {
      namespace: values.namespace,
      identity: upIdentity(),
      takeover: values.takeover,
      webhook: { host, port: 0, url: `https://${host}` },
      health: { host, port: 0 },
      budgetMetrics: true,
    },
    environment,
  );
  await register(admin, `https://${host}:${operator.webhookPort}`, operator.pathSegment());
  while (operator.missing().length > 0) await sleep(realClock, lookEveryMs);
  return operator;
}

/** By the administrator, as an installation would: the operator may only change what is registered. */
async function register(admin: Access, url: string, segment: string | undefined): Promise<void> {
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
      ...(segment === undefined ? {} : { segment }),
      signal,
    });
    if (registered.kind === 'refused') throw new Error(registered.problem);
    await untilTrusted(client, clock, signal);
  } finally {
    connection.close();
  }
}
