import { type Fields, isObject } from '@holdfast/base/json';
import { annotation } from '../../api/names.ts';
import { enforcedRollingUpdate } from '../../core/rollout/opt-in.ts';

/** What people have written down about the update strategy of a StatefulSet, as far as the object remembers it. */

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export function strategyOf(set: Fields): Fields {
  const found = at(set, 'spec', 'updateStrategy');
  return isObject(found) ? found : {};
}

export function annotationsOf(set: Fields): Fields | undefined {
  const found = at(set, 'metadata', 'annotations');
  return isObject(found) ? found : undefined;
}

/**
 * Whether the manifest of the last client-side apply asks for enforced rollouts. Undefined: there was none, or it is unreadable.
 * Afterwards the object itself says RollingUpdate in either case, and kubectl sends no change of a field that did not change.
 */
export function lastManifestAsks(set: Fields): boolean | undefined {
  const manifest = lastManifest(set);
  if (manifest === undefined) return undefined;
  return strategyOf(manifest)['type'] === enforcedRollingUpdate || namesAnnotation(manifest);
}

/** Whether the annotation is part of an applied manifest: then it belongs to the manifest's owner, who would only set it again. */
export function isAnnotationDeclared(set: Fields): boolean {
  const manifest = lastManifest(set);
  return (manifest !== undefined && namesAnnotation(manifest)) || isAnnotationApplied(set);
}

function namesAnnotation(manifest: Fields): boolean {
  return annotationsOf(manifest)?.[annotation.updateStrategy] !== undefined;
}

function lastManifest(set: Fields): Fields | undefined {
  const text = annotationsOf(set)?.[lastApplied];
  if (typeof text !== 'string') return undefined;
  try {
    const manifest: unknown = JSON.parse(text);
    return isObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** By server-side apply, which remembers which fields its manifest has. */
function isAnnotationApplied(set: Fields): boolean {
  const managers = at(set, 'metadata', 'managedFields');
  if (!Array.isArray(managers)) return false;
  return managers.some(
    (one) =>
      isObject(one) &&
      one['operation'] === 'Apply' &&
      at(one, 'fieldsV1', 'f:metadata', 'f:annotations', `f:${annotation.updateStrategy}`) !== undefined,
  );
}

function at(source: Fields, ...path: readonly string[]): unknown {
  let found: unknown = source;
  for (const key of path) {
    if (!isObject(found)) return undefined;
    found = found[key];
  }
  return found;
}
