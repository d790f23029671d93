import { type Fields, isObject } from '@holdfast/base/json';
import { podPlaces } from '../../install/index.ts';

/** Something in an object that pods are made from, or the pod itself. */
export interface PodSource {
  /** Where its metadata and its spec are, with a dot behind it; empty: at the top. */
  readonly prefix: string;
  readonly metadata: unknown;
  readonly spec: unknown;
}

export function podSourcesOf(object: Fields, isPod: boolean): readonly PodSource[] {
  if (isPod) return [{ prefix: '', metadata: object['metadata'], spec: object['spec'] }];
  return podPlaces.flatMap((place) => {
    const found = place.split('.').reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), object);
    return isObject(found) ? [{ prefix: `${place}.`, metadata: found['metadata'], spec: found['spec'] }] : [];
  });
}
