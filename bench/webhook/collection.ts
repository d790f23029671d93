import { isMap, type JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { Feed } from './feed.ts';
import { apiVersionOf, type Kind } from './kinds.ts';

/** One counter for all collections, as etcd has. */
export class Versions {
  #last = 1_000_000;

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

export interface Collection {
  readonly kind: Kind;
  readonly feed: Feed;
  readonly size: number;
  /** Objects as JSON, by their positions. */
  texts(from: number, to: number): Iterable<string>;
  get(namespace: string | undefined, name: string): JsonMap | undefined;
  /** The object is new, or takes the place of another one. */
  put(namespace: string | undefined, name: string, object: JsonMap): JsonMap;
  delete(namespace: string | undefined, name: string): JsonMap | undefined;
}

/** Objects that are kept as they are. */
export class StoredCollection implements Collection {
  readonly kind: Kind;
  readonly feed = new Feed();
  readonly #versions: Versions;
  readonly #objects = new Map<string, JsonMap>();

  constructor(kind: Kind, versions: Versions) {
    this.kind = kind;
    this.#versions = versions;
  }

  get size(): number {
    return this.#objects.size;
  }

  *texts(from: number, to: number): Iterable<string> {
    let position = 0;
    for (const object of this.#objects.values()) {
      if (position >= to) return;
      if (position >= from) yield JSON.stringify(object);
      position += 1;
    }
  }

  get(namespace: string | undefined, name: string): JsonMap | undefined {
    return this.#objects.get(keyOf(namespace, name));
  }

  put(namespace: string | undefined, name: string, object: JsonMap): JsonMap {
    const key = keyOf(namespace, name);
    const before = this.#objects.get(key);
    const version = this.#versions.next();
    const old = before === undefined ? {} : metadataOf(before);
    const identity = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: old['uid'] ?? metadataOf(object)['uid'] ?? `${this.kind.plural}-${version}`,
      creationTimestamp: old['creationTimestamp'] ?? '2026-01-01T00:00:00Z',
      generation: old['generation'] ?? 1,
      resourceVersion: String(version),
    };
    const stored = {
      ...object,
      apiVersion: apiVersionOf(this.kind),
      kind: this.kind.kind,
      metadata: { ...metadataOf(object), ...identity },
    };
    this.#objects.set(key, stored);
    const type = before === undefined ? 'ADDED' : 'MODIFIED';
    this.feed.emit({ type, version, text: JSON.stringify(stored) });
    return stored;
  }

  delete(namespace: string | undefined, name: string): JsonMap | undefined {
    const object = this.get(namespace, name);
    if (object === undefined) return undefined;
    this.#objects.delete(keyOf(namespace, name));
    const version = this.#versions.next();
    const gone = { ...object, metadata: { ...metadataOf(object), resourceVersion: String(version) } };
    this.feed.emit({ type: 'DELETED', version, text: JSON.stringify(gone) });
    return gone;
  }
}

export function metadataOf(object: JsonMap): JsonMap {
  return isMap(object['metadata']) ? object['metadata'] : {};
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}
