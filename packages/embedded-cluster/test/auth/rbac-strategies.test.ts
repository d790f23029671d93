import { describe, expect, test } from 'vitest';
import { formatFieldErrors } from '../../../base/src/field-errors.ts';
import { rbacStrategies } from '../../src/auth/rbac/rbac-strategies.ts';
import type { Strategy } from '../../src/kinds/strategy.ts';
import type { KubeObject } from '../../src/objects.ts';
import { clusterRole, clusterRoleBinding, group, rbacKey, role, roleBinding, user } from './rbac-builders.ts';

function strategyOf(object: KubeObject): Strategy {
  return rbacStrategies.get(rbacKey(object)) as Strategy;
}

function problems(object: KubeObject): string {
  return formatFieldErrors(strategyOf(object).validate?.(object, undefined as never) ?? []);
}

const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

describe('roles', () => {
  test.each<[string, KubeObject, string]>([
    ['with rules', role('a', 'x', [pods]), ''],
    ['without rules', role('a', 'x', []), ''],
    ['with rules that are null', { ...role('a', 'x', []), rules: null }, ''],
    [
      'without verbs',
      role('a', 'x', [{ ...pods, verbs: [] }]),
      'rules[0].verbs: Required value: verbs must contain at least one value',
    ],
    [
      'without groups',
      role('a', 'x', [pods, { verbs: ['get'], resources: ['pods'] }]),
      'rules[1].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      'without resources',
      role('a', 'x', [{ verbs: ['get'], apiGroups: [''] }]),
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'with paths in a namespace',
      role('a', 'x', [{ verbs: ['get'], nonResourceURLs: ['/x'] }]),
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
    ['with paths', clusterRole('x', [{ verbs: ['get'], nonResourceURLs: ['/x'] }]), ''],
    [
      'with paths and resources',
      clusterRole('x', [{ ...pods, nonResourceURLs: ['/x'] }]),
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'that collect nothing',
      { ...clusterRole('x', []), aggregationRule: {} },
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
    [
      'that collect by a wrong selector',
      {
        ...clusterRole('x', []),
        aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }] },
      },
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
    ],
  ])('%s', (_, object, text) => {
    expect(problems(object)).toBe(text);
  });
});

describe('bindings', () => {
  const rbac = 'rbac.authorization.k8s.io';
  test.each<[string, KubeObject, string]>([
    ['to a role', roleBinding('a', 'x', 'Role/r', user('jane'), group('g'), { kind: 'ServiceAccount', name: 's' }), ''],
    ['without subjects', roleBinding('a', 'x', 'ClusterRole/r'), ''],
    [
      'to another kind',
      roleBinding('a', 'x', 'Pod/r'),
      'roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"',
    ],
    [
      'of the cluster to a role',
      clusterRoleBinding('x', 'Role/r'),
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ],
    [
      'to another group',
      { ...roleBinding('a', 'x', 'Role/r'), roleRef: { apiGroup: 'x', kind: 'Role', name: 'r' } },
      `roleRef.apiGroup: Unsupported value: "x": supported values: "${rbac}"`,
    ],
    [
      'to a name that is no path',
      { ...roleBinding('a', 'x', 'Role/r'), roleRef: { apiGroup: rbac, kind: 'Role', name: 'a/b' } },
      'roleRef.name: Invalid value: "a/b": may not contain \'/\'',
    ],
    [
      'of a service account without a namespace',
      clusterRoleBinding('x', 'ClusterRole/r', { kind: 'ServiceAccount', name: 's' }),
      'subjects[0].namespace: Required value',
    ],
    [
      'of a service account with a group',
      roleBinding('a', 'x', 'Role/r', { kind: 'ServiceAccount', name: 's', apiGroup: 'x' }),
      'subjects[0].apiGroup: Unsupported value: "x": supported values: ""',
    ],
    [
      'of a user of another group',
      roleBinding('a', 'x', 'Role/r', { kind: 'User', name: 's', apiGroup: 'x' }),
      `subjects[0].apiGroup: Unsupported value: "x": supported values: "${rbac}"`,
    ],
    [
      'of another kind',
      roleBinding('a', 'x', 'Role/r', { kind: 'Pod', name: 's' }),
      'subjects[0].kind: Unsupported value: "Pod": supported values: "ServiceAccount", "User", "Group"',
    ],
  ])('%s', (_, object, text) => {
    expect(problems(object)).toBe(text);
  });

  test('without a roleRef lack all of it', () => {
    const { roleRef: _, ...bare } = roleBinding('a', 'x', 'Role/r');
    const fields = strategyOf(bare as KubeObject).validate?.(bare as KubeObject, undefined as never) ?? [];
    expect(fields.map((error) => error.field)).toEqual(['roleRef.apiGroup', 'roleRef.kind', 'roleRef.name']);
  });

  test('keep their role', () => {
    const [before, after] = [roleBinding('a', 'x', 'Role/r'), roleBinding('a', 'x', 'Role/s', user('jane'))];
    const check = (now: KubeObject) =>
      formatFieldErrors(strategyOf(now).validateUpdate?.(now, before, undefined as never) ?? []);
    expect(check(after)).toBe(
      `roleRef: Invalid value: {"apiGroup":"${rbac}","kind":"Role","name":"s"}: field is immutable`,
    );
    expect(check({ ...after, roleRef: before['roleRef'] })).toBe('');
  });

  test('get the groups that they leave out', () => {
    const draft: KubeObject = {
      ...roleBinding(
        'a',
        'x',
        'Role/r',
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'Group', name: 'g', apiGroup: 'x' },
      ),
      roleRef: { kind: 'Role', name: 'r' },
    };
    strategyOf(draft).applyDefaults?.(draft);
    expect(draft['roleRef']).toEqual({ apiGroup: rbac, kind: 'Role', name: 'r' });
    expect(draft['subjects']).toEqual([
      { apiGroup: rbac, kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's' },
      { apiGroup: 'x', kind: 'Group', name: 'g' },
    ]);
  });
});

test.each([
  ['system:node', undefined],
  ['A b', undefined],
  ['..', "may not be '..'"],
  ['a/b%', "may not contain '/', may not contain '%'"],
])('the name %j', (name, problem) => {
  for (const strategy of rbacStrategies.values()) {
    expect(strategy.nameProblem?.(name)).toBe(problem);
    expect(strategy.createOnUpdate).toBe(true);
  }
});
