import { createNodes } from '../../packages/embedded-cluster/src/nodes/create-nodes.ts';
import { definitionsOf, type WebhookServer, webhooksOf } from './add-on-manifests.ts';
import type { AddOn } from './add-ons.ts';
import type { Api } from './api.ts';
import { boundToClusterAdmin } from './credentials.ts';

/** What a new API server needs before programs can work: rights for those that RBAC does not know, and nodes. */
export async function furnish(api: Api, nodes: number): Promise<void> {
  await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'testbed' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: boundToClusterAdmin.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  });
  for (const node of createNodes(nodes)) await api.create('/api/v1/nodes', node);
}

/** Ready, and open for pods: new ones are tainted until a controller has seen that they are ready. */
export async function untilNodesReady(api: Api, nodes: number, deadlineMs: number): Promise<void> {
  await api.until('all nodes are ready', deadlineMs, async () => {
    const { code, body } = await api.ask('/api/v1/nodes');
    return code === 200 && body.items.length === nodes && body.items.every(isOpen);
  });
}

function isOpen({ spec, status }: { spec: Record<string, unknown>; status: Record<string, unknown> }): boolean {
  const conditions = (status['conditions'] ?? []) as readonly { type: string; status: string }[];
  const taints = (spec['taints'] ?? []) as readonly unknown[];
  return taints.length === 0 && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

const admissionPaths: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};

/** @param folder where its manifests are */
export async function installAddOn(api: Api, addOn: AddOn, folder: string, server: WebhookServer): Promise<void> {
  await api.create('/api/v1/namespaces', { metadata: { name: addOn.namespace } });
  for (const definition of definitionsOf(addOn, folder)) {
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  }
  await api.until(`${addOn.title} is served`, 30_000, async () => (await api.ask(addOn.api)).code === 200);
  for (const configuration of webhooksOf(addOn, folder, server)) {
    const path = `/apis/admissionregistration.k8s.io/v1/${admissionPaths[configuration.kind]}`;
    await api.create(path, configuration);
  }
}

/** Its webhooks must answer for every object of its kind, so one on trial shows that they do. */
export async function untilAddOnAnswers(api: Api, { title, plural, trial, ...addOn }: AddOn, deadlineMs: number) {
  const path = `${addOn.api}/namespaces/default/${plural}?dryRun=All`;
  await api.until(`${title} is ready`, deadlineMs, async () => (await api.tryCreate(path, trial)) === 201);
}
