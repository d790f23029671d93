import { badRequest, invalidObject, notFound } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { applyConfiguration } from '../patch/apply-configuration.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import type { PatchResult } from '../patch/patch-result.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts';
import { timestamp } from '../time/clock.ts';
import { apiVersionOf } from './convert.ts';
import { createObject } from './create.ts';
import { asObject, checkFields } from './decode.ts';
import { type Registry, resourceName, stored, type Target } from './registry.ts';
import { updateObject } from './update.ts';
import type { UpdateOutcome } from './update-request.ts';
import type { WriteContext } from './write-context.ts';

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchRequest {
  readonly target: Target;
  readonly subresource: string;
  readonly kind: PatchKind;
  readonly patch: unknown;
  /** The patch as it was sent. */
  readonly text: string;
  /** Apply only: take over fields that others own. */
  readonly force: boolean;
  readonly context: WriteContext;
}

export type PatchOutcome = UpdateOutcome | { readonly kind: 'created'; readonly object: KubeObject };

export async function patchObject(registry: Registry, request: PatchRequest): Promise<PatchOutcome> {
  const { target, context } = request;
  if (request.kind === 'apply') return applyObject(registry, request);
  return updateObject(registry, {
    target,
    subresource: request.subresource,
    context,
    retries: !namesVersion(request.patch),
    change: (old) => checkedResult(request, patched(request, old)),
  });
}

function patched(request: PatchRequest, old: KubeObject): JsonObject {
  const { patch } = request;
  const type = request.target.type;
  switch (request.kind) {
    case 'json':
      return unwrapped(applyJsonPatch(old, patch));
    case 'merge':
      return unwrapped(applyMergePatch(old, asPatch(patch)));
    case 'strategic':
      if (type.custom) throw unsupportedStrategic();
      return unwrapped(applyStrategicMergePatch(old, asPatch(patch), type.schema));
    case 'apply':
      throw new Error('an apply is not a change of what is there alone');
  }
}

function unsupportedStrategic(): Error {
  return badRequest(
    'strategic merge patches are not supported for custom resources; use a JSON patch or a merge patch',
  );
}

function unwrapped<T>(result: PatchResult<T>): T {
  if (!result.ok) throw result.error;
  return result.value;
}

function asPatch(patch: unknown): JsonObject {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw badRequest('error decoding patch: the patch must be an object');
  }
  return patch as JsonObject;
}

function namesVersion(patch: unknown): boolean {
  const metadata = (patch as { metadata?: { resourceVersion?: unknown } } | null)?.metadata;
  return typeof metadata?.resourceVersion === 'string' && metadata.resourceVersion !== '';
}

/** What a patch makes of an object must still be that object, of that kind, with fields of that kind. */
function checkedResult(request: PatchRequest, result: JsonObject): KubeObject {
  const { type, name } = request.target;
  const object = asObject(type, result);
  if (object.metadata.name !== name) {
    throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
  }
  checkFields(type, object, request.context);
  return object;
}

async function applyObject(registry: Registry, request: PatchRequest): Promise<PatchOutcome> {
  const { target, context, subresource } = request;
  const applied = appliedObject(request);
  checkFields(target.type, applied, context, request.text);
  const merge = (live: KubeObject | undefined): KubeObject => {
    const result = applyConfiguration({
      live,
      applied: applied as JsonObject,
      manager: context.fieldManager,
      force: request.force,
      apiVersion: applied.apiVersion,
      ...(subresource === '' ? {} : { subresource }),
      time: timestamp(registry.clock.now()),
      schema: target.type.schema,
      resetFields: fieldsOutOfReach(target.type, subresource),
    });
    if (!result.ok) throw result.error;
    return result.object;
  };
  if (!stored(registry, target)) {
    if (subresource !== '') throw notFound(resourceName(target.type), target.name);
    return {
      kind: 'created',
      object: await createObject(registry, target, merge(undefined), context, { tracksFields: true }),
    };
  }
  return updateObject(registry, {
    target,
    subresource,
    context,
    tracksFields: true,
    retries: !namesVersion(applied),
    change: merge,
  });
}

/** What this path cannot change is not owned by who applies through it either. */
function fieldsOutOfReach(type: ResourceType, subresource: string): readonly (readonly string[])[] {
  if (subresource === 'status') return [['spec']];
  return subresource === '' && type.subresources.has('status') ? [['status']] : [];
}

function appliedObject(request: PatchRequest): KubeObject {
  const { type, name, namespace } = request.target;
  const source = asPatch(request.patch);
  const metadata = (source['metadata'] ?? {}) as JsonObject;
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  if (source['apiVersion'] !== apiVersionOf(type) || source['kind'] !== type.kind) {
    throw badRequest(
      `the apiVersion and kind of the applied configuration (${String(source['apiVersion'])}, ${String(source['kind'])}) do not match the request (${apiVersionOf(type)}, ${type.kind})`,
    );
  }
  if (request.context.fieldManager === '') {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
      { type: 'FieldValueRequired', field: 'fieldManager', detail: 'is required for apply patch' },
    ]);
  }
  const named = {
    ...metadata,
    name: metadata['name'] ?? name,
    ...(type.namespaced ? { namespace: metadata['namespace'] ?? namespace } : {}),
  };
  if (named.name !== name)
    throw badRequest(`the name of the object (${String(named.name)}) does not match the name on the URL (${name})`);
  return asObject(type, { ...source, metadata: named });
}
