/** What the rules of RBAC look like, and how to read them out of objects that may be anything. */

import { type Fields, isObject } from '@holdfast/base/json';
import type { KubeObject, ResourceKey } from '../../objects.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

export const rolesKey: ResourceKey = `${rbacGroup}/roles`;
export const clusterRolesKey: ResourceKey = `${rbacGroup}/clusterroles`;
export const roleBindingsKey: ResourceKey = `${rbacGroup}/rolebindings`;
export const clusterRoleBindingsKey: ResourceKey = `${rbacGroup}/clusterrolebindings`;

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup: string;
  readonly name: string;
  readonly namespace: string;
}

export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return objects(role['rules']).map((rule) => ({
    verbs: strings(rule['verbs']),
    ...present('apiGroups', rule),
    ...present('resources', rule),
    ...present('resourceNames', rule),
    ...present('nonResourceURLs', rule),
  }));
}

export function roleRefOf(binding: KubeObject): RoleRef {
  const ref: Fields = isObject(binding['roleRef']) ? binding['roleRef'] : {};
  return { apiGroup: text(ref['apiGroup']), kind: text(ref['kind']), name: text(ref['name']) };
}

export function subjectsOf(binding: KubeObject): readonly Subject[] {
  return objects(binding['subjects']).map((subject) => ({
    kind: text(subject['kind']),
    apiGroup: text(subject['apiGroup']),
    name: text(subject['name']),
    namespace: text(subject['namespace']),
  }));
}

export function objects(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function present<K extends string>(field: K, rule: Fields): { [P in K]?: readonly string[] } {
  const list = strings(rule[field]);
  return list.length === 0 ? {} : ({ [field]: list } as { [P in K]: readonly string[] });
}

function strings(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
