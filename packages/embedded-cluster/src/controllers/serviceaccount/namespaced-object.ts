import type { NamespaceStatus } from 'kubernetes-types/core/v1.js';
import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import { isNamespaceTerminating } from '../common/pod-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';

export interface NamespacedObjectOptions {
  readonly controller: string;
  readonly resource: ResourceKey;
  readonly name: string;
  wanted(namespace: string): KubeObject;
  /** What there is, put right; undefined: it is right. */
  repaired?(current: KubeObject): KubeObject | undefined;
}

type NamespaceObject = KubeObject & { status?: NamespaceStatus };

/** Keeps an object of this name in every active namespace: a deleted one is created again. */
export function keepInEveryNamespace(context: ControllerContext, options: NamespacedObjectOptions): Controller {
  const client = context.clientFor(options.controller);
  const reconciler = new Reconciler(context, {
    name: options.controller,
    async reconcile(namespace) {
      const found = context.view.get<NamespaceObject>('namespaces', '', namespace);
      if (found !== undefined && found.status?.phase !== 'Terminating') await keep(context, client, options, namespace);
      return undefined;
    },
  });
  const namespaces = context.view.watch('namespaces', ({ type, object }) => {
    if (type !== 'DELETED') reconciler.add(object.metadata.name);
  });
  const objects = context.view.watch(options.resource, ({ type, object }) => {
    if (type !== 'ADDED' && object.metadata.name === options.name) reconciler.add(object.metadata.namespace ?? '');
  });
  return {
    stop() {
      namespaces.stop();
      objects.stop();
      reconciler.stop();
    },
  };
}

async function keep(
  { view }: ControllerContext,
  client: Client,
  { resource, name, wanted, repaired }: NamespacedObjectOptions,
  namespace: string,
): Promise<void> {
  const current = view.get(resource, namespace, name);
  if (current) {
    const next = repaired?.(current);
    if (next) await client.update(resource, next);
    return;
  }
  try {
    await client.create(resource, wanted(namespace));
  } catch (error) {
    if (!isApiError(error, 404) && !isApiError(error, 409) && !isNamespaceTerminating(error)) throw error;
  }
}
