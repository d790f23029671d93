import { describe, expect, test } from 'vitest';
import { createRbacAuthorizer } from '../../src/auth/rbac/rbac.ts';
import { covers } from '../../src/auth/rbac/rbac-covers.ts';
import { escalationProblem } from '../../src/auth/rbac/rbac-escalation.ts';
import { type PolicyRule, rbacGroup } from '../../src/auth/rbac/rbac-objects.ts';
import type { User } from '../../src/auth/user.ts';
import type { KubeObject } from '../../src/objects.ts';
import { clusterRole, clusterRoleBinding, jane, rbacKey, rbacView, role, roleBinding, user } from './rbac-builders.ts';

const pods = (...verbs: string[]): PolicyRule => ({ verbs, apiGroups: [''], resources: ['pods'] });
const may = (verb: string, resource: string, names?: string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [rbacGroup],
  resources: [resource],
  ...(names ? { resourceNames: names } : {}),
});

/** What the API server says when jane, who holds these rules in the whole cluster, writes the object. */
function verdict(
  held: readonly PolicyRule[],
  object: KubeObject,
  more: KubeObject[] = [],
  old?: KubeObject,
  who: User = jane,
) {
  const view = rbacView(
    clusterRole('held', held),
    clusterRoleBinding('held', 'ClusterRole/held', user('jane')),
    ...more,
  );
  const { name, namespace = '' } = object.metadata;
  const resource = rbacKey(object).slice(rbacGroup.length + 1);
  const write = { user: who, resource, namespace, pathName: old ? name : '', object, old };
  return escalationProblem(write, createRbacAuthorizer(view))?.message;
}

const refused = (what: string, lines: string) =>
  `${what} is forbidden: user "jane" (groups=["developers" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${lines}`;

describe('a role', () => {
  const wanted = role('prod', 'x', [pods('get', 'delete')]);

  test.each<[string, readonly PolicyRule[], string | undefined]>([
    ['of what the writer holds passes', [pods('get', 'delete')], undefined],
    ['of less than the writer holds passes', [pods('*')], undefined],
    ['passes for a user who may escalate', [may('escalate', 'roles')], undefined],
    [
      'does not pass for a user who may escalate cluster roles',
      [may('escalate', 'clusterroles')],
      refused('roles.rbac.authorization.k8s.io "x"', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "delete"]}'),
    ],
    [
      'names what is missing',
      [pods('get')],
      refused('roles.rbac.authorization.k8s.io "x"', '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'),
    ],
  ])('%s', (_, held, message) => {
    expect(verdict(held, wanted)).toBe(message);
  });

  test('passes for system:masters', () => {
    expect(verdict([], wanted, [], undefined, { name: 'root', groups: ['system:masters'] })).toBeUndefined();
  });

  test('counts what the writer holds in that namespace alone', () => {
    const local = [role('prod', 'local', [pods('*')]), roleBinding('prod', 'local', 'Role/local', user('jane'))];
    expect(verdict([], wanted, local)).toBeUndefined();
    expect(verdict([], role('test', 'x', [pods('get')]), local)).toContain('not currently held');
  });

  test('may be touched by the garbage collector, and by no other user', () => {
    const collected = { ...wanted, metadata: { ...wanted.metadata, finalizers: ['x'] } };
    const labelled = { ...wanted, metadata: { ...wanted.metadata, labels: { a: 'b' } } };
    expect(verdict([], collected, [], wanted)).toBeUndefined();
    expect(verdict([], labelled, [], wanted)).toContain('not currently held');
  });

  test('that collects rules is for those who hold everything', () => {
    const collects = {
      ...clusterRole('x', []),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    };
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    const text =
      'clusterroles.rbac.authorization.k8s.io "x" is forbidden: must have cluster-admin privileges to use the aggregationRule';
    expect(verdict([pods('*')], collects)).toBe(text);
    expect(verdict([pods('*')], clusterRole('x', []), [], collects)).toBe(text);
    expect(verdict(everything, collects)).toBeUndefined();
  });
});

