import type { Collection } from '../../core/sync.ts';
import type { World } from '../../core/world/world.ts';
import type { CacheListener, Delta, ObjectCache } from '../../kube/reflector/cache.ts';
import type { Reflected } from '../../kube/reflector/sink.ts';

/** How the changes of a collection reach the world. */
export interface Feeding<T> {
  readonly upsert: (item: T) => void;
  readonly remove: (item: T) => void;
}

export function feed<T extends Reflected>(
  cache: ObjectCache<T>,
  { upsert, remove }: Feeding<T>,
  progress: (resourceVersion: string) => void,
): () => void {
  const listener: CacheListener<T> = {
    delta: (delta: Delta<T>) => (delta.type === 'deleted' ? remove(delta.item) : upsert(delta.item)),
    progress,
  };
  return cache.listen(listener);
}

/**
 * One collection of the world that is read from several API resources: PodGroups exist in several API groups. It is synced when each resource
 * is. Resource versions of different resources cannot be compared, so it reports no version.
 */
export class MergedCollection {
  readonly #world: World;
  readonly #collection: Collection;
  readonly #waiting: Set<string>;

  constructor(world: World, collection: Collection, parts: readonly string[]) {
    this.#world = world;
    this.#collection = collection;
    this.#waiting = new Set(parts);
  }

  seen(part: string, resourceVersion: string): void {
    this.#waiting.delete(part);
    if (this.#waiting.size === 0) this.#world.setSynced(this.#collection, resourceVersion);
  }
}
