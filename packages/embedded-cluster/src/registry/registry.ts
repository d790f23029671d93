import type { Admission, AdmissionRequest, Operation } from '../admission/admission.ts';
import { systemUser } from '../auth/user.ts';
import type { ResourceName } from '../errors.ts';
import type { ResourceType, ResourceTypes } from '../kinds/resource-type.ts';
import type { StrategyContext } from '../kinds/strategy.ts';
import { type KubeObject, objectKey } from '../objects.ts';
import type { Store, Stored } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { apiVersionOf, convertTo } from './convert.ts';
import type { WriteContext } from './write-context.ts';

/** What all verbs share. */
export interface Registry {
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks: RegistryHooks;
  readonly wire: Wire;
}

/** How answers that stay open are written. The network's time is real, also where the cluster's is not, unless there is none. */
export interface Wire {
  readonly clock: Clock;
  /** Milliseconds of waiting for more to write, for each answer that is open. */
  readonly batchMsEach: number;
}

/** What depends on more than the object: a service's address, rights that a role would hand out. Refusals are thrown. */
export interface RegistryHooks {
  beforeCreate(type: ResourceType, draft: KubeObject, context: WriteContext): void;
  beforeUpdate(type: ResourceType, draft: KubeObject, old: KubeObject, context: WriteContext): void;
  /** The last word before a write, in the same turn as the write itself. */
  beforeStore(type: ResourceType, object: KubeObject, old: KubeObject | undefined): void;
}

/** Where in the API something is: a collection, or one object of it. */
export interface Target {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

export function resourceName(type: ResourceType): ResourceName {
  return { group: type.group, resource: type.plural };
}

export function strategyContext(registry: Registry): StrategyContext {
  return {
    clock: registry.clock,
    lookup: (resource, namespace, name) => registry.store.get(resource, objectKey(namespace, name))?.object,
  };
}

export interface AdmissionParts {
  readonly operation: Operation;
  readonly target: Target;
  readonly subresource?: string;
  readonly kind?: AdmissionRequest['kind'];
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly context: WriteContext;
}

/** The request as admission sees it: in the version the client speaks. */
async function admissionRequest(parts: AdmissionParts): Promise<AdmissionRequest> {
  const { type, namespace, name } = parts.target;
  const apiVersion = apiVersionOf(type);
  const own = (parts.kind ?? type).kind === type.kind;
  const convert = async (object: KubeObject | undefined) =>
    object === undefined || !own ? object : convertTo(type, object, apiVersion);
  return {
    operation: parts.operation,
    type,
    subresource: parts.subresource ?? '',
    namespace,
    name,
    kind: parts.kind ?? { group: type.group, version: type.version, kind: type.kind },
    object: await convert(parts.object),
    oldObject: await convert(parts.oldObject),
    options: parts.context.options,
    user: parts.context.user ?? systemUser,
    dryRun: parts.context.dryRun,
    warnings: parts.context.warnings,
  };
}

/** What mutating admission makes of the object, back in the version that is worked on. */
export async function mutated(
  registry: Registry,
  parts: AdmissionParts,
  apiVersion: string,
): Promise<KubeObject | undefined> {
  const request = await admissionRequest(parts);
  const result = await registry.admission.mutate(request);
  if (result === undefined || request.kind.kind !== parts.target.type.kind) return result;
  return convertTo(parts.target.type, result, apiVersion);
}

export async function validated(registry: Registry, parts: AdmissionParts): Promise<void> {
  await registry.admission.validate(await admissionRequest(parts));
}

export function stored(registry: Registry, target: Target): Stored | undefined {
  return registry.store.get(target.type.key, objectKey(target.type.namespaced ? target.namespace : '', target.name));
}
