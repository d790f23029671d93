import type { KubeObject, ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import { compileConfiguration, type Webhook } from './webhook.ts';

export const validatingConfigurations: ResourceKey = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
export const mutatingConfigurations: ResourceKey = 'admissionregistration.k8s.io/mutatingwebhookconfigurations';

/** Stored objects never change, so what was compiled from one stays true for as long as it exists. */
export function createWebhookSource(view: View, resource: ResourceKey): () => readonly Webhook[] {
  const compiled = new WeakMap<KubeObject, readonly Webhook[]>();
  return () => {
    const configurations = [...view.list(resource)].sort(byName);
    return configurations.flatMap((configuration) => {
      const known = compiled.get(configuration) ?? compileConfiguration(configuration);
      compiled.set(configuration, known);
      return known;
    });
  };
}

function byName(left: KubeObject, right: KubeObject): number {
  if (left.metadata.name === right.metadata.name) return 0;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}
