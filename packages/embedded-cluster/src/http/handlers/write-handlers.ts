import { forbidden } from '@holdfast/base/field-errors';
import { ApiError, badRequest, invalidObject } from '../../errors.ts';
import { clone, type KubeObject } from '../../objects.ts';
import { createObject } from '../../registry/create.ts';
import { deleteObject } from '../../registry/delete.ts';
import type { DeletionOptions } from '../../registry/deletion.ts';
import { listObjects } from '../../registry/list.ts';
import { dropDuplicateOwners } from '../../registry/owner-references.ts';
import { type Registry, stored, type Target } from '../../registry/registry.ts';
import { type PatchKind, patchObject } from '../../registry/update/patch.ts';
import { updateObject } from '../../registry/update/update.ts';
import type { WriteContext } from '../../registry/write-context.ts';
import { readAnyBody, readObjectBody, readPatchBody } from '../decode-body.ts';
import { encodeList, encodeObject } from '../encode.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { mediaType } from '../negotiate.ts';
import { managerOf, type OptionsKind, readDeleteOptions, writeContext } from '../options.ts';
import { isTrue } from '../request-info.ts';
import { encodingOf, listQuery } from './read-handlers.ts';

export function contextOf(exchange: Exchange, kind: OptionsKind): WriteContext {
  return writeContext(exchange.user, exchange.query, userAgent(exchange), kind, exchange.warnings);
}

function userAgent(exchange: Exchange): string {
  return exchange.request.headers['user-agent'] ?? '';
}

/** Resources that answer a question instead of being stored. */
export type VirtualCreate = (exchange: Exchange, object: KubeObject, context: WriteContext) => Promise<KubeObject>;

export async function create(
  registry: Registry,
  exchange: Exchange,
  target: Target,
  virtual: VirtualCreate | undefined,
): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type, { tables: virtual === undefined });
  const context = contextOf(exchange, 'CreateOptions');
  const object = await readObjectBody(exchange.request, target.type, context);
  if (virtual) return { code: 201, body: await virtual(exchange, object, context) };
  return { code: 201, body: encodeObject(encoding, await createObject(registry, target, object, context)) };
}

export async function update(
  registry: Registry,
  exchange: Exchange,
  target: Target,
  subresource: string,
): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type);
  const context = contextOf(exchange, 'UpdateOptions');
  const object = await readObjectBody(exchange.request, target.type, context);
  checkName(object, target);
  dropDuplicateOwners(object, context, 'client');
  if (subresource === '' && target.type.strategy.createOnUpdate && !stored(registry, target)) {
    delete object.metadata.resourceVersion;
    return { code: 201, body: encodeObject(encoding, await createObject(registry, target, object, context)) };
  }
  const retries = !object.metadata.resourceVersion;
  const change = () => clone(object);
  const outcome = await updateObject(registry, { target, subresource, context, retries, change });
  return { code: 200, body: encodeObject(encoding, outcome.object) };
}

function checkName(object: KubeObject, target: Target): void {
  const { name, namespace } = object.metadata;
  if (!name)
    throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  if (name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  }
  if (!target.type.namespaced) delete object.metadata.namespace;
  else if (namespace && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

const patchKinds: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
  'application/apply-patch+json': 'apply',
};

function unsupportedPatch(): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  });
}

function forcedPatch(): ApiError {
  return invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    forbidden('force', 'may not be specified for non-apply patch'),
  ]);
}

export async function patch(
  registry: Registry,
  exchange: Exchange,
  target: Target,
  subresource: string,
): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type);
  const contentType = mediaType(exchange.request.headers['content-type']);
  const kind = Object.hasOwn(patchKinds, contentType) ? patchKinds[contentType] : undefined;
  if (kind === undefined) throw unsupportedPatch();
  if (kind !== 'apply' && exchange.query.has('force')) throw forcedPatch();
  const { value, text } = await readPatchBody(exchange.request, kind === 'apply' ? 'yaml' : 'json');
  const base = contextOf(exchange, 'PatchOptions');
  // Who applies must say who they are; for other patches the program's name will do.
  const fieldManager = kind === 'apply' ? base.fieldManager : base.fieldManager || managerOf(userAgent(exchange));
  const outcome = await patchObject(registry, {
    target,
    subresource,
    kind,
    patch: value,
    text,
    force: isTrue(exchange.query.get('force')),
    context: { ...base, fieldManager },
  });
  return { code: outcome.kind === 'created' ? 201 : 200, body: encodeObject(encoding, outcome.object) };
}

/** Kinds whose deletion answers with the object, also when it is gone. */
const returnsDeleted: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

export async function deleteOne(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type);
  const { context, options } = await deletion(exchange);
  const outcome = await deleteObject(registry, { target, options, context });
  if (outcome.kind === 'terminating' || returnsDeleted.has(target.type.key)) {
    return { code: 200, body: encodeObject(encoding, outcome.object) };
  }
  return { code: 200, body: deletedStatus(target, outcome.object) };
}

async function deletion(exchange: Exchange): Promise<{ context: WriteContext; options: DeletionOptions }> {
  const body = readDeleteOptions(await readAnyBody(exchange.request), exchange.query);
  const context = { ...contextOf(exchange, 'DeleteOptions'), dryRun: body.dryRun, options: body.raw };
  return { context, options: body.options };
}

function deletedStatus({ type, name }: Target, object: KubeObject): Record<string, unknown> {
  const group = type.group === '' ? {} : { group: type.group };
  const details = { name, ...group, kind: type.plural, uid: object.metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

export async function deleteCollection(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type);
  const { context, options } = await deletion(exchange);
  const list = listObjects(registry, listQuery(exchange, target));
  for (const { object } of list.items) {
    const one = { ...target, name: object.metadata.name };
    try {
      await deleteObject(registry, { target: one, options, context, inCollection: true });
    } catch (error) {
      // Another client was faster; the caller wanted it deleted, and it is.
      if (stored(registry, one)) throw error;
    }
  }
  return encodeList(encoding, list);
}
