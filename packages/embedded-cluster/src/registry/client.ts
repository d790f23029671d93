import type { User } from '../auth/user.ts';
import type { Client, WriteOptions } from '../client.ts';
import { noSuchPath, notFound } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { clone, type KubeObject, type ResourceKey } from '../objects.ts';
import { bindPod } from './binding.ts';
import { createObject } from './create.ts';
import { deleteObject } from './delete.ts';
import { type Registry, resourceName, stored, type Target } from './registry.ts';
import { updateObject } from './update/update.ts';
import type { WriteContext } from './write-context.ts';

/** A client of our own parts, without the wire. Objects are in the version they are kept in. */
export function inProcessClient(registry: Registry, user: User, fieldManager: string): Client {
  const typeOf = (resource: ResourceKey): ResourceType => {
    const type = registry.types.storage(resource);
    if (!type) throw noSuchPath();
    return type;
  };
  return {
    async create(resource, object) {
      const type = typeOf(resource);
      const target = { type, namespace: object.metadata.namespace ?? '' };
      return (await createObject(
        registry,
        target,
        clone(object),
        context(user, fieldManager, 'CreateOptions'),
      )) as typeof object;
    },
    async update(resource, object, options) {
      const target = targetOf(typeOf(resource), object.metadata.namespace ?? '', object.metadata.name);
      const draft = clone(object);
      return (await put(registry, target, options, user, fieldManager, () => draft)) as typeof object;
    },
    async modify<T extends KubeObject>(
      resource: ResourceKey,
      namespace: string,
      name: string,
      change: (draft: T) => T | undefined,
      options?: WriteOptions,
    ) {
      const target = targetOf(typeOf(resource), namespace, name);
      if (!stored(registry, target)) throw notFound(resourceName(target.type), name);
      try {
        return (await put(registry, target, options, user, fieldManager, (old) => {
          const next = change(clone(old) as T);
          if (next === undefined) throw new LeftAlone();
          // Made from the newest state, whatever version the draft says it is; some kinds insist on one.
          next.metadata.resourceVersion = old.metadata.resourceVersion ?? '';
          return next;
        })) as T;
      } catch (error) {
        if (error instanceof LeftAlone) return undefined;
        throw error;
      }
    },
    async bind(namespace, name, uid, node) {
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid },
        target: { kind: 'Node', name: node },
      };
      await bindPod(registry, namespace, name, binding, context(user, fieldManager, 'CreateOptions'));
    },
    async delete(resource, namespace, name, options = {}) {
      const target = targetOf(typeOf(resource), namespace, name);
      await deleteObject(registry, { target, options, context: context(user, fieldManager, 'DeleteOptions') });
    },
  };
}

/** The change looked at the newest state and wants nothing of it. */
class LeftAlone extends Error {}

function targetOf(type: ResourceType, namespace: string, name: string): Target {
  return { type, namespace: type.namespaced ? namespace : '', name };
}

async function put(
  registry: Registry,
  target: Target,
  options: WriteOptions | undefined,
  user: User,
  fieldManager: string,
  change: (old: KubeObject) => KubeObject,
): Promise<KubeObject> {
  const outcome = await updateObject(registry, {
    target,
    subresource: options?.subresource ?? '',
    context: context(user, fieldManager, 'UpdateOptions'),
    // A draft with a resourceVersion that is not the newest is refused before any race.
    retries: true,
    change,
  });
  return outcome.object;
}

function context(user: User, fieldManager: string, kind: string): WriteContext {
  return {
    user,
    dryRun: false,
    fieldManager,
    fieldValidation: 'Ignore',
    warnings: [],
    options: { kind, apiVersion: 'meta.k8s.io/v1' },
  };
}
