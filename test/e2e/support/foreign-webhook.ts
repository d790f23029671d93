import type { Handler, WebhookServer } from '../../../packages/embedded-cluster/test/admission/webhook-server.ts';
import { made } from '../../support/cluster.ts';
import type { Scene } from './scene.ts';

export interface ForeignWish {
  /** Of the server's path, and in names. */
  readonly name: string;
  readonly rules: readonly { readonly operations: readonly string[]; readonly resources: readonly string[] }[];
  readonly handler: Handler;
}

/** Another program's validating webhook, for requests in the namespace of a scene. Resolves to what takes it away. */
export async function addForeignWebhook(
  { cluster, namespace }: Scene,
  server: WebhookServer,
  { name, rules, handler }: ForeignWish,
): Promise<() => Promise<void>> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const fullName = cluster.name(name);
  server.handle(`/${name}`, handler);
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: { url: `${server.url}/${name}`, caBundle: Buffer.from(server.ca).toString('base64') },
    rules: rules.map((rule) => ({ apiGroups: [''], apiVersions: ['v1'], ...rule })),
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    timeoutSeconds: 30,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  cluster.cleanUp(`${path}/${fullName}`);
  await made(cluster.request('POST', path, { body: { metadata: { name: fullName }, webhooks: [webhook] } }));
  return async () => {
    await made(cluster.request('DELETE', `${path}/${fullName}`));
  };
}
