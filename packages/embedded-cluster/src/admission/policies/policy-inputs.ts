import { matches } from '@holdfast/base/labels/label-selector';
import { celValue } from '../../cel/values.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import { type KubeObject, splitApiVersion } from '../../objects.ts';
import type { AdmissionRequest } from '../admission.ts';
import { type AdmissionTarget, namespaceOf } from '../webhooks/admission-review.ts';
import { conditionRequest, type MatchContext, type Scope, scopeOf } from '../webhooks/webhook-match.ts';
import type { BoundPolicy } from './bound-policies.ts';
import type { Bindings } from './evaluate.ts';
import { type Binding, type NamedRule, type PolicyFrame, policySelectorOf, type RequestMatcher } from './policy.ts';

export interface PolicyContext extends MatchContext {
  convert(type: ResourceType, object: KubeObject, apiVersion: string): Promise<KubeObject>;
}

/** In which version the policy wants to see the request; undefined where it or its binding is about something else. */
export function matchedVersionOf(
  { policy, binding }: BoundPolicy<PolicyFrame>,
  request: AdmissionRequest,
  context: PolicyContext,
): AdmissionTarget | undefined {
  const scope = inScope(policy.matcher, request, context);
  if (scope.kind === 'refuse') throw scope.error;
  if (scope.kind === 'skip') return undefined;
  const within = inScope(binding.matcher, request, context);
  if (within.kind === 'refuse') throw within.error;
  return within.kind === 'skip' ? undefined : scope.target;
}

/** Rules that name objects are about those alone. */
function inScope(matcher: RequestMatcher, request: AdmissionRequest, context: PolicyContext): Scope {
  const named = (rules: readonly NamedRule[]) =>
    rules.filter(({ resourceNames = [] }) => resourceNames.length === 0 || resourceNames.includes(request.name));
  const excluded = { ...matcher, rules: named(matcher.exclude) };
  if (excluded.rules.length > 0 && scopeOf(excluded, request, context).kind === 'call') return { kind: 'skip' };
  return scopeOf({ ...matcher, rules: named(matcher.rules) }, request, context);
}

export async function inputsOf(
  request: AdmissionRequest,
  target: AdmissionTarget,
  context: PolicyContext,
): Promise<Bindings> {
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

/** Every object that the binding names, each of which the policy is applied with; a text: why there are none. */
export function paramsFor(
  { apiVersion, kind }: NonNullable<PolicyFrame['paramKind']>,
  { paramRef }: Binding,
  request: AdmissionRequest,
  { types, view }: PolicyContext,
): readonly (KubeObject | null)[] | string {
  if (paramRef === undefined) return [null];
  const { group, version } = splitApiVersion(apiVersion);
  const type = types.byKind(group, version, kind);
  if (type === undefined) return `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`;
  const namespace = type.namespaced ? (paramRef.namespace ?? request.namespace) : undefined;
  const selector = policySelectorOf(paramRef.selector);
  const found = view
    .list(type.key, namespace)
    .filter(({ metadata }) => paramRef.name === undefined || metadata.name === paramRef.name)
    .filter(({ metadata }) => matches(selector, metadata.labels ?? {}));
  if (found.length > 0 || paramRef.parameterNotFoundAction === 'Allow') return found;
  return 'no params found for policy binding with `Deny` parameterNotFoundAction';
}
