import { type Fields, isObject } from '@holdfast/base/json';
import type { LabelSelector, ObjectMeta } from '@holdfast/base/meta';
import { annotation } from '../../api/names.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { projectMeta } from '../../kube/projection/meta.ts';

/** A StatefulSet as far as it says whether it is ours to look at. What is decided is decided on what is read then. */
export interface WatchedSet {
  readonly metadata: ObjectMeta;
  /** Only of sets that are looked at. */
  readonly selector?: LabelSelector;
}

const ours: ReadonlySet<string> = new Set([annotation.updateStrategy, annotation.rolloutState]);

export function watchedSetProjection(interner: Interner): (object: Fields) => WatchedSet {
  const projection = { interner, keepAnnotation: (key: string) => ours.has(key) };
  return (object) => {
    const metadata = projectMeta(object, projection);
    const { spec } = object;
    const selector = isObject(spec) ? spec['selector'] : undefined;
    // Safe: the API server has checked the selector of a set that it stored, and never lets it change.
    return isConcerned(metadata) && isObject(selector)
      ? { metadata, selector: selector as LabelSelector }
      : { metadata };
  };
}

/** It asks for enforced rollouts, or still shows what became of them. */
export function isConcerned({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean {
  return hasUpdateStrategy({ annotations }) || annotations?.[annotation.rolloutState] !== undefined;
}

export function hasUpdateStrategy({
  annotations,
}: {
  readonly annotations?: ObjectMeta['annotations'] | undefined;
}): boolean {
  return annotations?.[annotation.updateStrategy] !== undefined;
}
