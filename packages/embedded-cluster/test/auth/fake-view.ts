import { type KubeObject, keyOf, objectKey, type ResourceKey } from '../../src/objects.ts';
import type { View, ViewEvent } from '../../src/view.ts';

type Listener = (event: ViewEvent) => void;

/** A view without a store: objects are put in and taken out by hand. */
export class FakeView implements View {
  readonly #objects = new Map<ResourceKey, Map<string, KubeObject>>();
  readonly #listeners = new Map<ResourceKey, Set<Listener>>();

  constructor(objects: readonly (readonly [ResourceKey, KubeObject])[] = []) {
    for (const [resource, object] of objects) this.put(resource, object);
  }

  put(resource: ResourceKey, object: KubeObject): void {
    const all = this.#objects.get(resource) ?? new Map<string, KubeObject>();
    this.#objects.set(resource, all);
    const previous = all.get(keyOf(object));
    all.set(keyOf(object), object);
    this.#tell(resource, { type: previous ? 'MODIFIED' : 'ADDED', object, previous });
  }

  remove(resource: ResourceKey, namespace: string, name: string): void {
    const object = this.get(resource, namespace, name);
    if (!object) return;
    this.#objects.get(resource)?.delete(keyOf(object));
    this.#tell(resource, { type: 'DELETED', object, previous: object });
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  get<T extends KubeObject>(resource: ResourceKey, namespace: string, name: string): T | undefined {
    return this.#objects.get(resource)?.get(objectKey(namespace, name)) as T | undefined;
  }

  list<T extends KubeObject>(resource: ResourceKey, namespace?: string): readonly T[] {
    const all = [...(this.#objects.get(resource)?.values() ?? [])] as T[];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  controlledBy(): never[] {
    return [];
  }

  podsOnNode(): never[] {
    return [];
  }

  dependentsOf(): never[] {
    return [];
  }

  watch(resource: ResourceKey, listener: Listener): { stop(): void } {
    const all = this.#listeners.get(resource) ?? new Set<Listener>();
    this.#listeners.set(resource, all);
    for (const object of this.list(resource)) listener({ type: 'ADDED', object, previous: undefined });
    all.add(listener);
    return { stop: () => all.delete(listener) };
  }

  #tell(resource: ResourceKey, event: ViewEvent): void {
    for (const listener of this.#listeners.get(resource) ?? []) listener(event);
  }
}
