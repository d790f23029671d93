import { matches, parseSelector } from '@holdfast/base/labels/label-selector';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { systemUser } from '../auth/user.ts';
import { ApiError, badRequest, conflict, invalidObject, isApiError, notFound } from '../errors.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { checkPreconditions, deleteObject } from '../registry/delete.ts';
import type { DeletionOptions } from '../registry/deletion.ts';
import { mutated, type Registry, resourceName, stored, type Target, validated } from '../registry/registry.ts';
import { lostRace, updateObject } from '../registry/update/update.ts';
import type { WriteContext } from '../registry/write-context.ts';
import type { Stored } from '../store/store.ts';
import { sleep, timestamp } from '../time/clock.ts';
import { checkAndDecrement, stillProcessing } from './pdb-check.ts';
import { disruptionTargeted } from './pod-condition.ts';

const budgets = 'policy/poddisruptionbudgets';
const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };

const maxAttempts = 20;
const retryMs = 500;

interface EvictionRequest {
  readonly registry: Registry;
  readonly target: Target;
  readonly context: WriteContext;
  readonly options: DeletionOptions;
}

/** POST pods/NAME/eviction: admission, then the budget, then the pod goes; in this order, because webhooks rely on it. */
export async function evict(
  registry: Registry,
  target: Target,
  eviction: KubeObject,
  context: WriteContext,
  readOptions: (source: JsonObject) => { readonly options: DeletionOptions; readonly dryRun: boolean },
): Promise<void> {
  const parts = {
    operation: 'CREATE' as const,
    target,
    subresource: 'eviction',
    kind: evictionKind,
    oldObject: undefined,
    context,
  };
  const admitted = (await mutated(registry, { ...parts, object: eviction }, eviction.apiVersion)) ?? eviction;
  if (admitted.metadata.name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const source = (admitted['deleteOptions'] ?? {}) as JsonObject;
  refuseBreaking(source, target.name);
  refuseOtherDryRun(source, context.dryRun);
  const { options, dryRun } = readOptions(source);
  // Webhooks learn of a dry run that only the body asks for by reading the body: the review's flag is the query's.
  await validated(registry, { ...parts, object: withDryRun(admitted, context.dryRun) });
  const request: EvictionRequest = {
    registry,
    target,
    options,
    context: { ...context, dryRun: context.dryRun || dryRun },
  };
  if (await deletedWithoutBudget(request)) return;
  await deletedWithinBudget(request);
}

function refuseBreaking(source: JsonObject, name: string): void {
  if (source['ignoreStoreReadErrorWithClusterBreakingPotential'] !== true) return;
  throw invalidObject({ group: 'policy', kind: 'Eviction' }, name, [
    {
      type: 'FieldValueInvalid',
      field: 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential',
      value: true,
      detail: 'can not be set for pod eviction, try after removing the option',
    },
  ]);
}

/** Query and body may each ask for a dry run; what they must not do is disagree. */
function refuseOtherDryRun(source: JsonObject, dryRun: boolean): void {
  const inBody = source['dryRun'];
  if (!dryRun || !Array.isArray(inBody) || inBody.length === 0) return;
  if (inBody.length === 1 && inBody[0] === 'All') return;
  const message = `Non-matching dry-run options in request and content: [All] and [${inBody.join(' ')}]`;
  throw new ApiError({ code: 500, message });
}

/** Options that come without a dry run get the query's: those who validate the eviction see it in both places. */
function withDryRun(eviction: KubeObject, dryRun: boolean): KubeObject {
  const source = eviction['deleteOptions'] as JsonObject | null | undefined;
  if (!dryRun || source === undefined || source === null) return eviction;
  return { ...eviction, deleteOptions: { ...source, dryRun: ['All'] } };
}

function readPod(request: EvictionRequest): Stored {
  const current = stored(request.registry, request.target);
  if (!current) throw notFound(resourceName(request.target.type), request.target.name);
  return current;
}

/** Pods that serve nothing: finished, not started, or on their way out. Budgets have no say. */
function canIgnoreBudgets(pod: Pod): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending') return true;
  return pod.metadata?.deletionTimestamp !== undefined;
}

async function deletedWithoutBudget(request: EvictionRequest): Promise<boolean> {
  const retries = request.options.resourceVersion === undefined;
  for (let attempt = 1; ; attempt += 1) {
    const current = readPod(request);
    const pod = current.object as unknown as Pod;
    if (!canIgnoreBudgets(pod)) return false;
    try {
      await markAndDelete(request, current, pendingPrecondition(request, pod));
      return true;
    } catch (error) {
      if (!isApiError(error, 409) || !retries || attempt === maxAttempts) throw error;
    }
    await sleep(request.registry.clock, retryMs);
  }
}

