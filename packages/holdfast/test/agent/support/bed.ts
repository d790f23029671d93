import { randomBytes } from 'node:crypto';
import { made, type TestCluster, testCluster } from '../../../../../test/support/cluster.ts';
import type { Body } from '../../../../../test/support/kube-http.ts';
import { startAgent } from '../../../src/agent/agent.ts';
import type { AgentSettings } from '../../../src/agent/settings.ts';
import { readProbeLease } from '../../../src/api/probe-lease.ts';
import type { Access } from '../../../src/kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { probeLeaseName } from '../../../src/kube/probes/lease-name.ts';
import type { Clock } from '../../../src/kube/time/clock.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { systemRandom } from '../../../src/kube/time/random.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { Application } from './application.ts';
import { scaledClock } from './scaled-clock.ts';

export interface PodWish {
  readonly node?: string;
  /** Instead of asking the application at a path of the pod's name, every second. */
  readonly probe?: unknown;
  readonly containers?: readonly Record<string, unknown>[];
  /** Default: its containers run. */
  readonly running?: boolean;
}

export interface RunWish {
  readonly containers?: readonly string[];
  readonly life?: number;
  readonly running?: boolean;
  readonly startedAt?: number;
}

export interface Shown {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export type AgentWish = Partial<AgentSettings> & {
  readonly clock?: Clock;
  readonly access?: Access;
};

/** How much faster than real the agents of tests are. */
const speed = 10;
const patienceMs = 20_000;

const rules = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** An API server with pods that no kubelet runs, an application that answers for them, and agents that may do what agents need. */
export class AgentBed {
  readonly cluster: TestCluster;
  readonly application: Application;
  readonly access: Access;
  readonly log: string[] = [];
  readonly #ending: (() => Promise<void>)[] = [];

  private constructor(cluster: TestCluster, application: Application, access: Access) {
    this.cluster = cluster;
    this.application = application;
    this.access = access;
  }

  static async start(cluster?: TestCluster): Promise<AgentBed> {
    const found = cluster ?? (await testCluster());
    return new AgentBed(found, await Application.start(), await agentAccess(found));
  }

  /** Where leases are, too: this test's own. */
  get namespace(): string {
    return this.cluster.namespace;
  }

  async agent(wish: AgentWish = {}): Promise<Awaited<ReturnType<typeof startAgent>>> {
    const { clock = scaledClock(speed), access = this.access, ...settings } = wish;
    const agent = await startAgent(
      {
        namespace: this.namespace,
        nodes: ['node-a'],
        identity: `agent_${randomBytes(4).toString('hex')}`,
        leaseDurationSeconds: 40,
        permits: { execNamespaces: [], hosts: [] },
        health: { host: '127.0.0.1', port: 0 },
        ...settings,
      },
      {
        access,
        clock,
        random: systemRandom,
        log: createLogger({
          level: 'info',
          format: 'text',
          write: (line) => void this.log.push(line),
          now: () => realClock.now(),
        }),
      },
    );
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= agent.stop();
      return stopped;
    };
    this.#ending.push(stop);
    return { ...agent, stop };
  }

