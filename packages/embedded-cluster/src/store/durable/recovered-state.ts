import type { ResourceKey } from '../../objects.ts';
import { StoredObject } from '../stored-object.ts';
import { type Entry, formatVersion } from './entries.ts';

/** What the files say so far: built up entry by entry, in the order they were written. */
export class RecoveredState {
  readonly objects = new Map<ResourceKey, Map<string, StoredObject>>();
  revision = 0;
  ceiling = 0;
  /** The last entry says that the store was closed in order. */
  closed = false;
  writes = 0;

  /** Takes an entry of a segment; says what is wrong with it, if anything. */
  take(entry: Entry, segment: number): string | undefined {
    if (entry.is === 'put' || entry.is === 'remove') return this.#write(entry);
    this.closed = entry.is === 'closed';
    if (entry.is === 'snapshot' || entry.is === 'end') return `an entry "${entry.is}" does not belong in a segment`;
    if (entry.is === 'segment') {
      if (entry.format !== formatVersion) return `format ${entry.format} is not one this version reads`;
      if (entry.number !== segment) return `it was written as segment ${entry.number}`;
    }
    if (entry.is === 'closed') this.revision = Math.max(this.revision, entry.revision);
    else this.ceiling = Math.max(this.ceiling, entry.ceiling);
    return undefined;
  }

  /** Objects of a snapshot come in the order of keys, not of revisions. */
  put(entry: Extract<Entry, { is: 'put' }>): void {
    const { resource, key, revision, object } = entry;
    const collection = this.objects.get(resource) ?? new Map<string, StoredObject>();
    this.objects.set(resource, collection);
    collection.set(key, new StoredObject(resource, key, revision, object));
  }

  contents(): Map<ResourceKey, readonly StoredObject[]> {
    return new Map([...this.objects].map(([resource, items]) => [resource, [...items.values()]]));
  }

  #write(entry: Extract<Entry, { is: 'put' | 'remove' }>): string | undefined {
    if (entry.revision <= this.revision) {
      return `revision ${entry.revision} follows revision ${this.revision}`;
    }
    this.closed = false;
    this.revision = entry.revision;
    this.writes += 1;
    if (entry.is === 'put') this.put(entry);
    else this.objects.get(entry.resource)?.delete(entry.key);
    return undefined;
  }
}
