import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemUser } from '../../packages/embedded-cluster/src/auth/user.ts';
import { startCluster } from '../../packages/embedded-cluster/src/cluster.ts';
import { createNodes } from '../../packages/embedded-cluster/src/nodes/create-nodes.ts';
import { type Answer, accessFrom, type Body, KubeHttp, type RequestOptions } from './kube-http.ts';
import { WatchReader } from './watch-reader.ts';

/** Another API server than the embedded one to run the same tests on: the path of an administrator's kubeconfig. */
const otherKubeconfig = process.env['HOLDFAST_TEST_KUBECONFIG'];

/** One of that kind without controllers, for tests that play the controllers themselves. */
const otherApiAlone = process.env['HOLDFAST_TEST_API_KUBECONFIG'];

/** Whether that other cluster has controllers; an API server alone keeps what is written and does nothing. */
const otherHasControllers = process.env['HOLDFAST_TEST_CONTROLLERS'] === 'true';

export interface ClusterWish {
  /** Workload controllers, garbage collection, simulated nodes. Default: the API alone. */
  readonly controllers?: boolean;
  /** How much faster than real the embedded cluster's nodes are. */
  readonly speed?: number;
  /** Simulated nodes, node-1 to node-N. Another cluster has its own. */
  readonly nodes?: number;
  /** What the embedded cluster may report of its own work without that being a failure: a test may be in its way. */
  readonly isExpected?: (error: unknown) => boolean;
  /** The path of an administrator's kubeconfig: this cluster, which has controllers, whatever the environment says. */
  readonly existing?: string;
}

export interface TestCluster {
  /** The wish for controllers cannot be met: tests that need them are skipped. */
  readonly lacksControllers: boolean;
  /** The suite asked for a server without controllers, and this one has them: tests that play the controllers are skipped. */
  readonly disturbed?: boolean;
  /** It is our own, in this process. */
  readonly embedded: boolean;
  readonly kubeconfig: string;
  /** A namespace of this test file's own. */
  readonly namespace: string;
  /** A name that no other run uses, for objects outside namespaces. Such objects are deleted at the end. */
  name(base: string): string;
  newNamespace(): Promise<string>;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  open: KubeHttp['open'];
  /** Resolves when the server has answered; refusals are the answer's code. */
  watch(path: string, options?: RequestOptions): Promise<WatchReader>;
  /** At the end, delete this, too. */
  cleanUp(path: string): void;
  close(): Promise<void>;
}

export async function testCluster(wish: ClusterWish = {}): Promise<TestCluster> {
  const { controllers = false } = wish;
  const apiAlone = !controllers && otherApiAlone !== undefined;
  const path = wish.existing ?? (apiAlone ? otherApiAlone : otherKubeconfig);
  const acting = wish.existing !== undefined || (path !== undefined && !apiAlone && otherHasControllers);
  const running = path === undefined ? await embedded(wish) : other(path);
  const http = new KubeHttp(accessFrom(running.kubeconfig));
  const namespaces: string[] = [];
  const leftovers: string[] = [];
  const prefix = `holdfast-test-${randomBytes(4).toString('hex')}`;
  const watches: WatchReader[] = [];
  const newNamespace = async () => {
    const name = namespaces.length === 0 ? prefix : `${prefix}-${namespaces.length}`;
    namespaces.push(name);
    await made(http.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } }));
    // Pods need it. A controller makes it, where there are controllers: then it may be there already.
    await http.request('POST', `/api/v1/namespaces/${name}/serviceaccounts`, {
      body: { metadata: { name: 'default' } },
    });
    return name;
  };
  return {
    lacksControllers: controllers && path !== undefined && !acting,
    disturbed: !controllers && acting,
    embedded: path === undefined,
    kubeconfig: running.kubeconfig,
    namespace: await newNamespace(),
    name: (base) => `${prefix}-${base}`,
    newNamespace,
    request: (method, path, options) => http.request(method, path, options),
    open: (method, path, options) => http.open(method, path, options),
    async watch(path, options) {
      const mark = path.includes('?') ? '&' : '?';
      const reader = new WatchReader(await http.open('GET', `${path}${mark}watch=true`, options));
      watches.push(reader);
      return reader;
    },
    cleanUp: (path) => void leftovers.push(path),
    async close() {
      for (const watch of watches) watch.close();
      if (path !== undefined) await removeAll(http, { namespaces, leftovers, acting });
      http.close();
      await running.close();
    },
  };
}

