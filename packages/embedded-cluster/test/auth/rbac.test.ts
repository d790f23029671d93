import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forbiddenError } from '../../src/auth/forbidden-error.ts';
import { createRbacAuthorizer } from '../../src/auth/rbac/rbac.ts';
import type { PolicyRule } from '../../src/auth/rbac/rbac-objects.ts';
import type { Attributes, User } from '../../src/auth/user.ts';
import type { KubeObject } from '../../src/objects.ts';
import {
  asks,
  clusterRole,
  clusterRoleBinding,
  group,
  jane,
  rbacKey,
  rbacView,
  role,
  roleBinding,
  user,
} from './rbac-builders.ts';

const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('one rule', () => {
  const rule = (verbs: string, apiGroups: string, resources: string, names?: string): PolicyRule => ({
    verbs: verbs.split(' '),
    apiGroups: apiGroups.split(' ').map((name) => (name === 'core' ? '' : name)),
    resources: resources.split(' '),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  });
  const urls = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

  test.each<[PolicyRule, string, boolean]>([
    [rule('get', 'core', 'pods'), 'get pods', true],
    [rule('get', 'core', 'pods'), 'list pods', false],
    [rule('*', 'core', 'pods'), 'patch pods', true],
    [rule('get', 'apps', 'pods'), 'get pods', false],
    [rule('get', '*', 'pods'), 'get apps//pods', true],
    [rule('get', 'core', 'pods'), 'get pods/log', false],
    [rule('get', 'core', 'pods/log'), 'get pods/log', true],
    [rule('get', 'core', 'pods/log'), 'get pods', false],
    [rule('get', 'core', '*'), 'get pods/log', true],
    [rule('get', '*', '*/scale'), 'get apps//deployments/scale', true],
    [rule('get', '*', '*/scale'), 'get apps//deployments', false],
    [rule('get', '*', '*/scale'), 'get apps//deployments/status', false],
    [rule('get', 'core', 'pods/*'), 'get pods/log', false],
    [rule('get', 'core', 'pods', 'a b'), 'get pods a', true],
    [rule('get', 'core', 'pods', 'a b'), 'get pods c', false],
    [rule('list', 'core', 'pods', 'a'), 'list pods', false],
    [rule('get', 'core', 'pods', '*'), 'get pods a', false],
    [rule('*', '*', '*'), 'get /metrics', false],
    [urls('/metrics'), 'get /metrics', true],
    [urls('/metrics'), 'get /metrics/slis', false],
    [urls('/healthz/*'), 'get /healthz/ping', true],
    [urls('/healthz/*'), 'get /healthz', false],
    [urls('/api*'), 'get /apis/apps', true],
    [urls('*'), 'get /anything', true],
    [urls('/metrics'), 'post /metrics', false],
    [urls('*'), 'get pods', false],
    [{ verbs: [], apiGroups: [''], resources: ['pods'] }, 'get pods', false],
    [{ verbs: ['get'], resources: ['pods'] }, 'get pods', false],
    [{ verbs: ['get'], apiGroups: [''] }, 'get pods', false],
  ])('%j for %s: %s', (given, question, allowed) => {
    const view = rbacView(clusterRole('r', [given]), clusterRoleBinding('b', 'ClusterRole/r', user('jane')));
    expect(createRbacAuthorizer(view).decide(asks(jane, question)).allowed).toBe(allowed);
  });
});

