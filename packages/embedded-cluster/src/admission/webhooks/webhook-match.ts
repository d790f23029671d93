import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import { celValue } from '../../cel/values.ts';
import { type ApiError, forbidden, notFound } from '../../errors.ts';
import type { ResourceType, ResourceTypes } from '../../kinds/resource-type.ts';
import type { KubeObject } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';
import { resourceOf } from '../refusal.ts';
import { type AdmissionTarget, type GroupVersionKind, namespaceOf, requestFields } from './admission-review.ts';
import { evaluateConditions } from './match-conditions.ts';
import { type RuleSubject, ruleMatches } from './rule-match.ts';
import type { Webhook } from './webhook.ts';

export interface MatchContext {
  readonly view: View;
  readonly types: ResourceTypes;
}

/** What decides whether a webhook or a policy is asked about a request. */
export type Matched = Pick<Webhook, 'rules' | 'matchEquivalent' | 'namespaceSelector' | 'objectSelector'>;

/** Objects in the version a webhook wants to see. */
export interface VersionedObjects {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export type Scope =
  | { readonly kind: 'call'; readonly target: AdmissionTarget }
  | { readonly kind: 'skip' }
  | { readonly kind: 'refuse'; readonly error: ApiError };

const skip: Scope = { kind: 'skip' };

/** Whether rules and selectors send the request to the webhook, and in which version. */
export function scopeOf(webhook: Matched, request: AdmissionRequest, context: MatchContext): Scope {
  const inNamespace = namespaceMatches(webhook.namespaceSelector, request, context.view);
  if (inNamespace === false || !objectMatches(webhook.objectSelector, request)) return skip;
  const target = findTarget(webhook, request, context.types);
  if (!target) return skip;
  return inNamespace === true ? { kind: 'call', target } : { kind: 'refuse', error: inNamespace };
}

/** The objects of one request as expressions see them, converted once for all webhooks that are asked about it. */
export class ConditionValues {
  readonly #known = new Map<KubeObject, unknown>();

  of(object: KubeObject | undefined): unknown {
    if (object === undefined) return null;
    const known = this.#known.get(object) ?? celValue(object);
    this.#known.set(object, known);
    return known;
  }
}

/** Whether match conditions let the call happen. Errors go by the webhook's failure policy. */
export function checkConditions(
  webhook: Webhook,
  request: AdmissionRequest,
  target: AdmissionTarget,
  versioned: VersionedObjects,
  values: ConditionValues,
): 'call' | 'skip' | ApiError {
  if (webhook.conditions.length === 0) return 'call';
  const outcome = evaluateConditions(webhook.conditions, {
    object: values.of(versioned.object),
    oldObject: values.of(versioned.oldObject),
    request: celValue(conditionRequest(request, target)),
  });
  if (outcome.kind === 'met') return 'call';
  if (outcome.kind === 'unmet' || webhook.ignoreFailures) return 'skip';
  return forbidden(resourceOf(request), request.name, outcome.message);
}

/** `request` as expressions see it: what is empty is absent, and the objects have variables of their own. */
export function conditionRequest(request: AdmissionRequest, target: AdmissionTarget): Record<string, unknown> {
  const {
    object: _object,
    oldObject: _oldObject,
    ...fields
  } = requestFields('', request, target, {
    object: undefined,
    oldObject: undefined,
  });
  return fields;
}

function namespaceMatches(selector: Selector, request: AdmissionRequest, view: View): boolean | ApiError {
  const aboutNamespace = request.type.key === 'namespaces';
  if (selector.length === 0 || (request.namespace === '' && !aboutNamespace)) return true;
  const incoming = aboutNamespace && request.subresource === '' && request.operation !== 'DELETE';
  if (incoming && request.object) return matches(selector, request.object.metadata.labels ?? {});
  const name = namespaceOf(request);
  const namespace = view.get('namespaces', '', name);
  if (!namespace) return notFound({ group: '', resource: 'namespaces' }, name);
  return matches(selector, namespace.metadata.labels ?? {});
}

function objectMatches(selector: Selector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.length === 0) return true;
  // Options of a CONNECT request have no metadata, and so match no selector.
  const selected = (candidate: KubeObject | undefined) =>
    candidate?.metadata !== undefined && matches(selector, candidate.metadata.labels ?? {});
  return selected(object) || selected(oldObject);
}

function findTarget(webhook: Matched, request: AdmissionRequest, types: ResourceTypes): AdmissionTarget | undefined {
  const subject = subjectOf(request, request.type);
  if (webhook.rules.some((rule) => ruleMatches(rule, subject))) return { type: request.type, kind: request.kind };
  if (!webhook.matchEquivalent) return undefined;
  const others = equivalents(request, types);
  for (const rule of webhook.rules) {
    const type = others.find((other) => ruleMatches(rule, subjectOf(request, other)));
    if (type) return { type, kind: equivalentKind(request, type) };
  }
  return undefined;
}

/** The same resource in its other versions. */
function equivalents({ type, subresource }: AdmissionRequest, types: ResourceTypes): readonly ResourceType[] {
  return types
    .versions(type.key)
    .filter((other) => other.version !== type.version && (subresource === '' || other.subresources.has(subresource)));
}

/** Subresources with a kind of their own (Scale, Eviction) keep it in every version of the resource. */
function equivalentKind(request: AdmissionRequest, type: ResourceType): GroupVersionKind {
  if (request.kind.kind !== request.type.kind || request.kind.group !== request.type.group) return request.kind;
  return { group: type.group, version: type.version, kind: type.kind };
}

function subjectOf(request: AdmissionRequest, type: ResourceType): RuleSubject {
  return {
    operation: request.operation,
    group: type.group,
    version: type.version,
    resource: type.plural,
    subresource: request.subresource,
    clusterScoped: type.key === 'namespaces' || request.namespace === '',
  };
}

const exemptKinds = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Questions about who may do what: a webhook in their way could lock all users out. */
export const virtualResources: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/** Requests that no webhook is ever asked about, so that a broken one can still be removed. */
export function isExempt({ kind, type }: AdmissionRequest): boolean {
  return (
    (kind.group === 'admissionregistration.k8s.io' && exemptKinds.has(kind.kind)) || virtualResources.has(type.key)
  );
}