describe('a binding', () => {
  const target = clusterRole('target', [pods('get'), { verbs: ['get'], nonResourceURLs: ['/metrics'] }]);
  const wanted = roleBinding('prod', 'x', 'ClusterRole/target', user('joe'));
  const lines = '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}\n{NonResourceURLs:["/metrics"], Verbs:["get"]}';

  test.each<[string, readonly PolicyRule[], string | undefined]>([
    ['to a role that the writer holds passes', [pods('get'), { verbs: ['get'], nonResourceURLs: ['/*'] }], undefined],
    ['passes for a user who may bind', [may('bind', 'clusterroles')], undefined],
    ['passes for a user who may bind this role', [may('bind', 'clusterroles', ['target'])], undefined],
    [
      'does not pass for a user who may bind another',
      [may('bind', 'clusterroles', ['other'])],
      refused('rolebindings.rbac.authorization.k8s.io "x"', lines),
    ],
    [
      'does not pass for a user who may escalate',
      [may('escalate', 'clusterroles')],
      refused('rolebindings.rbac.authorization.k8s.io "x"', lines),
    ],
  ])('%s', (_, held, message) => {
    expect(verdict(held, wanted, [target])).toBe(message);
  });

  test('in the whole cluster needs the right in the whole cluster', () => {
    const local = [role('prod', 'l', [may('bind', 'clusterroles')]), roleBinding('prod', 'l', 'Role/l', user('jane'))];
    expect(verdict([], wanted, [target, ...local])).toBeUndefined();
    expect(verdict([], clusterRoleBinding('x', 'ClusterRole/target', user('joe')), [target, ...local])).toContain(
      'not currently held',
    );
  });

  test('may be touched by the garbage collector, and by no other user', () => {
    const collected = { ...wanted, metadata: { ...wanted.metadata, finalizers: ['x'] } };
    expect(verdict([], collected, [target], wanted)).toBeUndefined();
    expect(verdict([], { ...wanted, subjects: [] }, [target], wanted)).toContain('not currently held');
  });

  test('to a role that is not there needs the right to bind', () => {
    expect(verdict([], wanted)).toBe('clusterroles.rbac.authorization.k8s.io "target" not found');
    expect(verdict([may('bind', 'clusterroles')], wanted)).toBeUndefined();
  });
});

describe('coverage', () => {
  const on = (resources: string[], resourceNames?: string[]): PolicyRule => ({
    verbs: ['get'],
    apiGroups: ['apps'],
    resources,
    ...(resourceNames ? { resourceNames } : {}),
  });
  test.each<[string, PolicyRule, PolicyRule, boolean]>([
    ['a star holds subresources', on(['*']), on(['x/scale']), true],
    ['a starred subresource holds it everywhere', on(['*/scale']), on(['x/scale']), true],
    ['a resource holds no subresource', on(['x']), on(['x/scale']), false],
    ['a resource holds no star', on(['x']), on(['*']), false],
    ['no names hold every name', on(['x']), on(['x'], ['a']), true],
    ['a name holds not all names', on(['x'], ['a']), on(['x']), false],
    ['a name holds itself', on(['x'], ['a', 'b']), on(['x'], ['b']), true],
    [
      'a prefix holds longer paths',
      { verbs: ['*'], nonResourceURLs: ['/a/*'] },
      { verbs: ['get'], nonResourceURLs: ['/a/b*'] },
      true,
    ],
    [
      'a path holds no prefix',
      { verbs: ['*'], nonResourceURLs: ['/a'] },
      { verbs: ['get'], nonResourceURLs: ['/a*'] },
      false,
    ],
    ['an empty rule needs nothing', on([]), { verbs: [], apiGroups: [''], resources: ['x'] }, true],
  ])('%s', (_, held, wanted, covered) => {
    expect(covers([held], [wanted]).covered).toBe(covered);
  });

  test('of a rule that stands for billions of rights is refused, soon', () => {
    const many = Array.from({ length: 2000 }, (_, index) => `x${index}`);
    const wanted = { verbs: many, apiGroups: many, resources: many };
    expect(covers([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [wanted]).covered).toBe(false);
  });
});