describe('bindings', () => {
  const robot: User = { name: 'system:serviceaccount:prod:robot', groups: ['system:serviceaccounts'] };
  const account = (namespace?: string) => ({
    kind: 'ServiceAccount',
    name: 'robot',
    ...(namespace ? { namespace } : {}),
  });

  test.each<[string, KubeObject, User, string, boolean]>([
    [
      'a cluster binding holds in every namespace',
      clusterRoleBinding('b', 'ClusterRole/r', user('jane')),
      jane,
      'list pods -n prod',
      true,
    ],
    [
      'a role binding holds in its namespace',
      roleBinding('prod', 'b', 'ClusterRole/r', user('jane')),
      jane,
      'list pods -n prod',
      true,
    ],
    ['and in no other', roleBinding('prod', 'b', 'ClusterRole/r', user('jane')), jane, 'list pods -n test', false],
    ['and not in all of them', roleBinding('prod', 'b', 'ClusterRole/r', user('jane')), jane, 'list pods', false],
    [
      'a role binding can name a role beside it',
      roleBinding('prod', 'b', 'Role/local', user('jane')),
      jane,
      'list pods -n prod',
      true,
    ],
    [
      'but not one in another namespace',
      roleBinding('test', 'b', 'Role/local', user('jane')),
      jane,
      'list pods -n test',
      false,
    ],
    ['groups count', clusterRoleBinding('b', 'ClusterRole/r', group('developers')), jane, 'list pods', true],
    ['a group is no user', clusterRoleBinding('b', 'ClusterRole/r', group('jane')), jane, 'list pods', false],
    ['a user is no group', clusterRoleBinding('b', 'ClusterRole/r', user('developers')), jane, 'list pods', false],
    [
      'a service account by its namespace',
      clusterRoleBinding('b', 'ClusterRole/r', account('prod')),
      robot,
      'list pods',
      true,
    ],
    [
      'a service account of another namespace',
      clusterRoleBinding('b', 'ClusterRole/r', account('test')),
      robot,
      'list pods',
      false,
    ],
    [
      'a service account of the binding namespace',
      roleBinding('prod', 'b', 'ClusterRole/r', account()),
      robot,
      'list pods -n prod',
      true,
    ],
    ['a service account of nowhere', clusterRoleBinding('b', 'ClusterRole/r', account()), robot, 'list pods', false],
    [
      'a service account by its user name',
      clusterRoleBinding('b', 'ClusterRole/r', user(robot.name)),
      robot,
      'list pods',
      true,
    ],
    [
      'role bindings give no paths',
      roleBinding('prod', 'b', 'ClusterRole/paths', user('jane')),
      jane,
      'get /metrics',
      false,
    ],
    [
      'a subject of an unknown kind is no user',
      clusterRoleBinding('b', 'ClusterRole/r', { kind: 'Robot', name: 'jane' }),
      jane,
      'list pods',
      false,
    ],
    [
      'names of object properties are only names',
      clusterRoleBinding('b', 'ClusterRole/r', user('__proto__')),
      jane,
      'list pods',
      false,
    ],
    [
      'also when they are meant',
      clusterRoleBinding('b', 'ClusterRole/r', user('constructor')),
      { name: 'constructor', groups: [] },
      'list pods',
      true,
    ],
  ])('%s', (_, binding, who, question, allowed) => {
    const paths: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
    const view = rbacView(
      clusterRole('r', [pods]),
      clusterRole('paths', [paths]),
      role('prod', 'local', [pods]),
      binding,
    );
    expect(createRbacAuthorizer(view).decide(asks(who, question)).allowed).toBe(allowed);
  });

  test('an account without a namespace is no user, whatever users call themselves', () => {
    const view = rbacView(clusterRole('r', [pods]), clusterRoleBinding('b', 'ClusterRole/r', account()));
    const pretender = { name: 'system:serviceaccount::robot', groups: [] };
    expect(createRbacAuthorizer(view).decide(asks(pretender, 'list pods')).allowed).toBe(false);
  });

  test('members of system:masters may do everything, without any binding', () => {
    const root = { name: 'root', groups: ['system:masters'] };
    const authorizer = createRbacAuthorizer(rbacView());
    expect(authorizer.decide(asks(root, 'delete nodes a'))).toEqual({ allowed: true, reason: '' });
    expect(authorizer.decide(asks(root, 'delete /anything')).allowed).toBe(true);
  });

  test('decisions follow every change', () => {
    const view = rbacView(clusterRole('r', [pods]));
    const authorizer = createRbacAuthorizer(view);
    const allowed = () => authorizer.decide(asks(jane, 'list pods -n prod')).allowed;
    const bind = (...subjects: Parameters<typeof clusterRoleBinding>[2][]) => {
      const binding = roleBinding('prod', 'b', 'ClusterRole/r', ...subjects);
      view.put(rbacKey(binding), binding);
    };
    expect(allowed()).toBe(false);
    bind(user('jane'), user('jane'));
    expect(allowed()).toBe(true);
    bind(user('joe'));
    expect(allowed()).toBe(false);
    bind(user('joe'), group('developers'));
    expect(allowed()).toBe(true);
    const nothing = clusterRole('r', []);
    view.put(rbacKey(nothing), nothing);
    expect(allowed()).toBe(false);
    view.put(rbacKey(nothing), clusterRole('r', [pods]));
    expect(allowed()).toBe(true);
    view.remove('rbac.authorization.k8s.io/rolebindings', 'prod', 'b');
    expect(allowed()).toBe(false);
    authorizer.close();
    expect(view.listeners).toBe(0);
  });

  test.each([
    [
      clusterRoleBinding('b', 'ClusterRole/r', group('x'), group('developers')),
      'ClusterRoleBinding "b" of ClusterRole "r" to Group "developers"',
    ],
    [roleBinding('prod', 'b', 'Role/local', user('jane')), 'RoleBinding "b/prod" of Role "local" to User "jane"'],
    [
      clusterRoleBinding('b', 'ClusterRole/r', group('developers'), user('jane')),
      'ClusterRoleBinding "b" of ClusterRole "r" to Group "developers"',
    ],
  ])('say why: %#', (binding, text) => {
    const view = rbacView(clusterRole('r', [pods]), role('prod', 'local', [pods]), binding);
    const decision = createRbacAuthorizer(view).decide(asks(jane, 'list pods -n prod'));
    expect(decision.reason).toBe(`RBAC: allowed by ${text}`);
  });

  test('roles that are not there are named', () => {
    const view = rbacView(
      clusterRoleBinding('a', 'ClusterRole/gone', user('jane')),
      roleBinding('prod', 'b', 'Role/lost', user('jane')),
    );
    const authorizer = createRbacAuthorizer(view);
    expect(authorizer.decide(asks(jane, 'list pods')).reason).toBe(
      'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    );
    expect(authorizer.decide(asks(jane, 'list pods -n prod')).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    );
  });
});

describe('the refusal', () => {
  test.each([
    [
      'list pods -n default',
      '',
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'list nodes',
      '',
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    ],
    [
      'get pods/log x -n default',
      '',
      'pods "x" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ],
    [
      'get apps//deployments web -n a',
      'RBAC: x',
      'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "a": RBAC: x',
    ],
    ['get /metrics', '', 'forbidden: User "jane" cannot get path "/metrics"'],
  ])('%s', (question, reason, text) => {
    expect(forbiddenError(asks(jane, question), reason).status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: text,
    });
  });

  test('quotes and masks hostile names', () => {
    const hostile = { name: '<b>"\u0007\u001f\\u0041', groups: [] };
    expect(forbiddenError(asks(hostile, 'list pods'), '').message).toContain(
      'User "&lt;b&gt;\\"\\a\\x1f\\\\u0041" cannot',
    );
  });
});

describe('the index', () => {
  const names = fc.constantFrom('a', 'b', '*', 'c/d', '*/d', '__proto__');
  const identity = fc.constantFrom('u', 'v', 'system:serviceaccount:n:u');
  const namespaces = fc.constantFrom('n', 'm');
  const list = fc.array(fc.oneof(names, fc.constant('*')), { minLength: 1, maxLength: 3 });
  const few = fc.oneof(fc.constant([]), fc.array(names, { maxLength: 2 }));
  const someRule = fc.record({
    verbs: list,
    apiGroups: list,
    resources: list,
    resourceNames: few,
    nonResourceURLs: list,
  });
  const subject = fc.record({
    kind: fc.constantFrom('User', 'Group', 'ServiceAccount', 'X'),
    name: identity,
    namespace: fc.constantFrom('', 'n', 'm'),
  });
  const subjects = fc.array(subject, { minLength: 1, maxLength: 3 });
  const reference = fc.constantFrom('Role/r', 'ClusterRole/r', 'ClusterRole/s');
  const change = fc.oneof(
    fc
      .tuple(fc.constantFrom('r', 's'), fc.array(someRule, { maxLength: 2 }))
      .map(([name, rules]) => clusterRole(name, rules)),
    fc.tuple(namespaces, fc.array(someRule, { maxLength: 2 })).map(([namespace, rules]) => role(namespace, 'r', rules)),
    fc.tuple(names, reference, subjects).map(([name, ref, all]) => clusterRoleBinding(name, ref, ...all)),
    fc
      .tuple(namespaces, names, reference, subjects)
      .map(([namespace, name, ref, all]) => roleBinding(namespace, name, ref, ...all)),
  );
  const who = fc.record({ name: identity, groups: fc.array(identity, { maxLength: 2 }) });
  const question: fc.Arbitrary<Attributes> = fc.oneof(
    fc.record({
      user: who,
      verb: names,
      group: names,
      version: fc.constant('v1'),
      resource: names,
      subresource: fc.constantFrom('', 'd'),
      namespace: fc.constantFrom('', 'n', 'm'),
      name: names,
    }),
    fc.record({ user: who, verb: names, path: names }),
  );

  /** The same answer, worked out by looking at everything. */
  function naive(objects: Iterable<KubeObject>, asked: Attributes): boolean {
    const all = [...objects];
    const namespace = 'path' in asked ? '' : asked.namespace;
    const has = (items: readonly string[] | undefined, item: string) =>
      (items ?? []).some((one) => one === '*' || one === item);
    const isMe = (binding: KubeObject) =>
      (binding['subjects'] as { kind: string; name: string; namespace: string }[]).some((one) => {
        if (one.kind === 'User') return one.name === asked.user.name;
        if (one.kind === 'Group') return asked.user.groups.includes(one.name);
        const home = one.namespace || binding.metadata.namespace;
        return (
          one.kind === 'ServiceAccount' &&
          home !== undefined &&
          asked.user.name === `system:serviceaccount:${home}:${one.name}`
        );
      });
    const allows = (rule: PolicyRule) => {
      if (!has(rule.verbs, asked.verb)) return false;
      if ('path' in asked) {
        return (rule.nonResourceURLs ?? []).some(
          (url) => url === asked.path || (url.endsWith('*') && asked.path.startsWith(url.slice(0, -1))),
        );
      }
      const what = asked.subresource ? `${asked.resource}/${asked.subresource}` : asked.resource;
      const resource =
        has(rule.resources, what) ||
        (asked.subresource !== '' && (rule.resources ?? []).includes(`*/${asked.subresource}`));
      const named = !rule.resourceNames?.length || rule.resourceNames.includes(asked.name);
      return has(rule.apiGroups, asked.group) && resource && named;
    };
    return all.some((binding) => {
      const cluster = binding.kind === 'ClusterRoleBinding';
      if (!cluster && (binding.kind !== 'RoleBinding' || binding.metadata.namespace !== namespace)) return false;
      if (!isMe(binding)) return false;
      const ref = binding['roleRef'] as { kind: string; name: string };
      const found = all.find(
        (one) =>
          one.kind === ref.kind &&
          one.metadata.name === ref.name &&
          (one.kind === 'ClusterRole' || one.metadata.namespace === binding.metadata.namespace),
      );
      return ((found?.['rules'] ?? []) as PolicyRule[]).some(allows);
    });
  }

  test('answers as a look at everything would, after any changes', () => {
    let allowedOnce = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(change, fc.boolean()), { minLength: 10, maxLength: 30 }),
        fc.array(question, { minLength: 5, maxLength: 20 }),
        (changes, questions) => {
          const view = rbacView();
          const authorizer = createRbacAuthorizer(view);
          const present = new Map<string, KubeObject>();
          for (const [object, gone] of changes) {
            const { name, namespace = '' } = object.metadata;
            const key = `${object.kind} ${namespace} ${name}`;
            if (gone && present.delete(key)) view.remove(rbacKey(object), namespace, name);
            else {
              present.set(key, object);
              view.put(rbacKey(object), object);
            }
          }
          for (const asked of questions) {
            const expected = naive(present.values(), asked);
            if (expected) allowedOnce += 1;
            expect(authorizer.decide(asked).allowed).toBe(expected);
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(allowedOnce).toBeGreaterThan(100);
  });
});
