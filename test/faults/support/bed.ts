import { randomBytes } from 'node:crypto';
import { operatorName } from '../../../packages/holdfast/src/api/installation-names.ts';
import { type Clock, realClock } from '../../../packages/holdfast/src/kube/time/clock.ts';
import { systemRandom } from '../../../packages/holdfast/src/kube/time/random.ts';
import { type RunningOperator, startOperator } from '../../../packages/holdfast/src/operator/operator.ts';
import type { OperatorSettings } from '../../../packages/holdfast/src/operator/settings.ts';
import { createLogger } from '../../../packages/holdfast/src/telemetry/log.ts';
import { ApiProxy } from '../../support/api-proxy.ts';
import { made } from '../../support/cluster.ts';
import { type ProtectedCluster, type ProtectedWish, protectedCluster } from '../../support/protected-cluster.ts';
import { eventually } from './eventually.ts';
import { OperatorProcess } from './operator-process.ts';

interface ReplicaWish {
  /** What it talks to the API server through. Default: directly. */
  readonly by?: Pick<ApiProxy, 'through'>;
  readonly clock?: Clock;
  readonly takeover?: OperatorSettings['takeover'];
  /** False: API servers do not call its webhooks, and it is there to lead. */
  readonly serves?: boolean;
  readonly noticeMs?: number;
}

interface ProcessWish extends Pick<ReplicaWish, 'by' | 'takeover'> {
  /** Another command than the one of these sources, in one file. */
  readonly program?: string;
}

/** A cluster whose operators a test starts, one by one, to do something to them. */
export interface FaultBed {
  readonly cluster: ProtectedCluster;
  /** Between operators and the API server. */
  proxy(): Promise<ApiProxy>;
  /** In this process; resolves when it is ready and behind the balancer. */
  replica(wish?: ReplicaWish): Promise<RunningOperator>;
  /** As another process; resolves when it is ready and behind the balancer. */
  process(wish?: ProcessWish): Promise<StartedProcess>;
  /** Everything that was started, also after a failure. */
  close(): Promise<void>;
}

export interface StartedProcess {
  readonly operator: OperatorProcess;
  readonly port: number;
}

const host = '127.0.0.1';

export async function faultBed(wish: ProtectedWish = {}): Promise<FaultBed> {
  const cluster = await protectedCluster({ ...wish, replicas: 0 });
  const replicas: RunningOperator[] = [];
  const processes: OperatorProcess[] = [];
  const proxies: ApiProxy[] = [];
  const accessBy = (proxy: Pick<ApiProxy, 'through'> | undefined) =>
    proxy === undefined ? cluster.operatorAccess : proxy.through(cluster.operatorAccess);
  return {
    cluster,
    async proxy() {
      const proxy = await ApiProxy.start(cluster.operatorAccess);
      proxies.push(proxy);
      return proxy;
    },
    async replica(wish = {}) {
      const { by, clock = realClock, serves = true } = wish;
      const settings = settingsOf(wish, cluster.operatorNamespace);
      const operator = await startOperator(settings, { access: accessBy(by), clock, random: systemRandom, log });
      replicas.push(operator);
      await eventually(
        () => operator.missing().length === 0,
        'the operator is ready',
        () => operator.missing().join(', '),
      );
      if (serves) cluster.balancer.add(operator.webhookPort);
      return operator;
    },
    async process({ by, ...wish } = {}) {
      await allowRegistering(cluster);
      const url = `https://${host}:${cluster.balancer.port}`;
      const given = { access: accessBy(by), namespace: cluster.operatorNamespace, url };
      const operator = await OperatorProcess.start({ ...given, ...wish });
      processes.push(operator);
      const port = await operator.ready();
      cluster.balancer.add(port);
      return { operator, port };
    },
    async close() {
      await Promise.all(processes.map((one) => one.kill('SIGKILL')));
      for (const proxy of proxies) proxy.fate = () => ({ kind: 'pass' });
      await Promise.all(replicas.map((one) => one.stop()));
      await Promise.all(proxies.map((one) => one.close()));
      await cluster.close();
    },
  };
}

/** Outside of a cluster an operator registers its webhooks itself; the rights of an installation do not include that. */
async function allowRegistering({ request, operatorNamespace: namespace }: ProtectedCluster): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const name = 'registers-webhooks';
  const apply = (resource: string, body: object) =>
    made(
      request('PATCH', `${rbac}/${resource}/${name}?fieldManager=test&force=true`, {
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name }, ...body },
      }),
    );
  const resources = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'];
  const rule = {
    apiGroups: ['admissionregistration.k8s.io'],
    resources,
    resourceNames: [operatorName],
    verbs: ['patch'],
  };
  await apply('clusterroles', { kind: 'ClusterRole', rules: [rule] });
  await apply('clusterrolebindings', {
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: operatorName, namespace }],
  });
}

const log = createLogger({
  level: 'error',
  format: 'text',
  write: (line) => void process.stderr.write(line),
  now: () => realClock.now(),
});

function settingsOf({ takeover = 'on', noticeMs }: ReplicaWish, namespace: string): OperatorSettings {
  return {
    namespace,
    identity: `operator_${randomBytes(4).toString('hex')}`,
    takeover,
    webhook: { host, port: 0, url: `https://${host}` },
    health: { host, port: 0 },
    budgetMetrics: false,
    ...(noticeMs === undefined ? {} : { noticeMs }),
  };
}