  async pod(name: string, wish: PodWish = {}): Promise<Body> {
    const { node = 'node-a', containers = [{ name: 'app', image: 'app' }] } = wish;
    const probe = 'probe' in wish ? wish.probe : this.probe(name);
    const annotations = probe === undefined ? {} : { 'holdfast.dev/disruption-probe': asText(probe) };
    const body = { metadata: { name, annotations }, spec: { nodeName: node, containers } };
    const pod = await made(this.cluster.request('POST', this.#pods(), { body }));
    if (wish.running !== false) await this.run(name, { containers: containers.map((one) => String(one['name'])) });
    return pod;
  }

  /** A probe of the application, every five seconds; the answer may take a while on a busy machine. */
  probe(name: string): Record<string, unknown> {
    const httpGet = { path: `/${name}`, port: this.application.port };
    return { httpGet, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 1 };
  }

  /** Says, as a kubelet would, that the containers run. */
  async run(name: string, wish: RunWish = {}): Promise<void> {
    const { containers = ['app'], life = 1, running = true, startedAt = realClock.now() - 1_000 } = wish;
    const state = running
      ? { running: { startedAt: new Date(startedAt).toISOString() } }
      : { terminated: { exitCode: 1 } };
    const containerStatuses = containers.map((container) => ({
      name: container,
      image: 'app',
      imageID: 'app',
      ready: running,
      started: running,
      restartCount: life - 1,
      containerID: `test://${name}-${container}-${life}`,
      state,
    }));
    await this.status(name, { phase: 'Running', podIP: '127.0.0.1', containerStatuses });
  }

  async status(name: string, status: Record<string, unknown>): Promise<void> {
    const contentType = 'application/strategic-merge-patch+json';
    await made(this.cluster.request('PATCH', `${this.#pods()}/${name}/status`, { contentType, body: { status } }));
  }

  async annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
    const contentType = 'application/merge-patch+json';
    const body = { metadata: { annotations } };
    await made(this.cluster.request('PATCH', `${this.#pods()}/${name}`, { contentType, body }));
  }

  async remove(name: string): Promise<void> {
    await made(this.cluster.request('DELETE', `${this.#pods()}/${name}?gracePeriodSeconds=0`));
  }

  async read(name: string): Promise<Body> {
    return made(this.cluster.request('GET', `${this.#pods()}/${name}`));
  }

  async shown(name: string): Promise<Shown | undefined> {
    const { status } = await this.read(name);
    const conditions = (status['conditions'] ?? []) as readonly (Shown & { type: string })[];
    return conditions.find(({ type }) => type === 'Disruptable');
  }

  leasePath(node = 'node-a'): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases/${probeLeaseName(node)}`;
  }

  async lease(node = 'node-a'): Promise<Body | undefined> {
    const { code, body } = await this.cluster.request('GET', this.leasePath(node));
    return code === 200 ? body : undefined;
  }

  /** The uids that a node's lease lists; undefined: there is no lease that can be read. */
  async listed(node = 'node-a'): Promise<ReadonlySet<string> | undefined> {
    const read = readProbeLease(await this.lease(node));
    return read.ok ? read.value.disruptable : undefined;
  }

  /** By its condition and by its node's lease. */
  async isDisruptable(name: string, node = 'node-a'): Promise<boolean> {
    const { metadata } = await this.read(name);
    const listed = await this.listed(node);
    return listed?.has(metadata.uid) === true && (await this.shown(name))?.status === 'True';
  }

  async eventually(condition: () => Promise<boolean> | boolean, what: string): Promise<void> {
    const end = realClock.monotonic() + patienceMs;
    while (!(await condition())) {
      if (realClock.monotonic() > end) throw new Error(`it does not come to this: ${what}\n${this.log.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  atEnd(end: () => Promise<void>): void {
    this.#ending.push(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ending.toReversed()) await end();
    await this.application.close();
    await this.cluster.close();
  }

  #pods(): string {
    return `/api/v1/namespaces/${this.namespace}/pods`;
  }
}

function asText(probe: unknown): string {
  return typeof probe === 'string' ? probe : JSON.stringify(probe);
}

/** As a service account that may do just what an agent needs. */
async function agentAccess(cluster: TestCluster): Promise<Access> {
  const { namespace } = cluster;
  const name = cluster.name('agent');
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await made(cluster.request('POST', accounts, { body: { metadata: { name } } }));
  await made(cluster.request('POST', `${rbac}/clusterroles`, { body: { metadata: { name }, rules } }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const binding = { metadata: { name }, roleRef, subjects };
  await made(cluster.request('POST', `${rbac}/clusterrolebindings`, { body: binding }));
  for (const kind of ['clusterroles', 'clusterrolebindings']) cluster.cleanUp(`${rbac}/${kind}/${name}`);
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7_200 } };
  const answer = await made(cluster.request('POST', `${accounts}/${name}/token`, { body }));
  const none = { certificate: undefined, key: undefined, basic: undefined, exec: undefined, impersonate: undefined };
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined);
  return { ...admin, user: { ...none, token: { kind: 'inline', text: String(answer.status['token']) } } };
}
