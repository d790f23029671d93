import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { badRequest, invalidObject } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import { timestamp } from '../time/clock.ts';
import { aggregate, type RbacAuthorizer } from './rbac/rbac.ts';
import type { PolicyRule } from './rbac/rbac-objects.ts';
import { userInfo } from './tokens/token-review.ts';
import type { Attributes, User } from './user.ts';

export interface ReviewContext {
  /** Who asks. */
  readonly user: User;
  readonly authorizer: RbacAuthorizer;
  /** From the path; '' where there is none. */
  readonly namespace: string;
  readonly nowMs: number;
}

interface AccessSpec {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: Fields | null;
  readonly nonResourceAttributes?: Fields | null;
}

/** Answers one of the questions about access; undefined for any other kind. Refusals are thrown as ApiError. */
export function review(object: KubeObject, context: ReviewContext): KubeObject | undefined {
  switch (object.kind) {
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
    case 'SelfSubjectAccessReview':
      return reviewAccess(object, context);
    case 'SelfSubjectRulesReview':
      return reviewRules(object, context);
    case 'SelfSubjectReview':
      return {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: { creationTimestamp: timestamp(context.nowMs) } as KubeObject['metadata'],
        status: { userInfo: userInfo(context.user) },
      };
    default:
      return undefined;
  }
}

function reviewAccess(object: KubeObject, { user, authorizer, namespace }: ReviewContext): KubeObject {
  const spec = (object['spec'] ?? {}) as AccessSpec;
  const errors = accessErrors(object, spec);
  if (errors.length > 0) throw invalidObject({ group: 'authorization.k8s.io', kind: object.kind }, '', errors);
  if (object.kind === 'LocalSubjectAccessReview') checkNamespace(object, namespace);
  const asked = attributesOf(spec, object.kind === 'SelfSubjectAccessReview' ? user : subjectOf(spec));
  const { allowed, reason } = authorizer.decide(asked);
  return { ...object, status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

function accessErrors(object: KubeObject, spec: AccessSpec): readonly FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const errors: FieldError[] = [];
  if (isObject(resource) === isObject(path)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalid('spec', path ?? null, why));
  }
  if (object.kind !== 'SelfSubjectAccessReview' && !spec.user && !spec.groups?.length) {
    errors.push(invalid('spec.user', spec.user ?? '', 'at least one of user or group must be specified'));
  }
  if (isObject(resource)) {
    errors.push(...selectorErrors(resource['fieldSelector'], 'spec.resourceAttributes.fieldSelector'));
    errors.push(...selectorErrors(resource['labelSelector'], 'spec.resourceAttributes.labelSelector'));
  }
  return [
    ...errors,
    ...metadataErrors(object),
    ...(object.kind === 'LocalSubjectAccessReview' ? localErrors(object, spec) : []),
  ];
}

function selectorErrors(selector: unknown, field: string): readonly FieldError[] {
  if (!isObject(selector)) return [];
  const raw = selector['rawSelector'];
  const hasRequirements = Array.isArray(selector['requirements']) && selector['requirements'].length > 0;
  if (raw && hasRequirements) {
    return [invalid(`${field}.rawSelector`, raw, 'may not specified at the same time as requirements')];
  }
  if (raw || hasRequirements) return [];
  return [required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`)];
}

/** Reviews are not kept, so there is nothing for metadata to say. */
function metadataErrors(object: KubeObject): readonly FieldError[] {
  const local = object.kind === 'LocalSubjectAccessReview';
  const ignored = local ? ['managedFields', 'namespace'] : ['managedFields'];
  const metadata: Fields = isObject(object.metadata) ? { ...object.metadata } : {};
  const empty = Object.entries(metadata).every(([field, value]) => ignored.includes(field) || isEmpty(value));
  if (empty) return [];
  return [invalid('metadata', metadata, local ? 'must be empty except for namespace' : 'must be empty')];
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0;
}

function localErrors(object: KubeObject, spec: AccessSpec): readonly FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const within = isObject(resource) ? text(resource['namespace']) : undefined;
  return [
    ...(within === undefined || within === (object.metadata?.namespace ?? '')
      ? []
      : [invalid('spec.resourceAttributes.namespace', within, 'must match metadata.namespace')]),
    ...(isObject(path) ? [invalid('spec.nonResourceAttributes', path, 'disallowed on this kind of request')] : []),
  ];
}

function checkNamespace(object: KubeObject, namespace: string): void {
  if (namespace === '') throw badRequest('namespace is required on this type: ');
  if (object.metadata.namespace === namespace) return;
  throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
}

function subjectOf({ user = '', groups = [], uid, extra }: AccessSpec): User {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec, user: User): Attributes {
  if (!isObject(resourceAttributes)) {
    return { user, verb: text(nonResourceAttributes?.['verb']), path: text(nonResourceAttributes?.['path']) };
  }
  const read = (field: string) => text(resourceAttributes[field]);
  return {
    user,
    verb: read('verb'),
    group: read('group'),
    version: read('version') || '*',
    resource: read('resource'),
    subresource: read('subresource'),
    namespace: read('namespace'),
    name: read('name'),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function reviewRules(object: KubeObject, { user, authorizer }: ReviewContext): KubeObject {
  const namespace = text((object['spec'] as Fields | undefined)?.['namespace']);
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, errors } = authorizer.rulesFor(user, namespace);
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {} as KubeObject['metadata'],
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => rule.resources).map(resourceRule),
      nonResourceRules: rules
        .filter((rule) => rule.nonResourceURLs)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(errors.length === 0 ? {} : { evaluationError: aggregate(errors) }),
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): Fields {
  return { verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) };
}
