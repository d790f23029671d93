import { type FieldError, formatFieldError } from '@holdfast/base/field-errors';
import { type ApiError, conflict, invalidObject, notFound, staleObject } from '../../errors.ts';
import { validateMetadata, validateMetadataUpdate } from '../../kinds/builtin/checks/metadata.ts';
import { dnsSubdomainName } from '../../kinds/builtin/checks/object-names.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import type { KubeObject } from '../../objects.ts';
import type { Stored } from '../../store/store.ts';
import { apiVersionOf, convertTo, storageApiVersion, workingType } from '../convert.ts';
import { isReadyToGo } from '../deletion.ts';
import { dropDuplicateOwners } from '../owner-references.ts';
import { mutated, type Registry, resourceName, stored, strategyContext, type Target, validated } from '../registry.ts';
import { sharedWith } from '../share.ts';
import { sameObject } from './generation.ts';
import { prepare, settle } from './update-draft.ts';
import type { UpdateOutcome, UpdateRequest } from './update-request.ts';

const maxAttempts = 8;

export async function updateObject(registry: Registry, request: UpdateRequest): Promise<UpdateOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptUpdate(registry, request);
    if (outcome !== 'raced') return outcome;
    if (!request.retries || attempt === maxAttempts) throw lostRace(request.target);
  }
}

export function lostRace(target: Target): ApiError {
  return conflict(resourceName(target.type), target.name, staleObject);
}

async function attemptUpdate(registry: Registry, request: UpdateRequest): Promise<UpdateOutcome | 'raced'> {
  const { target, context } = request;
  const current = stored(registry, target);
  if (!current) throw notFound(resourceName(target.type), target.name);
  const working = workingType(registry.types, target.type);
  const workingVersion = apiVersionOf(working);
  const old = await convertTo(target.type, current.object, workingVersion);
  const wanted = await request.change(await convertTo(target.type, old, apiVersionOf(target.type)));
  checkIdentity(request, wanted, current);
  const prepared = prepare(registry, working, request, await convertTo(target.type, wanted, workingVersion), old);
  let draft = prepared;
  const { travelsAs } = request;
  const body = (object: KubeObject) => (travelsAs ? travelsAs.encode(object) : object);
  const parts = {
    operation: 'UPDATE' as const,
    target,
    subresource: travelsAs?.subresource ?? request.subresource,
    ...(travelsAs ? { kind: travelsAs.kind } : {}),
    oldObject: body(old),
    context,
  };
  if (!request.skipAdmission) {
    const admitted = (await mutated(registry, { ...parts, object: body(draft) }, workingVersion)) ?? body(draft);
    draft = travelsAs ? travelsAs.decode(admitted, draft) : admitted;
  }
  dropDuplicateOwners(draft, context, 'admission');
  // What admission left as it was has its defaults, and shares with what is stored.
  if (draft !== prepared) working.strategy.applyDefaults?.(draft);
  draft = settle(registry, working, request, draft, old);
  check(registry, working, request, draft, old);
  registry.hooks.beforeUpdate(working, draft, old, context);
  if (!request.skipAdmission) await validated(registry, { ...parts, object: body(draft) });
  return context.dryRun ? dryRun(registry, target, draft, old) : write(registry, target, current, draft, old);
}

function checkIdentity(request: UpdateRequest, wanted: KubeObject, current: Stored): void {
  const { uid, resourceVersion } = wanted.metadata;
  const { target } = request;
  if (uid && uid !== current.object.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.object.metadata.uid}`;
    throw conflict(resourceName(target.type), target.name, why);
  }
  if (resourceVersion && resourceVersion !== current.object.metadata.resourceVersion) throw lostRace(target);
  if (!resourceVersion && target.type.strategy.requiresResourceVersion) {
    // The real server names the resource where the kind belongs.
    throw invalidObject({ group: target.type.group, kind: target.type.plural }, target.name, [
      {
        type: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        value: 0,
        detail: 'must be specified for an update',
      },
    ]);
  }
}

function check(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  draft: KubeObject,
  old: KubeObject,
): void {
  const { strategy } = type;
  const { subresource } = request;
  const ofMetadata = subresource === '' || subresource === 'status' ? metadataErrors(type, draft, old) : [];
  const ofKind =
    subresource === ''
      ? [
          ...((strategy.ratchets ? undefined : strategy.validate?.(draft, strategyContext(registry))) ?? []),
          ...(strategy.validateUpdate?.(draft, old, strategyContext(registry)) ?? []),
        ]
      : (strategy.validateSubresource?.(subresource, draft, old) ?? []);
  const errors = [...ofMetadata, ...ofKind];
  if (errors.length > 0) throw invalidObject(type, draft.metadata.name, distinct(errors));
  request.context.warnings.push(...(strategy.warnings?.(draft, old) ?? []));
}

function metadataErrors(type: ResourceType, draft: KubeObject, old: KubeObject): readonly FieldError[] {
  const nameProblem = type.strategy.nameProblem ?? dnsSubdomainName;
  return [
    ...validateMetadata(draft.metadata, { namespaced: type.namespaced, nameProblem }),
    ...validateMetadataUpdate(draft.metadata, old.metadata),
  ];
}

/** Labels are checked with the metadata and again with its change; clients are told once. */
function distinct(errors: readonly FieldError[]): readonly FieldError[] {
  const texts = errors.map(formatFieldError);
  return errors.filter((_error, index) => texts.indexOf(texts[index] as string) === index);
}

async function dryRun(registry: Registry, target: Target, draft: KubeObject, old: KubeObject): Promise<UpdateOutcome> {
  registry.hooks.beforeStore(target.type, draft, old);
  return { kind: 'updated', object: await convertTo(target.type, draft, apiVersionOf(target.type)) };
}

async function write(
  registry: Registry,
  target: Target,
  current: Stored,
  draft: KubeObject,
  old: KubeObject,
): Promise<UpdateOutcome | 'raced'> {
  const { store } = registry;
  const { strategy } = target.type;
  if (isReadyToGo(draft, strategy)) {
    const gone = store.remove(current.resource, current.key, current.revision);
    if (!gone.ok) return 'raced';
    await store.durable(gone.stored.revision);
    return { kind: 'removed', object: await convertTo(target.type, draft, apiVersionOf(target.type)) };
  }
  if (sameObject(draft, old)) {
    return { kind: 'unchanged', object: await convertTo(target.type, current.object, apiVersionOf(target.type)) };
  }
  const kept = await convertTo(target.type, draft, storageApiVersion(target.type));
  registry.hooks.beforeStore(target.type, draft, old);
  const result = store.update(current.resource, current.key, sharedWith(kept, current.object), current.revision);
  if (!result.ok) return 'raced';
  await store.durable(result.stored.revision);
  return { kind: 'updated', object: await convertTo(target.type, result.stored.object, apiVersionOf(target.type)) };
}
