import { clone, type KubeObject, type Metadata } from '../../objects.ts';
import { ownerReference } from './owners.ts';
import type { PodObject, PodTemplate } from './workloads.ts';

/** Room for the random suffix in a generated name. */
const maxPrefix = 58;

/** The pod that a template describes, owned by its workload. The caller names it. */
export function podFromTemplate(template: PodTemplate, owner: KubeObject, identity: Partial<Metadata>): PodObject {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata: Partial<Metadata> = {
    ...identity,
    namespace: owner.metadata.namespace ?? '',
    labels: { ...labels, ...identity.labels },
    annotations: { ...annotations, ...identity.annotations },
    ownerReferences: [ownerReference(owner)],
  };
  const allFinalizers = [...(finalizers ?? []), ...(identity.finalizers ?? [])];
  if (allFinalizers.length > 0) metadata.finalizers = [...new Set(allFinalizers)];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata as Metadata,
    spec: clone(template.spec ?? { containers: [] }),
  };
}

/** Pods of replicated workloads get a random name after their owner's. */
export function generatedName(owner: string): Partial<Metadata> {
  return { generateName: owner.length > maxPrefix ? owner : `${owner}-` };
}
