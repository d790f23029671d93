import type { Access, ToLoad } from './messages.ts';
import { accountRequest, namespaceRequest, podRequest } from './objects.ts';
import type { Part } from './parts.ts';

const namespace = 'bench';

export const samplePods = 500;
export const sampleCollection = `/api/v1/namespaces/${namespace}/pods`;

export function samplePaths(): string[] {
  return Array.from({ length: samplePods }, (_, i) => `${sampleCollection}/pod-${i}`);
}

/** The pods that are read and watched. */
export async function createSamples(load: Part, access: Access): Promise<void> {
  const place = [namespaceRequest(namespace), accountRequest(namespace)];
  await load.ask({ do: 'send', access, requests: place, connections: 1 } satisfies ToLoad);
  const requests = Array.from({ length: samplePods }, (_, i) => podRequest(namespace, `pod-${i}`));
  await load.ask({ do: 'send', access, requests, connections: 8 } satisfies ToLoad);
}
