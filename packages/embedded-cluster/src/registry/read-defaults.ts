import type { ResourceType } from '../kinds/resource-type.ts';
import { clone, type KubeObject } from '../objects.ts';
import { sameObject } from './update/generation.ts';

/** Objects that lack nothing. A CRD that changes makes new types. */
const complete = new WeakMap<ResourceType, WeakSet<KubeObject>>();

/**
 * A custom object as it reads today: its CRD may have got defaults since it was written. The same object where it has
 * them all.
 */
export function withDefaultsOfToday(type: ResourceType, object: KubeObject): KubeObject {
  if (type.custom?.hasDefaults !== true || complete.get(type)?.has(object)) return object;
  const draft = clone(object);
  type.strategy.applyDefaults?.(draft);
  if (!sameObject(draft, object)) return draft;
  const others = complete.get(type) ?? new WeakSet();
  complete.set(type, others.add(object));
  return object;
}