/** A pending pod may start meanwhile, and then its budget counts: it goes only as the pod that was looked at. */
function pendingPrecondition(request: EvictionRequest, pod: Pod): DeletionOptions {
  const pending = pod.status?.phase === 'Pending' && pod.metadata?.deletionTimestamp === undefined;
  if (!pending || request.options.resourceVersion !== undefined) return request.options;
  return { ...request.options, resourceVersion: pod.metadata?.resourceVersion ?? '' };
}

async function deletedWithinBudget(request: EvictionRequest): Promise<void> {
  const current = readPod(request);
  const pod = current.object as unknown as Pod;
  const over = budgetsOver(request.registry, current.object);
  if (over.length > 1) throw tooManyBudgets();
  const budget = over[0];
  if (!budget) return markAndDelete(request, current, request.options);
  if (isFreeToGo(pod, budget)) return deleteFree(request, current, budget);
  await spendBudget(request, budget.metadata?.name ?? '');
  await markAndDelete(request, readPod(request), request.options);
}

function tooManyBudgets(): ApiError {
  return new ApiError({
    code: 500,
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  });
}

/** Budgets that select the pod. A selector that cannot be read selects nothing. */
function budgetsOver(registry: Registry, pod: KubeObject): PodDisruptionBudget[] {
  const { namespace, labels } = pod.metadata;
  const over: PodDisruptionBudget[] = [];
  for (const { object } of registry.store.list(budgets, namespace)) {
    const budget = object as unknown as PodDisruptionBudget;
    const selector = budget.spec?.selector;
    if (selector === undefined || selector === null) continue;
    const parsed = parseSelector(selector, 'spec.selector');
    if (parsed.ok && matches(parsed.value, labels ?? {})) over.push(budget);
  }
  return over;
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** A pod that does not serve costs its budget nothing, if the budget's policy for such pods says so. */
function isFreeToGo(pod: Pod, budget: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** It goes only as the pod that was looked at, whatever version the client named. */
async function deleteFree(request: EvictionRequest, current: Stored, budget: PodDisruptionBudget): Promise<void> {
  const asked = request.options.resourceVersion;
  const resourceVersion = current.object.metadata.resourceVersion ?? '';
  try {
    await markAndDelete(request, current, { ...request.options, resourceVersion });
  } catch (error) {
    if (isApiError(error, 409) && asked === undefined) throw stillProcessing(budget.metadata?.name ?? '');
    throw error;
  }
}

/** Takes one from the budget's counter with a compare-and-swap; who loses the race reads again. */
async function spendBudget(request: EvictionRequest, name: string): Promise<void> {
  const { registry, target, context } = request;
  const type = registry.types.storage(budgets);
  if (!type) throw new Error('pod disruption budgets are not served');
  for (let attempt = 1; ; attempt += 1) {
    const current = registry.store.get(budgets, `${target.namespace}/${name}`);
    if (!current) throw notFound({ group: 'policy', resource: 'poddisruptionbudgets' }, name);
    const check = checkAndDecrement(
      current.object as unknown as PodDisruptionBudget,
      target.name,
      timestamp(registry.clock.now()),
    );
    if (check.kind === 'refused') throw check.error;
    if (context.dryRun) return;
    try {
      await updateObject(registry, {
        target: { type, namespace: target.namespace, name },
        subresource: 'status',
        context: {
          ...context,
          user: systemUser,
          // Warnings about the budget are not shown to the client that evicts the pod.
          warnings: [],
          fieldManager: 'kube-apiserver',
          options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
        },
        retries: false,
        change: () => ({ ...current.object, status: check.status }),
      });
      return;
    } catch (error) {
      if (!isApiError(error, 409) || attempt === maxAttempts) throw error;
    }
    await sleep(registry.clock, retryMs);
  }
}

/** Says on the pod why it goes, and deletes it. No webhook for pods is asked: the eviction has been admitted. */
async function markAndDelete(request: EvictionRequest, current: Stored, options: DeletionOptions): Promise<void> {
  const { registry, target, context } = request;
  if (context.dryRun) {
    await deleteObject(registry, { target, options, context, skipAdmission: true });
    return;
  }
  checkPreconditions({ target, options }, current);
  const marked = disruptionTargeted(current.object, timestamp(registry.clock.now()));
  const latest = marked === current.object ? current : write(request, current, marked);
  const resourceVersion = options.resourceVersion === undefined ? {} : { resourceVersion: String(latest.revision) };
  await deleteObject(registry, { target, options: { ...options, ...resourceVersion }, context, skipAdmission: true });
  await registry.store.durable(latest.revision);
}

function write({ registry, target }: EvictionRequest, current: Stored, marked: KubeObject): Stored {
  const written = registry.store.update(current.resource, current.key, marked, current.revision);
  if (written.ok) return written.stored;
  throw written.why === 'stale' ? lostRace(target) : conflict(resourceName(target.type), target.name, 'it is gone');
}
