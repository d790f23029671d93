import type { KubeObject, ResourceKey } from '../objects.ts';
import { Collection } from './collection.ts';
import { Listeners } from './listeners.ts';
import type { Page, PageQuery, Store, Stored, StoreEvent, Subscription, WriteResult } from './store.ts';
import { deepFreeze, restamp, StoredObject, stamp } from './stored-object.ts';

export interface MemoryStoreOptions {
  /** Events kept for each collection: how far back watches and pages may reach. */
  readonly history?: number;
  /** Freezes what is stored, through and through: code that changes it fails at once. Slow; for tests. */
  readonly freeze?: boolean;
  /** Revision before the first write. */
  readonly startRevision?: number;
  /** Where errors of listeners go; must not throw. By default they become warnings of the process. */
  readonly report?: (error: unknown) => void;
}

/** Where writes go besides memory. */
export interface Journal {
  /** Throws `StoreUnavailable` where a write could not be kept. */
  admit(revision: number): void;
  /** Called before the write takes effect; throws where it cannot be written down, and the write does not happen. */
  append(event: StoreEvent): void;
  durable(revision: number): Promise<void>;
  close(): Promise<void>;
}

export const defaultHistory = 10_000;
/** Not zero: to a client resource version 0 means "any", so an empty cluster must not answer it. */
const firstRevision = 1;

/** What a store holds, to begin another one with. Stored objects never change, so that both may share them. */
export interface StoreContents {
  readonly revision: number;
  readonly objects: ReadonlyMap<ResourceKey, readonly StoredObject[]>;
}

export function createMemoryStore(options: MemoryStoreOptions = {}, contents?: StoreContents): Store {
  if (contents === undefined) return new MemoryStore(options, new Map());
  return new MemoryStore({ ...options, startRevision: contents.revision }, contents.objects);
}

export function contentsOf(store: Store): StoreContents {
  const copy = ({ resource, key, revision, object }: Stored) => new StoredObject(resource, key, revision, object);
  const objects = store.resources().map((resource) => [resource, store.list(resource).map(copy)] as const);
  return { revision: store.revision, objects: new Map(objects) };
}

/** Everything in memory. With a journal, each write is also written down. */
export class MemoryStore implements Store {
  readonly #settings: { readonly history: number; readonly freeze: boolean; readonly startRevision: number };
  readonly #collections = new Map<ResourceKey, Collection>();
  readonly #listeners: Listeners;
  readonly #journal: Journal | undefined;
  #revision: number;

  constructor(
    options: MemoryStoreOptions,
    contents: ReadonlyMap<ResourceKey, readonly StoredObject[]>,
    journal?: Journal,
  ) {
    const { history = defaultHistory, freeze = false, startRevision = firstRevision } = options;
    this.#settings = { history, freeze, startRevision };
    this.#listeners = new Listeners(options.report ?? warn);
    this.#journal = journal;
    this.#revision = startRevision;
    for (const [resource, items] of contents) {
      if (freeze) for (const { object } of items) deepFreeze(object);
      this.#collections.set(resource, new Collection({ ...this.#settings, items }));
    }
  }

  get revision(): number {
    return this.#revision;
  }

  get(resource: ResourceKey, key: string): Stored | undefined {
    return this.#collections.get(resource)?.get(key);
  }

  list(resource: ResourceKey, namespace?: string): readonly Stored[] {
    return this.#collections.get(resource)?.list(namespace) ?? [];
  }

  count(resource: ResourceKey): number {
    return this.#collections.get(resource)?.size ?? 0;
  }

  resources(): readonly ResourceKey[] {
    return [...this.#collections].filter(([, { size }]) => size > 0).map(([resource]) => resource);
  }

  page(query: PageQuery): Page | 'expired' {
    const collection = this.#collections.get(query.resource);
    if (collection !== undefined) return collection.page(query);
    if (query.revision < this.#settings.startRevision) return 'expired';
    return { items: [], more: false, ...(query.matches ? {} : { remaining: 0 }) };
  }

  create(resource: ResourceKey, key: string, object: KubeObject): WriteResult {
    if (this.get(resource, key) !== undefined) return { ok: false, why: 'exists' };
    const revision = this.#admit();
    return this.#write('ADDED', new StoredObject(resource, key, revision, stamp(object, revision, undefined)));
  }

  update(resource: ResourceKey, key: string, object: KubeObject, expectedRevision: number): WriteResult {
    const current = this.get(resource, key);
    if (current === undefined) return { ok: false, why: 'missing' };
    if (current.revision !== expectedRevision) return { ok: false, why: 'stale', current };
    const revision = this.#admit();
    const stored = new StoredObject(resource, key, revision, stamp(object, revision, current));
    return this.#write('MODIFIED', stored, current);
  }

  remove(resource: ResourceKey, key: string, expectedRevision: number): WriteResult {
    const current = this.get(resource, key);
    if (current === undefined) return { ok: false, why: 'missing' };
    if (current.revision !== expectedRevision) return { ok: false, why: 'stale', current };
    const revision = this.#admit();
    const stored = new StoredObject(resource, key, revision, restamp(current.object, revision));
    return this.#write('DELETED', stored, current);
  }

  watch(resource: ResourceKey, since: number, listener: (event: StoreEvent) => void): Subscription | 'expired' {
    const collection = this.#collections.get(resource);
    const nothing = since < this.#settings.startRevision ? undefined : [];
    const past = collection === undefined ? nothing : collection.eventsAfter(since);
    if (past === undefined) return 'expired';
    return this.#listeners.watch(resource, past, Math.max(since, this.#revision), listener);
  }

  subscribe(listener: (event: StoreEvent) => void): Subscription {
    return this.#listeners.subscribe(this.#revision, listener);
  }

  async durable(revision: number): Promise<void> {
    await this.#journal?.durable(revision);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#journal?.close();
  }

  #admit(): number {
    const revision = this.#revision + 1;
    this.#journal?.admit(revision);
    return revision;
  }

  #write(type: StoreEvent['type'], stored: StoredObject, previous?: Stored): WriteResult {
    const { resource, key, revision } = stored;
    const event: StoreEvent = { type, resource, key, revision, stored, previous };
    if (this.#settings.freeze) deepFreeze(stored.object);
    this.#journal?.append(event);
    this.#revision = revision;
    this.#collection(resource).apply(event);
    this.#listeners.publish(event);
    return { ok: true, stored };
  }

  #collection(resource: ResourceKey): Collection {
    const known = this.#collections.get(resource);
    if (known !== undefined) return known;
    const collection = new Collection({ ...this.#settings, items: [] });
    this.#collections.set(resource, collection);
    return collection;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
