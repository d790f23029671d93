import { invalid } from '@holdfast/base/field-errors';
import {
  ApiError,
  badRequest,
  conflict,
  invalidObject,
  isApiError,
  notFound,
  unsupportedMediaType,
} from '../../errors.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import { type JsonObject, type KubeObject, splitApiVersion } from '../../objects.ts';
import { applyConfiguration } from '../../patch/apply-configuration.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import type { PatchResult } from '../../patch/patch-result.ts';
import { applyStrategicMergePatch } from '../../patch/strategic/strategic-merge.ts';
import { duplicateKeysOfApplied, strictProblem } from '../../schema/duplicate-keys.ts';
import { timestamp } from '../../time/clock.ts';
import { apiVersionOf } from '../convert.ts';
import { createObject } from '../create.ts';
import { asObject, checkFields } from '../decode.ts';
import { type Registry, resourceName, stored, type Target } from '../registry.ts';
import type { WriteContext } from '../write-context.ts';
import { updateObject } from './update.ts';
import type { UpdateOutcome } from './update-request.ts';

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
    change: (old) => checkedResult(request, old),
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
  return unsupportedMediaType([
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ]);
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
function checkedResult(request: PatchRequest, old: KubeObject): KubeObject {
  const { type, name, namespace } = request.target;
  const object = decoded(request, old);
  const { metadata } = object;
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (!type.namespaced) delete metadata.namespace;
  else if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (metadata.uid !== old.metadata.uid) throw otherUid(type, object);
  return object;
}

/** A patch names no object of its own: another uid is a change of the uid. */
function otherUid(type: ResourceType, { metadata }: KubeObject): Error {
  return invalidObject(type, metadata.name, [invalid('metadata.uid', metadata.uid ?? '', 'field is immutable')]);
}

/** What cannot be read is the patch's fault, not the object's. */
function decoded(request: PatchRequest, old: KubeObject): KubeObject {
  const { target, context } = request;
  const result = patched(request, old);
  try {
    const object = asObject(target.type, result);
    checkFields(target.type, object, context);
    return object;
  } catch (error) {
    if (!isApiError(error, 400)) throw error;
    // What was read has lost its unknown fields by now; the refusal shows it as the patch made it.
    const text = JSON.stringify(patched(request, old));
    const why = error.message.replace(/^.* cannot be handled as an? \w+: /, '');
    throw invalidObject({ group: '', kind: '' }, '', [invalid('patch', text, why)]);
  }
}

async function applyObject(registry: Registry, request: PatchRequest): Promise<PatchOutcome> {
  const { target, context, subresource } = request;
  const applied = appliedObject(request);
  checkApplied(request, applied);
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
  const update = () =>
    updateObject(registry, {
      target,
      subresource,
      context,
      tracksFields: true,
      retries: !namesVersion(applied),
      change: (old) => {
        const { uid } = applied.metadata;
        if (uid && uid !== old.metadata.uid) throw otherUid(target.type, applied);
        return merge(old);
      },
    });
  if (!stored(registry, target)) {
    if (subresource !== '') throw notFound(resourceName(target.type), target.name);
    const { uid } = applied.metadata;
    if (uid) {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(resourceName(target.type), target.name, why);
    }
    delete applied.metadata.resourceVersion;
    try {
      const object = await createObject(registry, target, merge(undefined), context, { tracksFields: true });
      return { kind: 'created', object };
    } catch (error) {
      // Another client has created it meanwhile: the patch is applied to that object.
      if (!isApiError(error, 409) || error.reason !== 'AlreadyExists' || !stored(registry, target)) throw error;
    }
  }
  return update();
}

/** Applying a field claims to own it; no manager can own a field that the kind does not have. */
function checkApplied({ target: { type }, context, text, patch }: PatchRequest, applied: KubeObject): void {
  const warnings: string[] = [];
  checkFields(type, applied, { ...context, warnings, fieldValidation: 'Warn' });
  const unknown = warnings.flatMap((warning) => /^unknown field "(.*)"$/.exec(warning)?.slice(1) ?? []);
  if (unknown.length > 0) {
    const { namespace = '' } = (patch as { metadata?: { namespace?: string } }).metadata ?? {};
    const group = type.group === '' ? `/${type.version}` : `${type.group}/${type.version}`;
    const object = `${namespace}/${applied.metadata.name}; ${group}, Kind=${type.kind}`;
    const problems = unknown.map((field) => `.${field}: field not declared in schema`);
    const list = problems.length === 1 ? problems[0] : `errors:\n${problems.map((text) => `  ${text}`).join('\n')}`;
    throw new ApiError({ code: 500, message: `failed to create typed patch object (${object}): ${list}` });
  }
  checkDuplicates(text, context);
}

function checkDuplicates(text: string, context: WriteContext): void {
  if (context.fieldValidation === 'Ignore') return;
  const duplicates = duplicateKeysOfApplied(text);
  if (context.fieldValidation === 'Warn') context.warnings.push(...duplicates.texts);
  else if (duplicates.texts.length > 0) {
    const problem = strictProblem(duplicates, []);
    throw badRequest(`error strict decoding patch: error converting YAML to JSON: ${problem}`);
  }
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
    const { group, version } = splitApiVersion(String(source['apiVersion'] ?? ''));
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${String(source['kind'] ?? '')}`);
  }
  if (request.context.fieldManager === '') {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
      { type: 'FieldValueRequired', field: 'fieldManager', detail: 'is required for apply patch' },
    ]);
  }
  if (!metadata['name']) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  const named = {
    ...metadata,
    name: metadata['name'],
    ...(type.namespaced ? { namespace: metadata['namespace'] ?? namespace } : {}),
  };
  if (named.name !== name)
    throw badRequest(`the name of the object (${String(named.name)}) does not match the name on the URL (${name})`);
  return asObject(type, { ...source, metadata: named });
}
