import { sameJson } from '@holdfast/base/json';
import type { Client } from '../../client.ts';
import type { KubeObject, ResourceKey } from '../../objects.ts';

/** Writes a status that differs from the one in the object, against the version that was read. */
export async function writeStatus<T extends KubeObject>(
  client: Client,
  resource: ResourceKey,
  object: T,
  status: object,
): Promise<T> {
  if (sameJson(object['status'] ?? {}, status)) return object;
  return client.update<T>(resource, { ...object, status }, { subresource: 'status' });
}

/** Optional counters that are zero are not written at all. */
export function omitZeros<T extends object>(status: T, required: readonly (keyof T)[] = []): T {
  const kept = Object.entries(status).filter(
    ([field, value]) => value !== undefined && (value !== 0 || required.includes(field as keyof T)),
  );
  return Object.fromEntries(kept) as T;
}
