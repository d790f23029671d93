import { type Fields, isObject, isUnset, sameJson } from '@holdfast/base/json';
import { annotation } from '../../api/names.ts';
import { enforcedRollingUpdate } from '../../core/rollout/opt-in.ts';
import type { JsonPatchOperation } from '../admission/wire/review.ts';
import { annotationsOf, isAnnotationDeclared, lastManifestAsks, strategyOf } from './declared-strategy.ts';

/** What is stored instead of what was written. */

const strategyPath = '/spec/updateStrategy';
const rollingPath = `${strategyPath}/rollingUpdate`;
const annotationPath = `/metadata/annotations/${annotation.updateStrategy.replaceAll('/', '~1')}`;

/** @param old as it is stored, if it is */
export function strategyPatch(now: Fields, old: Fields | undefined): readonly JsonPatchOperation[] {
  if (strategyOf(now)['type'] === enforcedRollingUpdate) return [...enforce(now), ...withPartition(now)];
  if (annotationsOf(now)?.[annotation.updateStrategy] !== enforcedRollingUpdate) return [];
  if (isRolling(now)) return old !== undefined && isUnsaid(old, now) ? [leave] : withPartition(now);
  if (old === undefined) return [];
  return [...(isReplaced(old, now) ? [leave] : []), ...withoutLeftover(old, now)];
}

const leave: JsonPatchOperation = { op: 'remove', path: annotationPath };

/** Whatever the strategy says beside its type, such as a partition, stays. */
function enforce(set: Fields): readonly JsonPatchOperation[] {
  const type: JsonPatchOperation = { op: 'replace', path: `${strategyPath}/type`, value: 'RollingUpdate' };
  const annotations = annotationsOf(set);
  if (annotations === undefined) {
    const value = { [annotation.updateStrategy]: enforcedRollingUpdate };
    return [type, { op: 'add', path: '/metadata/annotations', value }];
  }
  if (annotations[annotation.updateStrategy] !== undefined) return [type];
  return [type, { op: 'add', path: annotationPath, value: enforcedRollingUpdate }];
}

/**
 * Without `rollingUpdate` Kubernetes makes a pod that was removed from the old template again, as long as others are on it. Where
 * a set has no strategy at all, this is also the default.
 */
function withPartition(set: Fields): readonly JsonPatchOperation[] {
  const spec = set['spec'];
  if (!isObject(spec) || !isObject(spec['updateStrategy']) || !isUnset(strategyOf(set)['rollingUpdate'])) return [];
  return [{ op: 'add', path: rollingPath, value: { partition: 0 } }];
}

/** No other strategy may have it, and a client that applies another one does not know of a partition that we added. */
function withoutLeftover(old: Fields, now: Fields): readonly JsonPatchOperation[] {
  const [before, after] = [old, now].map((set) => strategyOf(set)['rollingUpdate']);
  return !isUnset(after) && sameJson(before, after) ? [{ op: 'remove', path: rollingPath }] : [];
}

/** A client-side apply whose file asked for it, and does not any more. */
function isUnsaid(old: Fields, now: Fields): boolean {
  return isOurs(old, now) && lastManifestAsks(old) === true && lastManifestAsks(now) === false;
}

/** A strategy takes its place that has rules of its own: going back to RollingUpdate later is not asking for it again. */
function isReplaced(old: Fields, now: Fields): boolean {
  return isOurs(old, now) && isRolling(old);
}

/** The annotation stands for the strategy. One that the manifest declares is the manifest's to remove. */
function isOurs(old: Fields, now: Fields): boolean {
  return annotationsOf(old)?.[annotation.updateStrategy] === enforcedRollingUpdate && !isAnnotationDeclared(now);
}

function isRolling(set: Fields): boolean {
  const { type } = strategyOf(set);
  return isUnset(type) || type === '' || type === 'RollingUpdate';
}
