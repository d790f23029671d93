import type { KubeObject, ResourceKey } from '../objects.ts';

/**
 * All objects of the cluster, each under its collection and key. Calls are synchronous and atomic; with a data directory
 * a write is durable when `durable(revision)` resolves, and nothing is acknowledged to a client before.
 */
export interface Store {
  /** Of the last write. Grows by one with each, never goes back, not even over restarts. */
  readonly revision: number;
  get(resource: ResourceKey, key: string): Stored | undefined;
  /** In the order of keys. With a namespace only what is in it. */
  list(resource: ResourceKey, namespace?: string): readonly Stored[];
  count(resource: ResourceKey): number;
  /** Collections that hold something. */
  resources(): readonly ResourceKey[];
  /** One page of the collection as it was at a revision; `expired` when the history does not reach back to it. */
  page(query: PageQuery): Page | 'expired';
  /**
   * The store sets `metadata.resourceVersion` on the object it is given, which it owns from then on. All writes throw
   * `StoreUnavailable` where the store can no longer keep them.
   */
  create(resource: ResourceKey, key: string, object: KubeObject): WriteResult;
  update(resource: ResourceKey, key: string, object: KubeObject, expectedRevision: number): WriteResult;
  remove(resource: ResourceKey, key: string, expectedRevision: number): WriteResult;
  /** Events of the collection with a revision above `since`, then everything that follows, synchronously with each write. */
  watch(resource: ResourceKey, since: number, listener: (event: StoreEvent) => void): Subscription | 'expired';
  /** Every event of every collection, from now on; called before those who watch one collection. */
  subscribe(listener: (event: StoreEvent) => void): Subscription;
  /** Resolves when this revision and all before it are on disk; rejects with `StoreUnavailable` if they never will be. */
  durable(revision: number): Promise<void>;
  close(): Promise<void>;
}

/** The disk failed, or the store is closed: nothing can be written any more, and what was not acknowledged may be lost. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

export interface Stored {
  readonly resource: ResourceKey;
  readonly key: string;
  readonly revision: number;
  readonly object: KubeObject;
  /** The object as JSON, serialised once and kept. */
  bytes(): Buffer;
}

export interface PageQuery {
  readonly resource: ResourceKey;
  readonly namespace?: string;
  readonly revision: number;
  /** Keys after this one. */
  readonly after?: string;
  /** 0: no limit. */
  readonly limit: number;
  /** Objects that do not count: label and field selectors. */
  readonly matches?: (object: KubeObject) => boolean;
}

export interface Page {
  readonly items: readonly Stored[];
  /** There is more; ask again after the last item's key. */
  readonly more: boolean;
  /** How many objects follow; only known where nothing is filtered out. */
  readonly remaining?: number;
}

export type WriteResult =
  | { readonly ok: true; readonly stored: Stored }
  | { readonly ok: false; readonly why: 'exists' | 'missing' }
  | { readonly ok: false; readonly why: 'stale'; readonly current: Stored };

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceKey;
  readonly key: string;
  readonly revision: number;
  /** For DELETED the last state, with the revision of the removal. */
  readonly stored: Stored;
  readonly previous: Stored | undefined;
}

export interface Subscription {
  stop(): void;
}
