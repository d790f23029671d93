import type { KubeObject, ResourceKey } from '../objects.ts';
import type { Stored } from './store.ts';

export class StoredObject implements Stored {
  readonly resource: ResourceKey;
  readonly key: string;
  readonly revision: number;
  readonly object: KubeObject;
  #bytes: Buffer | undefined;

  constructor(resource: ResourceKey, key: string, revision: number, object: KubeObject) {
    this.resource = resource;
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  bytes(): Buffer {
    this.#bytes ??= exactBuffer(JSON.stringify(this.object));
    return this.#bytes;
  }
}

/** Not from Node's pool: a small slice that lives long would keep the whole pool alive with it. */
function exactBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

/**
 * Writes the revision into an object that the store takes over. Where its metadata is still that of the state it
 * replaces, the metadata is copied first: what was stored never changes.
 */
export function stamp(object: KubeObject, revision: number, current: Stored | undefined): KubeObject {
  const resourceVersion = String(revision);
  if (current !== undefined && object.metadata === current.object.metadata) return restamp(object, revision);
  object.metadata.resourceVersion = resourceVersion;
  return object;
}

/** The same state under another revision, as an object of its own. */
export function restamp(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** Recursion is bounded: stored JSON has passed the depth limit. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
