import { describe, expect, test } from 'vitest';
import { impersonate } from '../../src/auth/impersonation.ts';
import { readImpersonation } from '../../src/auth/impersonation-headers.ts';
import { createRbacAuthorizer } from '../../src/auth/rbac/rbac.ts';
import type { PolicyRule } from '../../src/auth/rbac/rbac-objects.ts';
import type { User } from '../../src/auth/user.ts';
import { asks, clusterRole, clusterRoleBinding, jane, rbacView, user } from './rbac-builders.ts';

const authentication = 'authentication.k8s.io';
const rule = (verb: string, group: string, resources: string, names?: string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [group],
  resources: resources.split(' '),
  ...(names ? { resourceNames: names } : {}),
});

/** The outcome of a request with these headers by a user with these rights. */
function outcome(
  headers: Record<string, string[]>,
  held: readonly PolicyRule[],
  who: User = jane,
  question = 'list pods -n prod',
) {
  const wanted = readImpersonation(headers);
  if (!wanted) return 'no other user';
  const view = rbacView(clusterRole('held', held), clusterRoleBinding('held', 'ClusterRole/held', user(who.name)));
  const result = impersonate(wanted, asks(who, question), createRbacAuthorizer(view));
  return result.allowed ? result.user : result.error.message;
}

const mayImpersonateAll = [
  rule('impersonate', '', 'users groups serviceaccounts'),
  rule('impersonate', authentication, 'uids userextras/scopes userextras/acme.com/team'),
];
const joe = { 'impersonate-user': ['joe'] };

