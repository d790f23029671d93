import { ApiError, alreadyExists, badRequest, invalidObject } from '../errors.ts';
import { validateMetadata } from '../kinds/builtin/checks/metadata.ts';
import { dnsSubdomainName } from '../kinds/builtin/checks/object-names.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { type KubeObject, objectKey } from '../objects.ts';
import { emptyObject } from '../patch/empty-object.ts';
import { trackUpdate } from '../patch/fields/managed-fields.ts';
import type { Stored } from '../store/store.ts';
import { timestamp } from '../time/clock.ts';
import { randomSuffix, randomUid } from '../time/random.ts';
import { apiVersionOf, convertTo, storageApiVersion, workingType } from './convert.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { mutated, type Registry, resourceName, stored, strategyContext, type Target, validated } from './registry.ts';
import { withInternedFields } from './share.ts';
import { hasGeneration } from './update/generation.ts';
import type { WriteContext } from './write-context.ts';

/** Longest prefix of a generated name: with its suffix it still is a DNS label. */
const maxGeneratedPrefix = 58;

/** Stores a new object. `draft` is the caller's to give away, in the version of the target's type. */
export async function createObject(
  registry: Registry,
  target: Omit<Target, 'name'>,
  draft: KubeObject,
  context: WriteContext,
  options: { readonly tracksFields?: boolean } = {},
): Promise<KubeObject> {
  const working = workingType(registry.types, target.type);
  let object = await convertTo(target.type, draft, apiVersionOf(working));
  checkPlace(object, target);
  dropDuplicateOwners(object, context, 'client');
  working.strategy.applyDefaults?.(object);
  dropSystemFields(object);
  if (!options.tracksFields) track(registry, working, object, context);
  const parts = {
    operation: 'CREATE' as const,
    target: { ...target, name: object.metadata.name },
    oldObject: undefined,
    context,
  };
  object = (await mutated(registry, { ...parts, object }, apiVersionOf(working))) ?? object;
  dropDuplicateOwners(object, context, 'admission');
  working.strategy.applyDefaults?.(object);
  // Those who mutate the object do not know its identity yet, nor its generated name; those who validate it do.
  Object.assign(object.metadata, newIdentity(registry), hasGeneration(working) ? { generation: 1 } : {});
  generateName(registry, target, object);
  working.strategy.prepareForCreate?.(object, strategyContext(registry));
  check(registry, working, object, context);
  registry.hooks.beforeCreate(working, object, context);
  const named = { ...target, name: object.metadata.name };
  await validated(registry, { ...parts, target: named, object });
  return context.dryRun ? dryRun(registry, named, object) : store(registry, named, object);
}

function newIdentity({ random, clock }: Registry): { uid: string; creationTimestamp: string } {
  return { uid: randomUid(random), creationTimestamp: timestamp(clock.now()) };
}

function checkPlace(object: KubeObject, target: Omit<Target, 'name'>): void {
  const { metadata } = object;
  if (target.type.namespaced) {
    metadata.namespace = metadata.namespace || target.namespace;
    if (metadata.namespace !== target.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
  } else {
    // What lives outside namespaces cannot be in one, whatever it says.
    delete metadata.namespace;
  }
  if (metadata.resourceVersion) {
    throw new ApiError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
  }
}

function dropSystemFields({ metadata }: KubeObject): void {
  for (const field of ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink'] as const) {
    delete metadata[field];
  }
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

function track(registry: Registry, type: ResourceType, object: KubeObject, context: WriteContext): void {
  const managedFields = trackUpdate({
    live: undefined,
    next: object,
    manager: context.fieldManager,
    apiVersion: object.apiVersion,
    time: timestamp(registry.clock.now()),
    schema: type.schema,
    ...(type.custom ? {} : { empty: emptyObject(type.schema) }),
    // It is dropped before the object is stored, and what the server puts there itself has no manager.
    ...(type.subresources.has('status') ? { resetFields: [['status']] } : {}),
  });
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
}

/** So many suffixes are tried before a taken name is the client's to know of. */
const maxGeneratedNames = 8;

function generateName(registry: Registry, target: Omit<Target, 'name'>, { metadata }: KubeObject): void {
  if (metadata.name || !metadata.generateName) return;
  const prefix = metadata.generateName.slice(0, maxGeneratedPrefix);
  for (let attempt = 0; attempt < maxGeneratedNames; attempt += 1) {
    metadata.name = prefix + randomSuffix(registry.random);
    if (!stored(registry, { ...target, name: metadata.name })) return;
  }
}

function check(registry: Registry, type: ResourceType, object: KubeObject, context: WriteContext): void {
  const metadataErrors = validateMetadata(object.metadata, {
    namespaced: type.namespaced,
    nameProblem: type.strategy.nameProblem ?? dnsSubdomainName,
  });
  const errors = [...metadataErrors, ...(type.strategy.validate?.(object, strategyContext(registry)) ?? [])];
  if (errors.length > 0) throw invalidObject(type, object.metadata.name || object.metadata.generateName || '', errors);
  context.warnings.push(...(type.strategy.warnings?.(object, undefined) ?? []));
}

async function dryRun(registry: Registry, target: Target, object: KubeObject): Promise<KubeObject> {
  registry.hooks.beforeStore(target.type, object, undefined);
  const present = stored(registry, target);
  if (present) throw taken(target, object, present);
  return convertTo(target.type, object, apiVersionOf(target.type));
}

async function store(registry: Registry, target: Target, object: KubeObject): Promise<KubeObject> {
  const { type, name } = target;
  const kept = withInternedFields(await convertTo(type, object, storageApiVersion(type)));
  const key = objectKey(type.namespaced ? target.namespace : '', name);
  registry.hooks.beforeStore(type, object, undefined);
  const result = registry.store.create(type.key, key, kept);
  if (!result.ok) throw taken(target, object, registry.store.get(type.key, key));
  await registry.store.durable(result.stored.revision);
  return convertTo(type, result.stored.object, apiVersionOf(type));
}

/** Another object has the name, perhaps not for long. */
function taken({ type, name }: Target, { metadata }: KubeObject, present: Stored | undefined): ApiError {
  const { status } = alreadyExists(resourceName(type), name);
  const generated = metadata.generateName
    ? {
        message: `${status.message}, the server was not able to generate a unique name for the object`,
        details: { ...status.details, retryAfterSeconds: 1 },
      }
    : {};
  const message = generated.message ?? status.message;
  const going = present?.object.metadata.deletionTimestamp !== undefined;
  return new ApiError({ ...status, ...generated, message: going ? `object is being deleted: ${message}` : message });
}
