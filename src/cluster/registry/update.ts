import { type ApiError, conflict, invalidObject, notFound, staleObject } from '../errors.ts';
import { validateMetadata, validateMetadataUpdate } from '../kinds/builtin/metadata.ts';
import { dnsSubdomainName } from '../kinds/builtin/names.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { clone, type KubeObject } from '../objects.ts';
import { trackUpdate } from '../patch/managed-fields.ts';
import type { Stored } from '../store/store.ts';
import { timestamp } from '../time/clock.ts';
import { apiVersionOf, convertTo, storageApiVersion, workingType } from './convert.ts';
import { isReadyToGo } from './deletion.ts';
import { hasGeneration, sameObject, specificationChanged } from './generation.ts';
import { mutated, type Registry, resourceName, stored, strategyContext, type Target, validated } from './registry.ts';
import { withSubresourceOnly } from './subresource-fields.ts';
import type { WriteContext } from './write-context.ts';

export interface UpdateRequest {
  readonly target: Target;
  /** '', or a subresource that is a part of the object: status, resize, ephemeralcontainers, finalize. */
  readonly subresource: string;
  readonly context: WriteContext;
  /** From the newest state to what is wanted, in the version of the target's type; may be called again after a lost race. */
  change(old: KubeObject): KubeObject | Promise<KubeObject>;
  /** The request has been admitted in another shape already. */
  readonly skipAdmission?: boolean;
  /** What travels is not the object itself but a view of it: the Scale of a Deployment. */
  readonly travelsAs?: TravelsAs;
  /** The change says itself who owns which field (server-side apply). */
  readonly tracksFields?: boolean;
  /** A lost race is the client's to know of: it named the version it wants to replace. Else we try again. */
  readonly retries: boolean;
}

/** How admission sees a request whose body is another kind than the resource's own. */
export interface TravelsAs {
  readonly subresource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  encode(object: KubeObject): KubeObject;
  /** What admission made of it, put back into the object. */
  decode(body: KubeObject, object: KubeObject): KubeObject;
}

export type UpdateOutcome =
  | { readonly kind: 'updated'; readonly object: KubeObject }
  | { readonly kind: 'unchanged'; readonly object: KubeObject }
  /** The last finalizer went, and with it the object. */
  | { readonly kind: 'removed'; readonly object: KubeObject };

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
  let draft = prepare(registry, working, request, await convertTo(target.type, wanted, workingVersion), old);
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
  draft = settle(registry, working, request, draft, old);
  check(registry, working, request, draft, old);
  registry.hooks.beforeUpdate(working, draft, old, context);
  if (!request.skipAdmission) await validated(registry, { ...parts, object: body(draft) });
  return context.dryRun ? dryRun(target, draft) : write(registry, target, current, draft, old);
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
    throw invalidObject(target.type, target.name, [
      {
        type: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        value: 0,
        detail: 'must be specified for an update',
      },
    ]);
  }
}

/** What is wanted, with everything out of the request's reach as it was; who owns which field is decided here. */
function prepare(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  wanted: KubeObject,
  old: KubeObject,
): KubeObject {
  // What is wanted may share parts with what is there, which nobody may change.
  const copy = wanted === old ? clone(old) : { ...wanted, metadata: { ...wanted.metadata } };
  type.strategy.applyDefaults?.(copy);
  const draft = confine(type, request.subresource, copy, old);
  if (!request.tracksFields) track(registry, type, request, draft, old);
  return draft;
}

/** After admission, which may have changed anything: what only the server may say is said by it, and by the kind. */
function settle(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  admitted: KubeObject,
  old: KubeObject,
): KubeObject {
  const { subresource } = request;
  type.strategy.applyDefaults?.(admitted);
  const draft = confine(type, subresource, admitted, old);
  const context = strategyContext(registry);
  if (subresource === '') type.strategy.prepareForUpdate?.(draft, old, context);
  else type.strategy.prepareForSubresource?.(subresource, draft, old, context);
  if (subresource !== 'status') bumpGeneration(type, draft, old);
  return draft;
}

function confine(type: ResourceType, subresource: string, draft: KubeObject, old: KubeObject): KubeObject {
  keepSystemFields(draft, old);
  if (subresource !== '') return withSubresourceOnly(type, subresource, draft, old);
  if (type.subresources.has('status')) keepField(draft, old, 'status');
  if (hasGeneration(type)) draft.metadata.generation = old.metadata.generation ?? 1;
  else delete draft.metadata.generation;
  return draft;
}

function keepSystemFields(draft: KubeObject, old: KubeObject): void {
  const { metadata } = draft;
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old.metadata[field] });
  }
  metadata.name = metadata.name || old.metadata.name;
  if (old.metadata.namespace !== undefined) metadata.namespace = metadata.namespace || old.metadata.namespace;
  metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  delete metadata.selfLink;
}

function keepField(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = old[field];
}

function bumpGeneration(type: ResourceType, draft: KubeObject, old: KubeObject): void {
  if (!hasGeneration(type)) return;
  const before = old.metadata.generation ?? 1;
  draft.metadata.generation = specificationChanged(type, draft, old) ? before + 1 : before;
}

function track(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  draft: KubeObject,
  old: KubeObject,
): void {
  const managedFields = trackUpdate({
    live: old,
    next: draft,
    manager: request.context.fieldManager,
    apiVersion: draft.apiVersion,
    ...(request.subresource === '' ? {} : { subresource: request.subresource }),
    time: timestamp(registry.clock.now()),
    schema: type.schema,
  });
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
  else delete draft.metadata.managedFields;
}

function check(
  registry: Registry,
  type: ResourceType,
  request: UpdateRequest,
  draft: KubeObject,
  old: KubeObject,
): void {
  const { strategy } = type;
  const errors =
    request.subresource === ''
      ? [
          ...validateMetadata(draft.metadata, {
            namespaced: type.namespaced,
            nameProblem: strategy.nameProblem ?? dnsSubdomainName,
          }),
          ...validateMetadataUpdate(draft.metadata, old.metadata),
          ...(strategy.validate?.(draft, strategyContext(registry)) ?? []),
          ...(strategy.validateUpdate?.(draft, old, strategyContext(registry)) ?? []),
        ]
      : (strategy.validateSubresource?.(request.subresource, draft, old) ?? []);
  if (errors.length > 0) throw invalidObject(type, draft.metadata.name, errors);
  request.context.warnings.push(...(strategy.warnings?.(draft, old) ?? []));
}

async function dryRun(target: Target, draft: KubeObject): Promise<UpdateOutcome> {
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
  if (isReadyToGo(draft, strategy) && !isReadyToGo(old, strategy)) {
    const gone = store.remove(current.resource, current.key, current.revision);
    if (!gone.ok) return 'raced';
    await store.durable(gone.stored.revision);
    return { kind: 'removed', object: await convertTo(target.type, draft, apiVersionOf(target.type)) };
  }
  if (sameObject(draft, old)) {
    return { kind: 'unchanged', object: await convertTo(target.type, current.object, apiVersionOf(target.type)) };
  }
  const kept = await convertTo(target.type, draft, storageApiVersion(target.type));
  const result = store.update(
    current.resource,
    current.key,
    kept === current.object ? clone(kept) : kept,
    current.revision,
  );
  if (!result.ok) return 'raced';
  await store.durable(result.stored.revision);
  return { kind: 'updated', object: await convertTo(target.type, result.stored.object, apiVersionOf(target.type)) };
}
