import { type KubeObject, objectKey, type ResourceKey } from './objects.ts';
import type { Store, Stored, StoreEvent, Subscription } from './store/store.ts';

/** What controllers read: the store itself, always current, with the indexes they need. Nothing in it may be changed. */
export interface View {
  get<T extends KubeObject>(resource: ResourceKey, namespace: string, name: string): T | undefined;
  list<T extends KubeObject>(resource: ResourceKey, namespace?: string): readonly T[];
  /** Objects whose controlling owner has this uid. */
  controlledBy<T extends KubeObject>(resource: ResourceKey, ownerUid: string): readonly T[];
  podsOnNode<T extends KubeObject>(nodeName: string): readonly T[];
  /** Any resource: objects that name this uid among their owners, controlling or not. */
  dependentsOf(ownerUid: string): readonly { resource: ResourceKey; object: KubeObject }[];
  /** Called synchronously after each write; first with ADDED for everything that is there. */
  watch(resource: ResourceKey, listener: (event: ViewEvent) => void): Subscription;
}

export interface ViewEvent {
  readonly type: StoreEvent['type'];
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/** Builds the view of a store, and keeps it current until it is closed. */
export function createView(store: Store): View & { close(): void } {
  const index = new ViewIndex();
  for (const resource of store.resources()) for (const stored of store.list(resource)) index.add(stored);
  const subscription = store.subscribe((event) => {
    if (event.previous) index.remove(event.previous);
    if (event.type !== 'DELETED') index.add(event.stored);
  });
  const read = <T>(entries: Iterable<Stored> | undefined): T[] =>
    [...(entries ?? [])].map((stored) => stored.object as T);
  return {
    get: (resource, namespace, name) => store.get(resource, objectKey(namespace, name))?.object as never,
    list: (resource, namespace) => read(store.list(resource, namespace)),
    controlledBy: (resource, uid) => read(index.controlled.get(`${resource} ${uid}`)?.values()),
    podsOnNode: (node) => read(index.byNode.get(node)?.values()),
    dependentsOf: (uid) =>
      [...(index.owned.get(uid)?.values() ?? [])].map(({ resource, object }) => ({ resource, object })),
    watch(resource, listener) {
      for (const stored of store.list(resource))
        listener({ type: 'ADDED', object: stored.object, previous: undefined });
      const watching = store.watch(resource, store.revision, ({ type, stored, previous }) =>
        listener({ type, object: stored.object, previous: previous?.object }),
      );
      if (watching === 'expired') throw new Error('the store has no history of its own last revision');
      return watching;
    },
    close: () => subscription.stop(),
  };
}

type Bucket = Map<string, Stored>;

class ViewIndex {
  readonly controlled = new Map<string, Bucket>();
  readonly owned = new Map<string, Bucket>();
  readonly byNode = new Map<string, Bucket>();

  add(stored: Stored): void {
    const id = `${stored.resource} ${stored.key}`;
    for (const [map, name] of this.#places(stored)) {
      const bucket = map.get(name);
      if (bucket) bucket.set(id, stored);
      else map.set(name, new Map([[id, stored]]));
    }
  }

  remove(stored: Stored): void {
    const id = `${stored.resource} ${stored.key}`;
    for (const [map, name] of this.#places(stored)) {
      const bucket = map.get(name);
      bucket?.delete(id);
      if (bucket?.size === 0) map.delete(name);
    }
  }

  *#places(stored: Stored): Iterable<readonly [Map<string, Bucket>, string]> {
    for (const owner of stored.object.metadata.ownerReferences ?? []) {
      yield [this.owned, owner.uid];
      if (owner.controller === true) yield [this.controlled, `${stored.resource} ${owner.uid}`];
    }
    if (stored.resource === 'pods') {
      const node = (stored.object['spec'] as { nodeName?: string } | undefined)?.nodeName;
      if (node) yield [this.byNode, node];
    }
  }
}