describe('with the right to impersonate any user', () => {
  test.each<[string, Record<string, string[]>, unknown]>([
    ['no headers', {}, 'no other user'],
    ['a user', joe, { name: 'joe', groups: ['system:authenticated'] }],
    [
      'groups',
      { ...joe, 'impersonate-group': ['a', 'b,c'] },
      { name: 'joe', groups: ['a', 'b,c', 'system:authenticated'] },
    ],
    [
      'a group of the unauthenticated',
      { ...joe, 'impersonate-group': ['system:unauthenticated'] },
      { name: 'joe', groups: ['system:unauthenticated'] },
    ],
    ['a uid', { ...joe, 'impersonate-uid': ['7'] }, { name: 'joe', uid: '7', groups: ['system:authenticated'] }],
    [
      'more',
      { ...joe, 'impersonate-extra-scopes': ['x', 'y'], 'impersonate-extra-acme.com%2fteam': ['z'] },
      { name: 'joe', groups: ['system:authenticated'], extra: { scopes: ['x', 'y'], 'acme.com/team': ['z'] } },
    ],
    [
      'the anonymous',
      { 'impersonate-user': ['system:anonymous'] },
      { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      'a service account',
      { 'impersonate-user': ['system:serviceaccount:a:b'] },
      {
        name: 'system:serviceaccount:a:b',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
      },
    ],
    [
      'a service account in other groups',
      { 'impersonate-user': ['system:serviceaccount:a:b'], 'impersonate-group': ['x'] },
      { name: 'system:serviceaccount:a:b', groups: ['x', 'system:authenticated'] },
    ],
    [
      'what only looks like a service account',
      { 'impersonate-user': ['system:serviceaccount:A:b'] },
      { name: 'system:serviceaccount:A:b', groups: ['system:authenticated'] },
    ],
    [
      'masters',
      { ...joe, 'impersonate-group': ['system:masters'] },
      { name: 'joe', groups: ['system:masters', 'system:authenticated'] },
    ],
  ])('%s', (_, headers, expected) => {
    expect(outcome(headers, mayImpersonateAll)).toEqual(expected);
  });
});

describe('rights are asked one by one', () => {
  const users = rule('impersonate', '', 'users', ['joe']);
  test.each<[string, Record<string, string[]>, PolicyRule[], boolean]>([
    ['this user', joe, [users], true],
    ['another user', { 'impersonate-user': ['ann'] }, [users], false],
    ['a group needs its own', { ...joe, 'impersonate-group': ['a'] }, [users], false],
    [
      'a group has its own',
      { ...joe, 'impersonate-group': ['a'] },
      [users, rule('impersonate', '', 'groups', ['a'])],
      true,
    ],
    [
      'each group',
      { ...joe, 'impersonate-group': ['a', 'b'] },
      [users, rule('impersonate', '', 'groups', ['a'])],
      false,
    ],
    ['a uid', { ...joe, 'impersonate-uid': ['7'] }, [users], false],
    [
      'an extra value',
      { ...joe, 'impersonate-extra-scopes': ['x'] },
      [users, rule('impersonate', authentication, 'userextras/scopes', ['x'])],
      true,
    ],
    [
      'another extra value',
      { ...joe, 'impersonate-extra-scopes': ['y'] },
      [users, rule('impersonate', authentication, 'userextras/scopes', ['x'])],
      false,
    ],
    [
      'a service account is no user',
      { 'impersonate-user': ['system:serviceaccount:a:b'] },
      [rule('impersonate', '', 'users')],
      false,
    ],
  ])('%s', (_, headers, held, allowed) => {
    expect(typeof outcome(headers, held)).toBe(allowed ? 'object' : 'string');
  });
});

describe('in a constrained way', () => {
  const onPods = (mode: string) => rule(`impersonate-on:${mode}:list`, '', 'pods');
  const node = { 'impersonate-user': ['system:node:a'] };
  const agent: User = {
    name: 'system:serviceaccount:kube-system:agent',
    groups: [],
    extra: { 'authentication.kubernetes.io/node-name': ['a'] },
  };

  test.each<[string, Record<string, string[]>, PolicyRule[], User, unknown]>([
    [
      'a user, for this request',
      joe,
      [onPods('user-info'), rule('impersonate:user-info', authentication, 'users')],
      jane,
      { name: 'joe', groups: ['system:authenticated'] },
    ],
    [
      'a node',
      node,
      [onPods('arbitrary-node'), rule('impersonate:arbitrary-node', authentication, 'nodes', ['a'])],
      jane,
      { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] },
    ],
    [
      'the node one runs on',
      node,
      [onPods('associated-node'), rule('impersonate:associated-node', authentication, 'nodes')],
      agent,
      { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] },
    ],
    [
      'a service account',
      { 'impersonate-user': ['system:serviceaccount:a:b'] },
      [onPods('serviceaccount'), rule('impersonate:serviceaccount', authentication, 'serviceaccounts', ['b'])],
      jane,
      {
        name: 'system:serviceaccount:a:b',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
      },
    ],
    [
      'never masters',
      { ...joe, 'impersonate-group': ['system:masters'] },
      [onPods('user-info'), rule('impersonate:user-info', authentication, 'users groups')],
      jane,
      'groups.authentication.k8s.io "system:masters" is forbidden: User "jane" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
    [
      'not for another request',
      joe,
      [rule('impersonate-on:user-info:get', '', 'pods'), rule('impersonate:user-info', authentication, 'users')],
      jane,
      'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "prod"',
    ],
    [
      'not another user',
      joe,
      [onPods('user-info'), rule('impersonate:user-info', authentication, 'users', ['ann'])],
      jane,
      'users.authentication.k8s.io "joe" is forbidden: User "jane" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      'not a node one does not run on',
      { 'impersonate-user': ['system:node:b'] },
      [onPods('associated-node'), rule('impersonate:associated-node', authentication, 'nodes')],
      agent,
      'pods is forbidden: User "system:serviceaccount:kube-system:agent" cannot impersonate-on:arbitrary-node:list resource "pods" in API group "" in the namespace "prod"',
    ],
  ])('%s', (_, headers, held, who, expected) => {
    expect(outcome(headers, held, who)).toEqual(expected);
  });

  test('the refusal of a service account in other groups is the plain one', () => {
    const headers = { 'impersonate-user': ['system:serviceaccount:a:b'], 'impersonate-group': ['x'] };
    expect(outcome(headers, [])).toBe(
      'serviceaccounts "b" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    );
  });
});

test.each([
  [{ 'impersonate-group': ['a'] }, 'Groups:[]string{"a"}, Extra:map[string][]string(nil)}'],
  [{ 'impersonate-extra-x': ['1', '2'] }, 'Groups:[]string(nil), Extra:map[string][]string{"x":[]string{"1", "2"}}}'],
])('headers without a user are refused: %j', (headers, text) => {
  expect(() => readImpersonation(headers)).toThrow(
    `requested &user.DefaultInfo{Name:"", UID:"", ${text} without impersonating a user name`,
  );
});

test('keys that do not decode are taken as they are, and properties of objects are only names', () => {
  const wanted = readImpersonation({ ...joe, 'impersonate-extra-%zz': ['1'], 'impersonate-extra-__proto__': ['2'] });
  expect([...(wanted?.extra ?? [])]).toEqual([
    ['%zz', ['1']],
    ['__proto__', ['2']],
  ]);
});
