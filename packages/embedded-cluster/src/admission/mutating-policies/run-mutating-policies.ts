import { sameJson } from '@holdfast/base/json';
import { celValue } from '../../cel/values.ts';
import { ApiError } from '../../errors.ts';
import { joinApiVersion, type KubeObject, objectKey, type ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';
import { type BoundPolicy, createBoundSource } from '../policies/bound-policies.ts';
import { inputsOf, matchedVersionOf, type PolicyContext, paramsFor } from '../policies/policy-inputs.ts';
import { refuse } from '../refusal.ts';
import type { AdmissionTarget, GroupVersionKind } from '../webhooks/admission-review.ts';
import type { Reinvocation } from '../webhooks/mutating-webhooks.ts';
import { isExempt } from '../webhooks/webhook-match.ts';
import { mutate } from './mutate.ts';
import { compileMutatingPolicy, type MutatingPolicy } from './mutating-policy.ts';

export const mutatingPolicies: ResourceKey = 'admissionregistration.k8s.io/mutatingadmissionpolicies';
export const mutatingPolicyBindings: ResourceKey = 'admissionregistration.k8s.io/mutatingadmissionpolicybindings';

export type BoundMutation = BoundPolicy<MutatingPolicy>;

export function createMutatingPolicySource(view: View): () => readonly BoundMutation[] {
  const kind = { policies: mutatingPolicies, bindings: mutatingPolicyBindings, compile: compileMutatingPolicy };
  return createBoundSource(view, kind);
}

export interface MutatingPolicyContext extends PolicyContext {
  applyDefaults(kind: GroupVersionKind, draft: KubeObject): void;
}

/** Applies the policies one after the other, each to what the ones before it made of the object. */
export async function runMutatingPolicies(
  bound: readonly BoundMutation[],
  request: AdmissionRequest,
  reinvocation: Reinvocation,
  context: MutatingPolicyContext,
): Promise<KubeObject | undefined> {
  let current = request.object;
  if (bound.length === 0 || isExempt(request)) return current;
  for (const one of bound) {
    if (current === undefined) return undefined;
    const target = matchedVersionOf(one, { ...request, object: current }, context);
    if (target === undefined) continue;
    for (const param of paramsOf(one, request, context)) {
      const key = `policy ${one.policy.name} ${one.binding.name} ${param ? paramKey(param) : ''}`;
      const asked = { id: key, reinvoke: one.policy.reinvoke };
      if (reinvocation.skips(asked)) continue;
      const next = await passThrough(one, { ...request, object: current }, target, param, context);
      if (!sameJson(next, current)) {
        reinvocation.objectChanged();
        reinvocation.changed = true;
      }
      current = next;
      reinvocation.asked(asked);
    }
  }
  return current;
}

function paramKey({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

/** The objects to apply the policy with, one after the other; none where what is missing is ignored. */
function paramsOf(
  { policy, binding }: BoundMutation,
  request: AdmissionRequest,
  context: MutatingPolicyContext,
): readonly (KubeObject | null)[] {
  if (policy.paramKind === undefined) return [null];
  const params = paramsFor(policy.paramKind, binding, request, context);
  if (typeof params !== 'string') return params;
  if (policy.ignoreFailures) return [];
  throw refusal({ policy, binding }, request, `failed to configure binding: ${params}`);
}

/** One policy, in the version that it wants to see. */
async function passThrough(
  bound: BoundMutation,
  request: AdmissionRequest,
  target: AdmissionTarget,
  param: KubeObject | null,
  context: MutatingPolicyContext,
): Promise<KubeObject> {
  const { policy } = bound;
  const before = request.object as KubeObject;
  const apiVersion = joinApiVersion(target.kind.group, target.kind.version);
  const converts = before.apiVersion !== apiVersion;
  const inputs = await inputsOf(request, target, context);
  const outcome = mutate(policy, {
    object: converts ? await context.convert(request.type, before, apiVersion) : before,
    schema: target.type.schema,
    inputs: policy.paramKind === undefined ? inputs : { ...inputs, params: celValue(param) },
    complete: (object) => context.applyDefaults(target.kind, object),
  });
  if (outcome.kind === 'mutated') {
    return converts ? context.convert(request.type, outcome.object, before.apiVersion) : outcome.object;
  }
  if (outcome.kind === 'untouched' || policy.ignoreFailures) return before;
  throw refusal(bound, request, outcome.message);
}

function refusal({ policy, binding }: BoundMutation, request: AdmissionRequest, why: string): ApiError {
  const text = `policy '${policy.name}' with binding '${binding.name}' denied request: ${why}`;
  // A code of one kind with the reason of another, as the real server has it.
  return new ApiError({ ...refuse(request, text).status, reason: 'Invalid' });
}
