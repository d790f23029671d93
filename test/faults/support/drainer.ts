import type { Access } from '../../../packages/holdfast/src/kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../../../packages/holdfast/src/kube/config/kubeconfig.ts';
import { type Kubectl, kubectlFor } from '../../clients/kubectl.ts';
import { ApiProxy } from '../../support/api-proxy.ts';
import { made, type TestCluster } from '../../support/cluster.ts';
import { kubeconfigText } from './operator-process.ts';

/** kubectl, and all that it is told. */
export interface Drainer {
  readonly proxy: ApiProxy;
  readonly kubectl: Kubectl;
  close(): Promise<void>;
}

/** By way of a proxy it is known to the API server by a token. */
export async function startDrainer(cluster: TestCluster, namespace: string): Promise<Drainer> {
  const access = await adminByToken(cluster, namespace);
  const proxy = await ApiProxy.start(access);
  const kubectl = await kubectlFor(kubeconfigText(proxy.through(access)), namespace);
  return {
    proxy,
    kubectl,
    async close() {
      await kubectl.close();
      await proxy.close();
    },
  };
}

async function adminByToken(cluster: TestCluster, namespace: string): Promise<Access> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const name = 'drainer';
  await made(cluster.request('POST', accounts, { body: { metadata: { name } } }));
  const binding = {
    metadata: { name: cluster.name(name) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  await made(cluster.request('POST', bindings, { body: binding }));
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  const answer = await made(cluster.request('POST', `${accounts}/${name}/token`, { body }));
  const admin = accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined);
  const none = { certificate: undefined, key: undefined, basic: undefined, exec: undefined, impersonate: undefined };
  return { ...admin, user: { ...none, token: { kind: 'inline', text: String(answer.status['token']) } } };
}

/** Ends when there is no answer for a pod, and not before. */
export const drainArguments = '--ignore-daemonsets --delete-emptydir-data --force --timeout=30s';
