import { describe, expect, test } from 'vitest';
import { createRbacAuthorizer } from '../../src/auth/rbac/rbac.ts';
import { review } from '../../src/auth/reviews.ts';
import type { User } from '../../src/auth/user.ts';
import type { KubeObject } from '../../src/objects.ts';
import { clusterRole, clusterRoleBinding, group, jane, rbacView, role, roleBinding, user } from './rbac-builders.ts';

const listPods = { verbs: ['list'], apiGroups: [''], resources: ['pods'] };
const metrics = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
const authorizer = createRbacAuthorizer(
  rbacView(
    clusterRole('metrics', [metrics]),
    clusterRoleBinding('metrics', 'ClusterRole/metrics', group('developers')),
    role('prod', 'pods', [{ ...listPods, resourceNames: [] }]),
    roleBinding('prod', 'pods', 'Role/pods', user('jane')),
    roleBinding('test', 'lost', 'Role/lost', user('jane')),
  ),
);

function answer(kind: string, spec: unknown, options: { metadata?: unknown; namespace?: string; user?: User } = {}) {
  const apiVersion = kind === 'SelfSubjectReview' ? 'authentication.k8s.io/v1' : 'authorization.k8s.io/v1';
  const object = { apiVersion, kind, metadata: options.metadata ?? {}, spec } as unknown as KubeObject;
  const context = {
    user: options.user ?? jane,
    authorizer,
    namespace: options.namespace ?? '',
    nowMs: Date.UTC(2026, 0, 1),
  };
  return review(object, context);
}

const pods = (namespace: string) => ({ resourceAttributes: { verb: 'list', resource: 'pods', namespace } });
const path = { nonResourceAttributes: { verb: 'get', path: '/metrics' } };

describe('who may do what', () => {
  const byBinding = 'RBAC: allowed by RoleBinding "pods/prod" of Role "pods" to User "jane"';
  const byGroup = 'RBAC: allowed by ClusterRoleBinding "metrics" of ClusterRole "metrics" to Group "developers"';
  test.each<[string, string, unknown, object, unknown]>([
    ['oneself', 'SelfSubjectAccessReview', pods('prod'), {}, { allowed: true, reason: byBinding }],
    ['oneself elsewhere', 'SelfSubjectAccessReview', pods('default'), {}, { allowed: false }],
    [
      'oneself with a role that is gone',
      'SelfSubjectAccessReview',
      pods('test'),
      {},
      { allowed: false, reason: 'RBAC: role.rbac.authorization.k8s.io "lost" not found' },
    ],
    ['oneself at a path', 'SelfSubjectAccessReview', path, {}, { allowed: true, reason: byGroup }],
    ['a group', 'SubjectAccessReview', { ...path, groups: ['developers'] }, {}, { allowed: true, reason: byGroup }],
    ['another user', 'SubjectAccessReview', { ...pods('prod'), user: 'joe' }, {}, { allowed: false }],
    ['a user, not who asks', 'SubjectAccessReview', { ...path, user: 'jane' }, {}, { allowed: false }],
    [
      'a user in a namespace',
      'LocalSubjectAccessReview',
      { ...pods('prod'), user: 'jane' },
      { metadata: { namespace: 'prod' }, namespace: 'prod' },
      { allowed: true, reason: byBinding },
    ],
  ])('%s', (_, kind, spec, options, status) => {
    expect(answer(kind, spec, options)).toMatchObject({ kind, spec, status });
    expect(answer(kind, spec, options)?.['status']).toEqual(status);
  });
});

describe('a review is refused', () => {
  const exactlyOne = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const local = { metadata: { namespace: 'prod' }, namespace: 'prod' };
  test.each<[string, string, unknown, object, string]>([
    [
      'without a question',
      'SelfSubjectAccessReview',
      {},
      {},
      `SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec: Invalid value: null: ${exactlyOne}`,
    ],
    [
      'with two questions',
      'SelfSubjectAccessReview',
      { ...pods('a'), ...path },
      {},
      `SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec: Invalid value: {"verb":"get","path":"/metrics"}: ${exactlyOne}`,
    ],
    [
      'about no user',
      'SubjectAccessReview',
      path,
      {},
      'SubjectAccessReview.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'with a name',
      'SelfSubjectAccessReview',
      path,
      { metadata: { name: 'x' } },
      'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: metadata: Invalid value: {"name":"x"}: must be empty',
    ],
    [
      'with an empty selector',
      'SelfSubjectAccessReview',
      { resourceAttributes: { labelSelector: {} } },
      {},
      'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
    [
      'about another namespace',
      'LocalSubjectAccessReview',
      { ...pods('x'), user: 'a' },
      local,
      'LocalSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "x": must match metadata.namespace',
    ],
    [
      'about a path in a namespace',
      'LocalSubjectAccessReview',
      { ...path, user: 'a' },
      local,
      'LocalSubjectAccessReview.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"verb":"get","path":"/metrics"}: disallowed on this kind of request',
    ],
    [
      'in another namespace than it says',
      'LocalSubjectAccessReview',
      { ...pods('prod'), user: 'a' },
      { ...local, namespace: 'b' },
      'spec.resourceAttributes.namespace must match namespace: b',
    ],
    ['of rules nowhere', 'SelfSubjectRulesReview', {}, {}, 'no namespace on request'],
  ])('%s', (_, kind, spec, options, text) => {
    expect(() => answer(kind, spec, options)).toThrow(expect.objectContaining({ message: text }));
  });
});

describe('all rules of oneself', () => {
  test('in a namespace', () => {
    expect(answer('SelfSubjectRulesReview', { namespace: 'prod' })?.['status']).toEqual({
      resourceRules: [listPods],
      nonResourceRules: [metrics],
      incomplete: false,
    });
  });

  test('where a role is gone', () => {
    expect(answer('SelfSubjectRulesReview', { namespace: 'test' })?.['status']).toEqual({
      resourceRules: [],
      nonResourceRules: [metrics],
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "lost" not found',
    });
  });
});

test('who one is', () => {
  const who = { name: 'jane', uid: '7', groups: ['a'], extra: { x: ['1', '2'] } };
  expect(answer('SelfSubjectReview', undefined, { user: who })).toEqual({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { userInfo: { username: 'jane', uid: '7', groups: ['a'], extra: { x: ['1', '2'] } } },
  });
});

test('other kinds are not answered', () => {
  expect(answer('Pod', {})).toBeUndefined();
});
