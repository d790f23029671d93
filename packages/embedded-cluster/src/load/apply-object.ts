import type { User } from '../auth/user.ts';
import type { ControlPlane } from '../control-plane.ts';
import { isApiError, noSuchPath } from '../errors.ts';
import { clone, type KubeObject, splitApiVersion } from '../objects.ts';
import { lastAppliedAnnotation, sortKeys } from '../patch/last-applied.ts';
import { createObject } from '../registry/create.ts';
import { checkFields } from '../registry/decode.ts';

/** Creates an object as `kubectl apply` does when it is new. One that is there stays as it is. Refusals are thrown. */
export async function applyObject(plane: ControlPlane, user: User, object: KubeObject): Promise<'created' | 'exists'> {
  const { group, version } = splitApiVersion(object.apiVersion);
  const type = plane.types.byKind(group, version, object.kind);
  if (!type) throw noSuchPath();
  const context = {
    user,
    dryRun: false,
    fieldManager: 'kubectl-client-side-apply',
    fieldValidation: 'Strict' as const,
    warnings: [],
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  };
  const draft = withLastApplied(object);
  checkFields(type, draft, context);
  try {
    await createObject(plane.registry, { type, namespace: draft.metadata.namespace ?? '' }, draft, context);
    return 'created';
  } catch (error) {
    if (isApiError(error, 409)) return 'exists';
    throw error;
  }
}

/** With the note by which kubectl knows, the next time, what it had been told. */
function withLastApplied(object: KubeObject): KubeObject {
  const draft = clone(object);
  const annotations = { ...draft.metadata.annotations };
  const applied = { ...draft, metadata: { ...draft.metadata, annotations } };
  draft.metadata.annotations = { ...annotations, [lastAppliedAnnotation]: `${JSON.stringify(sortKeys(applied))}\n` };
  return draft;
}
