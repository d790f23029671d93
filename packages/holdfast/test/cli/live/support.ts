import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { made, type TestCluster } from '../../../../../test/support/cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-live-'));
// Test files share this module where they share a process, so the folder lasts as long as the process.
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** A kubeconfig in a file, as commands are given one. */
export function kubeconfigFile(text: string): string {
  files += 1;
  const path = join(folder, `kubeconfig-${files}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export const reading = ['get', 'list'] as const;

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** The kubeconfig of a user who may do this in the whole cluster, and nothing else. */
export async function userWith(cluster: TestCluster, name: string, rules: readonly Rule[]): Promise<string> {
  const unique = cluster.name(name);
  cluster.cleanUp(`${rbac}/clusterroles/${unique}`);
  await made(cluster.request('POST', `${rbac}/clusterroles`, { body: { metadata: { name: unique }, rules } }));
  return boundTo(cluster, name, unique);
}

/** The kubeconfig of a user who has Kubernetes' own role `view` in the whole cluster, and no other. */
export function viewerOf(cluster: TestCluster, name: string): Promise<string> {
  return boundTo(cluster, name, 'view');
}

async function boundTo(cluster: TestCluster, name: string, role: string): Promise<string> {
  const { namespace } = cluster;
  const unique = cluster.name(name);
  cluster.cleanUp(`${rbac}/clusterrolebindings/${unique}`);
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await made(cluster.request('POST', accounts, { body: { metadata: { name } } }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  await made(
    cluster.request('POST', `${rbac}/clusterrolebindings`, { body: { metadata: { name: unique }, roleRef, subjects } }),
  );
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  const answer = await made(cluster.request('POST', `${accounts}/${name}/token`, { body }));
  return withToken(cluster.kubeconfig, String(answer.status['token']));
}

function withToken(kubeconfig: string, token: string): string {
  const config = parse(kubeconfig) as { users: { name: string; user: object }[] };
  const users = config.users.map(({ name }) => ({ name, user: { token } }));
  return stringify({ ...config, users });
}
