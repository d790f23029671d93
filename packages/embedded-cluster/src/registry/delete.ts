import { conflict, notFound } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import type { Stored } from '../store/store.ts';
import { apiVersionOf, convertTo } from './convert.ts';
import { type DeletionOptions, type DeletionStep, planDeletion } from './deletion.ts';
import { mutated, type Registry, resourceName, stored, type Target, validated } from './registry.ts';
import { lostRace } from './update/update.ts';
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
    if (!request.skipAdmission && plan(registry, request, current).kind !== 'pending') {
      await admit(registry, request, current);
    }
    const result = await remove(registry, request, current);
    if (result !== 'raced') return result;
  }
  throw lostRace(request.target);
}

function plan(registry: Registry, { target, options }: DeleteRequest, { object }: Stored): DeletionStep {
  return planDeletion(object, options, target.type.strategy, registry.clock.now());
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
  const { target, context } = request;
  // Webhooks take their time; what they agreed to is the object, not its version, unless the client named one.
  const current = stored(registry, target);
  if (!current || !isSame(current, admitted)) return 'raced';
  checkPreconditions(request, current);
  const step = plan(registry, request, current);
  if (step.kind === 'pending') return outcome('terminating', target, current.object);
  if (step.kind === 'remove') {
    if (context.dryRun) return outcome('removed', target, current.object);
    return erase(registry, target, current);
  }
  const kind = step.kind === 'markAndRemove' ? 'removed' : 'terminating';
  const marked = step.kind === 'begin' ? step.object : { ...current.object, metadata: step.metadata };
  if (context.dryRun) return outcome(kind, target, marked);
  if (marked.metadata === current.object.metadata) return outcome(kind, target, current.object);
  const result = registry.store.update(current.resource, current.key, marked, current.revision);
  if (!result.ok) return 'raced';
  if (kind === 'removed') return removeMarked(registry, request, result.stored);
  await registry.store.durable(result.stored.revision);
  return outcome(kind, target, result.stored.object);
}

function isSame(left: Stored, right: Stored): boolean {
  return left.object.metadata.uid === right.object.metadata.uid;
}

/** The second half of a deletion without grace: webhooks are asked once more, about the object as it now is. */
async function removeMarked(registry: Registry, request: DeleteRequest, marked: Stored): Promise<DeleteOutcome> {
  const { target, options } = request;
  if (!request.skipAdmission) await admit(registry, request, marked);
  const current = stored(registry, target);
  // A faster client did what was wanted.
  if (!current || !isSame(current, marked)) return outcome('removed', target, marked.object);
  const versioned = options.resourceVersion === undefined ? {} : { resourceVersion: String(marked.revision) };
  checkPreconditions({ target, options: { ...options, ...versioned } }, current);
  return erase(registry, target, current);
}

/** Nothing happens between reading `current` and this: it cannot be stale. */
async function erase(registry: Registry, target: Target, current: Stored): Promise<DeleteOutcome> {
  const result = registry.store.remove(current.resource, current.key, current.revision);
  if (!result.ok) throw lostRace(target);
  await registry.store.durable(result.stored.revision);
  return outcome('removed', target, result.stored.object);
}

async function outcome(kind: DeleteOutcome['kind'], { type }: Target, object: KubeObject): Promise<DeleteOutcome> {
  return { kind, object: await convertTo(type, object, apiVersionOf(type)) };
}
