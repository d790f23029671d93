import { type KubeObject, objectKey, type ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import { controllerOf } from './owners.ts';

export interface DependentsOptions {
  readonly view: View;
  /** What is owned: `pods`, `apps/replicasets`. */
  readonly resource: ResourceKey;
  readonly ownerResource: ResourceKey;
  readonly ownerApiVersion: string;
  readonly ownerKind: string;
  /** Whether this owner would adopt an orphan with these labels. */
  wouldSelect(owner: KubeObject, labels: Readonly<Record<string, string>>): boolean;
  changed(ownerKey: string): void;
}

export interface Dependents {
  /** Controlled by this owner, or without a controller and therefore open to adoption. */
  candidates<T extends KubeObject>(owner: KubeObject): readonly T[];
  stop(): void;
}

/** Tells owners about changes of what they own or could adopt, and keeps the orphans at hand. */
export function watchDependents(options: DependentsOptions): Dependents {
  const orphans = new Map<string, Map<string, KubeObject>>();
  const notify = (object: KubeObject): void => {
    const namespace = object.metadata.namespace ?? '';
    const controller = controllerOf(object);
    if (controller !== undefined) {
      if (controller.kind === options.ownerKind && controller.apiVersion === options.ownerApiVersion) {
        options.changed(objectKey(namespace, controller.name));
      }
      return;
    }
    const labels = object.metadata.labels ?? {};
    for (const owner of options.view.list(options.ownerResource, namespace)) {
      if (options.wouldSelect(owner, labels)) options.changed(objectKey(namespace, owner.metadata.name));
    }
  };
  const subscription = options.view.watch(options.resource, ({ type, object, previous }) => {
    remember(orphans, object, type !== 'DELETED' && controllerOf(object) === undefined);
    if (previous !== undefined && type === 'MODIFIED') notify(previous);
    notify(object);
  });
  return {
    candidates<T extends KubeObject>(owner: KubeObject): readonly T[] {
      const owned = options.view.controlledBy<T>(options.resource, owner.metadata.uid ?? '');
      const free = orphans.get(owner.metadata.namespace ?? '');
      return free === undefined ? owned : [...owned, ...(free.values() as Iterable<T>)];
    },
    stop: () => subscription.stop(),
  };
}

function remember(orphans: Map<string, Map<string, KubeObject>>, object: KubeObject, isOrphan: boolean): void {
  const namespace = object.metadata.namespace ?? '';
  const known = orphans.get(namespace);
  if (isOrphan) {
    if (known) known.set(object.metadata.name, object);
    else orphans.set(namespace, new Map([[object.metadata.name, object]]));
  } else {
    known?.delete(object.metadata.name);
    if (known?.size === 0) orphans.delete(namespace);
  }
}
