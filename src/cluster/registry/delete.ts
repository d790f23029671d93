import { conflict, notFound } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import type { Stored } from '../store/store.ts';
import { apiVersionOf, convertTo } from './convert.ts';
import { type DeletionOptions, planDeletion } from './deletion.ts';
import { mutated, type Registry, resourceName, stored, type Target, validated } from './registry.ts';
import { lostRace } from './update.ts';
import type { WriteContext } from './write-context.ts';

export type DeleteOutcome =
  | { readonly kind: 'removed'; readonly object: KubeObject }
  /** Terminating: a grace period or finalizers hold it. */
  | { readonly kind: 'terminating'; readonly object: KubeObject };

const maxAttempts = 8;

export interface DeleteRequest {
  readonly target: Target;
  readonly options: DeletionOptions;
  readonly context: WriteContext;
  /** An eviction has been admitted already; deletion webhooks are not asked again. */
  readonly skipAdmission?: boolean;
  /** deletecollection names no single object in what webhooks see. */
  readonly inCollection?: boolean;
}

export async function deleteObject(registry: Registry, request: DeleteRequest): Promise<DeleteOutcome> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const current = stored(registry, request.target);
    if (!current) throw notFound(resourceName(request.target.type), request.target.name);
    checkPreconditions(request, current);
    if (!request.skipAdmission) await admit(registry, request, current);
    const outcome = await remove(registry, request, current);
    if (outcome !== 'raced') return outcome;
  }
  throw lostRace(request.target);
}

export function checkPreconditions(request: Pick<DeleteRequest, 'target' | 'options'>, current: Stored): void {
  const { uid, resourceVersion } = request.options;
  const { metadata } = current.object;
  const { type, name } = request.target;
  const of = { group: type.group, resource: type.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(of, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(of, name, why);
  }
}

async function admit(registry: Registry, request: DeleteRequest, current: Stored): Promise<void> {
  const { target, context } = request;
  const apiVersion = apiVersionOf(target.type);
  const oldObject = await convertTo(target.type, current.object, apiVersion);
  const parts = {
    operation: 'DELETE' as const,
    target: request.inCollection ? { ...target, name: '' } : target,
    object: undefined,
    oldObject,
    context,
  };
  await mutated(registry, parts, apiVersion);
  await validated(registry, parts);
}

async function remove(registry: Registry, request: DeleteRequest, admitted: Stored): Promise<DeleteOutcome | 'raced'> {
  const { target, options, context } = request;
  // Webhooks take their time; what they agreed to is the object, not its version, unless the client named one.
  const current = stored(registry, target);
  if (!current || current.object.metadata.uid !== admitted.object.metadata.uid) return 'raced';
  checkPreconditions(request, current);
  const step = planDeletion(current.object, options, target.type.strategy, registry.clock.now());
  const present = async (object: KubeObject) => convertTo(target.type, object, apiVersionOf(target.type));
  if (step.kind === 'pending') return { kind: 'terminating', object: await present(current.object) };
  if (step.kind !== 'remove') {
    const marked = step.kind === 'begin' ? step.object : { ...current.object, metadata: step.metadata };
    if (context.dryRun) return { kind: 'terminating', object: await present(marked) };
    const result = registry.store.update(current.resource, current.key, marked, current.revision);
    if (!result.ok) return 'raced';
    await registry.store.durable(result.stored.revision);
    return { kind: 'terminating', object: await present(result.stored.object) };
  }
  if (context.dryRun) return { kind: 'removed', object: await present(current.object) };
  const result = registry.store.remove(current.resource, current.key, current.revision);
  if (!result.ok) return 'raced';
  await registry.store.durable(result.stored.revision);
  return { kind: 'removed', object: await present(result.stored.object) };
}
