import type { Reflected, Sink } from './sink.ts';

export type Delta<T> =
  | { readonly type: 'added'; readonly item: T }
  | { readonly type: 'updated'; readonly item: T; readonly before: T }
  | { readonly type: 'deleted'; readonly item: T };

export interface CacheListener<T> {
  /** After the cache has changed. */
  delta?(delta: Delta<T>): void;
  /** After every change that belongs to it: the view is complete up to this resourceVersion. */
  progress?(resourceVersion: string): void;
}

export interface CacheOptions<T> {
  /** Each says under which values an object is to be found. */
  readonly indexes?: Readonly<Record<string, (item: T) => readonly string[]>>;
  /** Gets what listeners throw: one that fails must not keep the change from the others. */
  readonly report: (error: unknown) => void;
}

/** The objects of a collection as they were last seen. They are never changed in place. */
export class ObjectCache<T extends Reflected> implements Sink<T> {
  readonly #options: CacheOptions<T>;
  readonly #items = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #listeners = new Set<CacheListener<T>>();
  #resourceVersion: string | undefined;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) this.#indexes.set(name, new Index(valuesOf));
  }

  /** The collection has been seen whole. */
  get synced(): boolean {
    return this.#resourceVersion !== undefined;
  }

  /** Everything up to here is in the cache. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  get size(): number {
    return this.#items.size;
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#items.get(keyOf(namespace, name));
  }

  items(): Iterable<T> {
    return this.#items.values();
  }

  /** The objects that an index keeps under a value. */
  indexed(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new RangeError(`there is no index ${index}`);
    return found.items(value);
  }

  /** A listener is told what is there already, so that it does not matter when it comes. */
  listen(listener: CacheListener<T>): () => void {
    this.#listeners.add(listener);
    for (const item of this.#items.values()) this.#tell(() => listener.delta?.({ type: 'added', item }));
    const version = this.#resourceVersion;
    if (version !== undefined) this.#tell(() => listener.progress?.(version));
    return () => void this.#listeners.delete(listener);
  }

  replace(items: readonly T[], resourceVersion: string): void {
    const kept = new Set<string>();
    for (const item of items) kept.add(keyOf(item.metadata.namespace, item.metadata.name));
    for (const [key, item] of this.#items) if (!kept.has(key)) this.#delete(key, item);
    for (const item of items) this.#set(item);
    this.#progress(resourceVersion);
  }

  upsert(item: T, resourceVersion: string): void {
    this.#set(item);
    this.#progress(resourceVersion);
  }

  remove(item: T, resourceVersion: string): void {
    const key = keyOf(item.metadata.namespace, item.metadata.name);
    const known = this.#items.get(key);
    // What it was at its end is newer than what was known of it.
    if (known !== undefined) this.#delete(key, known, item);
    this.#progress(resourceVersion);
  }

  bookmark(resourceVersion: string): void {
    this.#progress(resourceVersion);
  }

  #set(item: T): void {
    const key = keyOf(item.metadata.namespace, item.metadata.name);
    const before = this.#items.get(key);
    if (before !== undefined && isSame(before, item)) return;
    // Another object of the same name: listeners that knew the first one must hear that it is deleted.
    if (before !== undefined && before.metadata.uid !== item.metadata.uid) {
      this.#delete(key, before);
      this.#insert(key, item, { type: 'added', item });
    } else this.#insert(key, item, before === undefined ? { type: 'added', item } : { type: 'updated', item, before });
  }

  #insert(key: string, item: T, delta: Delta<T>): void {
    const before = this.#items.get(key);
    this.#items.set(key, item);
    for (const index of this.#indexes.values()) index.change(key, before, item);
    this.#announce(delta);
  }

  #delete(key: string, known: T, last: T = known): void {
    this.#items.delete(key);
    for (const index of this.#indexes.values()) index.change(key, known, undefined);
    this.#announce({ type: 'deleted', item: last });
  }

  #announce(delta: Delta<T>): void {
    for (const listener of this.#listeners) this.#tell(() => listener.delta?.(delta));
  }

  #progress(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    for (const listener of this.#listeners) this.#tell(() => listener.progress?.(resourceVersion));
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.report(error);
    }
  }
}

class Index<T> {
  readonly #valuesOf: (item: T) => readonly string[];
  readonly #found = new Map<string, Map<string, T>>();

  constructor(valuesOf: (item: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  items(value: string): readonly T[] {
    return [...(this.#found.get(value)?.values() ?? [])];
  }

  change(key: string, before: T | undefined, after: T | undefined): void {
    if (before !== undefined) for (const value of this.#valuesOf(before)) this.#remove(value, key);
    if (after === undefined) return;
    for (const value of this.#valuesOf(after)) {
      const items = this.#found.get(value);
      if (items === undefined) this.#found.set(value, new Map([[key, after]]));
      else items.set(key, after);
    }
  }

  #remove(value: string, key: string): void {
    const items = this.#found.get(value);
    if (items?.delete(key) === true && items.size === 0) this.#found.delete(value);
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function isSame(left: Reflected, right: Reflected): boolean {
  const { uid, resourceVersion } = left.metadata;
  return (
    resourceVersion !== undefined && resourceVersion === right.metadata.resourceVersion && uid === right.metadata.uid
  );
}