interface Running {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

async function embedded(wish: ClusterWish): Promise<Running> {
  const problems: string[] = [];
  const cluster = await startCluster({
    controllers: wish.controllers ?? false,
    ...(wish.speed === undefined ? {} : { speed: wish.speed }),
    report: (message, error) => {
      if (wish.isExpected?.(error) === true) return;
      problems.push(`${message}: ${error instanceof Error ? error.stack : String(error)}`);
    },
  });
  const admin = cluster.plane.clientFor(systemUser, 'test');
  for (const node of createNodes(wish.nodes ?? 0, undefined, Date.now())) await admin.create('nodes', node);
  return {
    kubeconfig: cluster.kubeconfig(),
    async close() {
      await cluster.close();
      if (problems.length > 0) throw new Error(`the cluster reported problems of its own:\n${problems.join('\n')}`);
    },
  };
}

function other(path: string): Running {
  return { kubeconfig: readFileSync(path, 'utf8'), close: () => Promise.resolve() };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The answer, which must be a success. */
export async function made(answer: Promise<Answer>): Promise<Body> {
  const { code, body, text } = await answer;
  if (code >= 300) throw new Error(`expected a success, got ${code}: ${text}`);
  return body;
}

interface Remains {
  readonly namespaces: readonly string[];
  readonly leftovers: readonly string[];
  /** Whether there are controllers to empty namespaces. */
  readonly acting: boolean;
}

/** Leaves another server as it was found. */
async function removeAll(http: KubeHttp, { namespaces, leftovers, acting }: Remains): Promise<void> {
  for (const path of leftovers) await http.request('DELETE', path);
  const collections = await namespacedCollections(http);
  for (const namespace of namespaces) {
    for (const collection of collections) {
      const path = collection.replace('*', namespace);
      await http.request('DELETE', `${path}?gracePeriodSeconds=0`);
      await releaseAll(http, path);
    }
    await http.request('DELETE', `/api/v1/namespaces/${namespace}`);
    if (!acting) await finalize(http, namespace);
  }
}

async function namespacedCollections(http: KubeHttp): Promise<string[]> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const paths: string[] = [];
  for (const root of ['/api', '/apis']) {
    const { body } = await http.request('GET', root, { accept });
    for (const { metadata, ...group } of body.items) {
      const version = (group['versions'] as DiscoveredVersion[])[0];
      for (const { resource, scope, verbs } of version?.resources ?? []) {
        if (scope !== 'Namespaced' || !verbs.includes('deletecollection')) continue;
        const base = metadata?.name ? `${root}/${metadata.name}` : root;
        paths.push(`${base}/${version?.version}/namespaces/*/${resource}`);
      }
    }
  }
  return paths;
}

interface DiscoveredVersion {
  readonly version: string;
  readonly resources: readonly { resource: string; scope: string; verbs: readonly string[] }[];
}

async function releaseAll(http: KubeHttp, path: string): Promise<void> {
  const { body } = await http.request('GET', path);
  for (const { metadata } of body.items ?? []) {
    await http.request('PATCH', `${path}/${metadata.name}`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
  }
}

async function finalize(http: KubeHttp, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  const { body } = await http.request('GET', path);
  await http.request('PUT', `${path}/finalize`, { body: { ...body, spec: { finalizers: [] } } });
}
