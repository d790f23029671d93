import { type PolicyRule, rbacGroup } from '../../src/auth/rbac/rbac-objects.ts';
import type { Attributes, User } from '../../src/auth/user.ts';
import type { KubeObject } from '../../src/objects.ts';
import { FakeView } from './fake-view.ts';

const apiVersion = `${rbacGroup}/v1`;

export interface SubjectJson {
  kind: string;
  name: string;
  namespace?: string;
  apiGroup?: string;
}

export function role(namespace: string, name: string, rules: readonly PolicyRule[]): KubeObject {
  return { apiVersion, kind: 'Role', metadata: { name, namespace }, rules };
}

export function clusterRole(
  name: string,
  rules: readonly PolicyRule[],
  labels: Record<string, string> = {},
): KubeObject {
  return { apiVersion, kind: 'ClusterRole', metadata: { name, labels }, rules };
}

/** `ref` is `Role/name` or `ClusterRole/name`. */
export function roleBinding(namespace: string, name: string, ref: string, ...subjects: SubjectJson[]): KubeObject {
  return { apiVersion, kind: 'RoleBinding', metadata: { name, namespace }, roleRef: roleRef(ref), subjects };
}

export function clusterRoleBinding(name: string, ref: string, ...subjects: SubjectJson[]): KubeObject {
  return { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef: roleRef(ref), subjects };
}

function roleRef(ref: string) {
  const [kind, name] = ref.split('/');
  return { apiGroup: rbacGroup, kind, name };
}

export const user = (name: string): SubjectJson => ({ kind: 'User', apiGroup: rbacGroup, name });
export const group = (name: string): SubjectJson => ({ kind: 'Group', apiGroup: rbacGroup, name });

const plurals: Record<string, string> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

export function rbacView(...objects: KubeObject[]): FakeView {
  return new FakeView(objects.map((object) => [rbacKey(object), object] as const));
}

export function rbacKey(object: KubeObject): string {
  return `${rbacGroup}/${plurals[object.kind]}`;
}

export const jane: User = { name: 'jane', groups: ['developers', 'system:authenticated'] };

/** `list pods`, `get apps//deployments/scale web -n prod`, `get /metrics`. */
export function asks(who: User, question: string): Attributes {
  const [command, namespace = ''] = question.split(' -n ');
  const [verb = '', what = '', name = ''] = (command as string).split(' ');
  if (what.startsWith('/')) return { user: who, verb, path: what };
  const grouped = /^(?<group>[a-z.0-9]*)\/\/(?<rest>.*)$/.exec(what)?.groups;
  const [resource = '', subresource = ''] = (grouped?.['rest'] ?? what).split('/');
  return { user: who, verb, group: grouped?.['group'] ?? '', version: 'v1', resource, subresource, namespace, name };
}
