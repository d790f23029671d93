import { matches } from '../../../api/label-selector.ts';
import { celValue } from '../../cel/values.ts';
import { ApiError } from '../../errors.ts';
import { type KubeObject, type ResourceKey, splitApiVersion } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';
import { namespaceOf, type Target } from '../admission-review.ts';
import { refuse } from '../refusal.ts';
import type { ValidatingContext } from '../validating-webhooks.ts';
import { conditionRequest, isExempt, type Scope, scopeOf } from '../webhook-match.ts';
import { type Bindings, evaluatePolicy, type Objection } from './evaluate.ts';
import {
  type Binding,
  compileBinding,
  compilePolicy,
  type Matcher,
  type NamedRule,
  type Policy,
  selectorOf,
} from './policy.ts';

export const policies: ResourceKey = 'admissionregistration.k8s.io/validatingadmissionpolicies';
export const policyBindings: ResourceKey = 'admissionregistration.k8s.io/validatingadmissionpolicybindings';

export interface BoundPolicy {
  readonly policy: Policy;
  readonly binding: Binding;
}

/** Policies with their bindings, compiled once for as long as the stored objects stay what they are. */
export function createPolicySource(view: View): () => readonly BoundPolicy[] {
  const compiledPolicies = new WeakMap<KubeObject, Policy>();
  const compiledBindings = new WeakMap<KubeObject, Binding>();
  return () =>
    view.list(policyBindings).flatMap((stored) => {
      const binding = remembered(compiledBindings, stored, compileBinding);
      const found = view.get(policies, '', binding.policyName);
      return found === undefined ? [] : [{ binding, policy: remembered(compiledPolicies, found, compilePolicy) }];
    });
}

function remembered<T>(known: WeakMap<KubeObject, T>, object: KubeObject, compile: (object: KubeObject) => T): T {
  const value = known.get(object) ?? compile(object);
  known.set(object, value);
  return value;
}

/** Throws the first refusal. What a binding only warns about goes into the warnings; nothing is audited here. */
export async function runPolicies(
  bound: readonly BoundPolicy[],
  request: AdmissionRequest,
  context: ValidatingContext,
): Promise<void> {
  if (bound.length === 0 || isExempt(request)) return;
  for (const { policy, binding } of bound) {
    const scope = inScope(policy.matcher, request, context);
    if (scope.kind === 'refuse') throw scope.error;
    if (scope.kind === 'skip') continue;
    const within = inScope(binding.matcher, request, context);
    if (within.kind === 'refuse') throw within.error;
    if (within.kind === 'skip') continue;
    const inputs = await inputsOf(request, scope.target, context);
    enforce({ policy, binding }, request, objections({ policy, binding }, inputs, request, context));
  }
}

/** Rules that name objects are about those alone. */
function inScope(matcher: Matcher, request: AdmissionRequest, context: ValidatingContext): Scope {
  const named = (rules: readonly NamedRule[]) =>
    rules.filter(({ resourceNames = [] }) => resourceNames.length === 0 || resourceNames.includes(request.name));
  const excluded = { ...matcher, rules: named(matcher.exclude) };
  if (excluded.rules.length > 0 && scopeOf(excluded, request, context).kind === 'call') return { kind: 'skip' };
  return scopeOf({ ...matcher, rules: named(matcher.rules) }, request, context);
}

async function inputsOf(request: AdmissionRequest, target: Target, context: ValidatingContext): Promise<Bindings> {
  const { group, version } = target.kind;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const same = version === request.kind.version && group === request.kind.group;
  const convert = async (object: KubeObject | undefined) =>
    object === undefined || same ? object : context.convert(request.type, object, apiVersion);
  const namespace = request.namespace === '' ? undefined : context.view.get('namespaces', '', namespaceOf(request));
  return {
    object: celValue((await convert(request.object)) ?? null),
    oldObject: celValue((await convert(request.oldObject)) ?? null),
    request: celValue(conditionRequest(request, target)),
    namespaceObject: celValue(namespace ?? null),
  };
}

function objections(
  { policy, binding }: BoundPolicy,
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

/** Every object that the binding names, each of which the policy is applied with; a text: why there are none. */
function paramsFor(
  { apiVersion, kind }: NonNullable<Policy['paramKind']>,
  { paramRef }: Binding,
  request: AdmissionRequest,
  { types, view }: ValidatingContext,
): readonly (KubeObject | null)[] | string {
  if (paramRef === undefined) return [null];
  const { group, version } = splitApiVersion(apiVersion);
  const type = types.byKind(group, version, kind);
  if (type === undefined) return `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`;
  const namespace = type.namespaced ? (paramRef.namespace ?? request.namespace) : undefined;
  const selector = selectorOf(paramRef.selector);
  const found = view
    .list(type.key, namespace)
    .filter(({ metadata }) => paramRef.name === undefined || metadata.name === paramRef.name)
    .filter(({ metadata }) => matches(selector, metadata.labels ?? {}));
  if (found.length > 0 || paramRef.parameterNotFoundAction === 'Allow') return found;
  return 'no params found for policy binding with `Deny` parameterNotFoundAction';
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function enforce({ policy, binding }: BoundPolicy, request: AdmissionRequest, found: readonly Objection[]): void {
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
