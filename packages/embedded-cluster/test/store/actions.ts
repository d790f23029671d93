import { type KubeObject, splitKey } from '../../src/objects.ts';
import type { Store, Stored, WriteResult } from '../../src/store/store.ts';

export function anObject(key: string, value: unknown): KubeObject {
  const { namespace, name } = splitKey(key);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
    data: { value },
  };
}

export function storedValue(stored: Stored | undefined): unknown {
  return (stored?.object['data'] as { value?: unknown } | undefined)?.value;
}

export function written(result: WriteResult): Stored {
  if (!result.ok) throw new Error(`not written: ${result.why}`);
  return result.stored;
}

/** Creates, or updates what is there. */
export function put(store: Store, resource: string, key: string, value: unknown): Stored {
  const current = store.get(resource, key);
  if (current === undefined) return written(store.create(resource, key, anObject(key, value)));
  return written(store.update(resource, key, anObject(key, value), current.revision));
}

export function drop(store: Store, resource: string, key: string): Stored {
  return written(store.remove(resource, key, store.get(resource, key)?.revision ?? -1));
}
