import type { Duplex } from 'node:stream';
import { adminUser } from '../../packages/embedded-cluster/src/auth/kubeconfig.ts';
import type { User } from '../../packages/embedded-cluster/src/auth/user.ts';
import {
  type InProcessCluster,
  startInProcessCluster,
} from '../../packages/embedded-cluster/src/in-process-cluster.ts';
import { untilIdle, VirtualClock } from '../../packages/embedded-cluster/src/time/virtual-clock.ts';
import { linkPair } from '../../packages/holdfast/src/cli/simulate/link.ts';
import { caBundle } from '../../packages/holdfast/src/cli/simulate/protection.ts';
import type { KubeClient } from '../../packages/holdfast/src/kube/client/client.ts';
import { createClients } from '../../packages/holdfast/src/kube/client/clients.ts';
import { Connection } from '../../packages/holdfast/src/kube/transport/connection.ts';
import { operatorUser } from '../../packages/holdfast/src/api/installation-names.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import { answeredPaths } from '../../packages/holdfast/src/install/manifests/webhooks.ts';
import { registerWebhooks } from '../../packages/holdfast/src/operator/registration/register.ts';
import { createLogger } from '../../packages/holdfast/src/telemetry/log.ts';
import { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import { History } from './history.ts';
import { installedContents, pace, signingKey, startedAt } from './installed.ts';
import { Network } from './network.ts';
import { networkTarget, Replica, simulatedUrl } from './replica.ts';

/** An API server with its controllers, replicas of the operator, a network between them, and an administrator. */
export interface Stack {
  readonly clock: VirtualClock;
  readonly cluster: InProcessCluster;
  readonly network: Network;
  readonly replicas: readonly Replica[];
  readonly history: History;
  readonly client: KubeClient;
  close(): Promise<void>;
}

export interface StackTerms {
  readonly seed: number;
  readonly replicas: number;
  readonly skews: readonly number[];
  readonly logLevel: 'error' | 'warn';
  readonly report: (line: string) => void;
}

const clientLimit = { perSecond: 1_000, burst: 1_000, concurrent: 100, waiting: 1_000 };

export async function openStack(terms: StackTerms): Promise<Stack> {
  const { seed, logLevel, report } = terms;
  const clock = new VirtualClock(startedAt, untilIdle);
  const randomOf = (part: number) => new Random(Math.imul(seed + 1, 0x9e3779b1) ^ part);
  const network = new Network(clock, randomOf(1));
  const clusterRandom = randomOf(2);
  const routing = randomOf(3);
  const replicas: Replica[] = [];
  const cluster = await startInProcessCluster({
    clock,
    random: { next: () => clusterRandom.below(2 ** 32) / 2 ** 32 },
    tokens: new Map<string, User>([
      ['administrator', adminUser],
      ['operator', { name: operatorUser(defaultInstallValues.namespace), groups: operatorGroups }],
    ]),
    pace,
    connectWebhook: () => {
      // As a Service does it: one of those that say that they are ready.
      const replica = routing.pick(replicas.filter((one) => one.isReady));
      if (replica === undefined) return refused();
      return network.connect('api', replica.name, (end) => replica.accept(end));
    },
    signingKey,
    contents: await installedContents(),
    async prepare() {
      // The kinds that the contents define are served when their controller has looked at them.
      await clock.settled();
    },
    report: (message, error) => report(`${message}: ${error instanceof Error ? error.message : String(error)}`),
  });
  const api = (end: Duplex) => cluster.api.accept(end);
  for (let index = 0; index < terms.replicas; index += 1) {
    const name = `replica-${index + 1}`;
    replicas.push(
      new Replica({
        name,
        clock,
        random: randomOf(10 + index),
        network,
        api,
        skewMs: terms.skews[index] ?? 0,
        logLevel,
        report,
      }),
    );
  }
  const connection = new Connection(
    networkTarget('administrator', () => network.connect('client', 'api', api)),
    { clock, userAgent: 'simulation' },
  );
  const client = createClients(connection, { client: clientLimit }, clock).client;
  return {
    clock,
    cluster,
    network,
    replicas,
    history: new History(cluster.plane, () => clock.now()),
    client,
    async close() {
      for (const replica of replicas) replica.kill();
      connection.close();
      await cluster.close();
      network.close();
    },
  };
}

const operatorGroups = ['system:serviceaccounts', 'system:serviceaccounts:holdfast-system', 'system:authenticated'];

/** By the administrator, as an installation does. */
export async function register({ client, clock }: Stack): Promise<void> {
  const values = defaultInstallValues;
  const registered = await registerWebhooks({
    client,
    clock,
    random: () => 0.5,
    log: createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => clock.now() }),
    values: { ...values, webhook: { ...values.webhook, url: simulatedUrl, caBundle } },
    paths: answeredPaths,
    signal: new AbortController().signal,
  });
  if (registered.kind === 'refused') throw new Error(registered.problem);
}

/** What connecting to an address where nothing listens comes to. */
function refused(): Duplex {
  const [near] = linkPair();
  process.nextTick(() => near.destroy(new Error('connect ECONNREFUSED')));
  return near;
}
