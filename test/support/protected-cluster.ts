import { randomBytes } from 'node:crypto';
import type { FeatureGates } from '../../packages/holdfast/src/install/values/feature-gates.ts';
import type { Access } from '../../packages/holdfast/src/kube/config/access.ts';
import { type Clock, realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { systemRandom } from '../../packages/holdfast/src/kube/time/random.ts';
import { type RunningOperator, startOperator } from '../../packages/holdfast/src/operator/operator.ts';
import type { OperatorSettings } from '../../packages/holdfast/src/operator/settings.ts';
import { createLogger, type LogLevel } from '../../packages/holdfast/src/telemetry/log.ts';
import { Balancer } from './balancer.ts';
import { type ClusterWish, pause, type TestCluster, testCluster } from './cluster.ts';
import { installOperator, registerAt } from './installed.ts';

export interface ProtectedWish extends ClusterWish {
  /** Operators in this process, behind one address. Default: 1. */
  readonly replicas?: number;
  readonly mode?: OperatorSettings['mode'];
  readonly takeover?: OperatorSettings['takeover'];
  readonly featureGates?: FeatureGates;
  /** What else callers of the webhooks must show. */
  readonly callers?: Pick<OperatorSettings['webhook'], 'clients' | 'bearer'>;
  /** Of one replica, by its number from 0. */
  readonly clockOf?: (replica: number) => Clock;
  readonly logLevel?: LogLevel;
  /** A cluster of the caller's own making, to be protected. Default: a new one. */
  readonly base?: TestCluster;
  /** How an operator reaches the API server instead of directly, by its number from 0. */
  readonly accessOf?: (replica: number, access: Access) => Promise<Access>;
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
  const { namespace, access: operatorAccess } = await installOperator(cluster);
  const balancer = await Balancer.start();
  const operators: RunningOperator[] = [];
  const start = async () => {
    const number = operators.length;
    const operator = await startOperator(settingsOf(wish, namespace, number), {
      access: (await wish.accessOf?.(number, operatorAccess)) ?? operatorAccess,
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
  for (let i = 0; i < (wish.replicas ?? 1); i += 1) await start();
  const webhooks = await registerAt(cluster, `https://${host}:${balancer.port}`);
  // Without an operator there is no authority to trust yet.
  if (operators.length > 0) await webhooks.trusted();
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
      await webhooks.close();
      await Promise.all(operators.map((operator) => operator.stop()));
      await balancer.close();
      await cluster.close();
    },
  };
}

function settingsOf(
  { mode = 'enforce', takeover = 'on', featureGates, callers }: ProtectedWish,
  namespace: string,
  number: number,
): OperatorSettings {
  return {
    namespace,
    identity: `operator-${number}_${randomBytes(4).toString('hex')}`,
    mode,
    takeover,
    webhook: { host, port: 0, url: `https://${host}`, ...callers },
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
