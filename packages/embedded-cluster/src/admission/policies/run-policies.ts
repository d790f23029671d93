import { celValue } from '../../cel/values.ts';
import { ApiError } from '../../errors.ts';
import type { ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';
import { refuse } from '../refusal.ts';
import type { ValidatingContext } from '../webhooks/validating-webhooks.ts';
import { isExempt } from '../webhooks/webhook-match.ts';
import { type BoundPolicy, createBoundSource } from './bound-policies.ts';
import { type Bindings, evaluatePolicy, type Objection } from './evaluate.ts';
import { compilePolicy, type Policy } from './policy.ts';
import { inputsOf, matchedVersionOf, paramsFor } from './policy-inputs.ts';

export const policies: ResourceKey = 'admissionregistration.k8s.io/validatingadmissionpolicies';
export const policyBindings: ResourceKey = 'admissionregistration.k8s.io/validatingadmissionpolicybindings';

type BoundValidation = BoundPolicy<Policy>;

export function createPolicySource(view: View): () => readonly BoundValidation[] {
  return createBoundSource(view, { policies, bindings: policyBindings, compile: compilePolicy });
}

/** Throws the first refusal. What a binding only warns about goes into the warnings; nothing is audited here. */
export async function runPolicies(
  bound: readonly BoundValidation[],
  request: AdmissionRequest,
  context: ValidatingContext,
): Promise<void> {
  if (bound.length === 0 || isExempt(request)) return;
  for (const one of bound) {
    const target = matchedVersionOf(one, request, context);
    if (target === undefined) continue;
    const inputs = await inputsOf(request, target, context);
    enforce(one, request, objections(one, inputs, request, context));
  }
}

function objections(
  { policy, binding }: BoundValidation,
  inputs: Bindings,
  request: AdmissionRequest,
  context: ValidatingContext,
): readonly Objection[] {
  if (policy.paramKind === undefined) return evaluatePolicy(policy, inputs);
  const params = paramsFor(policy.paramKind, binding, request, context);
  if (typeof params === 'string') {
    return policy.ignoreFailures ? [] : [{ message: `failed to configure binding: ${params}`, reason: 'Invalid' }];
  }
  return params.flatMap((param) => evaluatePolicy(policy, { ...inputs, params: celValue(param) }));
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function enforce({ policy, binding }: BoundValidation, request: AdmissionRequest, found: readonly Objection[]): void {
  const about = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
  if (binding.actions.includes('Warn')) {
    request.warnings.push(...found.map(({ message }) => `Validation failed for ${about}: ${message}`));
  }
  const [first] = found;
  if (first === undefined || !binding.actions.includes('Deny')) return;
  const text = `${about} denied request: ${first.message}`;
  const { status } = refuse(request, text, [{ message: text }]);
  throw new ApiError({ ...status, reason: first.reason, code: codes[first.reason] ?? 422 });
}
