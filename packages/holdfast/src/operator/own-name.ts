import type { SelfSubjectReview } from 'kubernetes-types/authentication/v1.js';
import type { KubeClient, ResourceName } from '../kube/client/client.ts';

const reviews: ResourceName = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

/** Who we are to the API server, as webhooks will hear it. Undefined: it does not say. */
export async function askOwnName(client: KubeClient): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await client.create<SelfSubjectReview>(reviews, {}, body);
  const name = answer.ok ? answer.value.status?.userInfo?.username : undefined;
  return name === '' ? undefined : name;
}
