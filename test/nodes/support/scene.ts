import { BedAccess, type BedState, type CommandResult } from '../../../testbed/src/nodes/bed-access.ts';
import { conditionOf } from '../../e2e/support/scene.ts';
import { waitUntil } from '../../e2e/support/wait.ts';
import { isReady } from '../../support/availability.ts';
import { made, type TestCluster, testCluster } from '../../support/cluster.ts';
import type { Answer, Body } from '../../support/kube-http.ts';
import { kubectl } from './kubectl.ts';

/** Real nodes beside other work on a small machine: only what never comes is missed. */
export const patience = { withinMs: 150_000, everyMs: 200 };

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The cluster with real nodes, and what people do there with kubectl. */
export interface NodesScene {
  readonly cluster: TestCluster;
  readonly bed: BedAccess;
  readonly namespace: string;
  kubectl(...args: readonly string[]): Promise<CommandResult>;
  apply(...objects: readonly KubernetesObject[]): Promise<void>;
  pods(selector?: string): Promise<readonly Body[]>;
  waitReady(count: number, selector: string): Promise<readonly Body[]>;
  waitEnforced(kind: 'pub' | 'pdb', name: string): Promise<void>;
  evict(pod: string, dryRun?: boolean): Promise<Answer>;
  close(): Promise<void>;
}

/** @param namespace a name that something else refers to; default: one of its own */
export async function nodesScene(namespace?: string): Promise<NodesScene> {
  const cluster = await testCluster({ controllers: true });
  const bed = new BedAccess(JSON.parse(process.env['HOLDFAST_TEST_BED'] ?? '') as BedState);
  const name = namespace ?? cluster.namespace;
  const path = `/api/v1/namespaces/${name}/pods`;
  const scene: NodesScene = {
    cluster,
    bed,
    namespace: name,
    kubectl: (...args) => kubectl(['--namespace', name, ...args]),
    async apply(...objects) {
      const list = { apiVersion: 'v1', kind: 'List', items: objects };
      const { code, err } = await kubectl(['--namespace', name, 'apply', '-f', '-'], JSON.stringify(list));
      if (code !== 0) throw new Error(`kubectl apply: ${err}`);
    },
    async pods(selector = '') {
      return (await made(cluster.request('GET', `${path}?labelSelector=${encodeURIComponent(selector)}`))).items;
    },
    waitReady: (count, selector) =>
      waitUntil(
        `${count} pods ${selector} are ready`,
        async () => (await scene.pods(selector)).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
        (pods) => pods.length === count && pods.every(isReady),
        patience,
      ),
    async waitEnforced(kind, budget) {
      const [resource, type] =
        kind === 'pub' ? ['podunavailablebudgets', 'Enforced'] : ['poddisruptionbudgets', 'holdfast.dev/GroupBudget'];
      const group = kind === 'pub' ? 'policy.kruise.io/v1beta1' : 'policy/v1';
      const read = () => made(cluster.request('GET', `/apis/${group}/namespaces/${name}/${resource}/${budget}`));
      const isJudged = (body: Body) => {
        const status = conditionOf(body, type)?.status;
        return status === 'True' || (kind === 'pdb' && status === 'False');
      };
      await waitUntil(`${kind}/${budget} is enforced`, read, isJudged, patience);
    },
    evict: (pod, dryRun = false) =>
      cluster.request('POST', `${path}/${pod}/eviction${dryRun ? '?dryRun=All' : ''}`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: name } },
      }),
    close: () => cluster.close(),
  };
  return scene;
}

/** What the API server answered to evictions in a namespace from a moment on, by code. */
export function countCodes(answers: readonly { readonly code: number }[]): string {
  const counts = new Map<number, number>();
  for (const { code } of answers) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => `${count} x ${code}`).join(', ');
}
