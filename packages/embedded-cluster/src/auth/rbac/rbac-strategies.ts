import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { isObject, isUnset } from '@holdfast/base/json';
import { parseSelector } from '@holdfast/base/labels/label-selector';
import type { Strategy } from '../../kinds/strategy.ts';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import { isDnsSubdomain } from '../identities.ts';
import {
  clusterRoleBindingsKey,
  clusterRolesKey,
  objects,
  type PolicyRule,
  rbacGroup,
  roleBindingsKey,
  roleRefOf,
  rolesKey,
  rulesOf,
  type Subject,
  subjectsOf,
} from './rbac-objects.ts';

/** Names of roles and bindings may hold colons; they only have to fit into a path. */
function nameProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const problems = ['/', '%'].filter((letter) => name.includes(letter)).map((letter) => `may not contain '${letter}'`);
  return problems.length === 0 ? undefined : problems.join(', ');
}

function roleStrategy(namespaced: boolean): Strategy {
  return {
    createOnUpdate: true,
    nameProblem,
    validate: (role) => [
      ...rulesOf(role).flatMap((rule, index) => ruleErrors(rule, namespaced, `rules[${index}]`)),
      ...(namespaced ? [] : aggregationErrors(role['aggregationRule'])),
    ],
  };
}

function ruleErrors(rule: PolicyRule, namespaced: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (rule.verbs.length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  const { apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  if (nonResourceURLs) {
    const refuse = (why: string) => errors.push(invalid(`${field}.nonResourceURLs`, nonResourceURLs, why));
    if (namespaced) refuse('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups || resources || resourceNames) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (!apiGroups) errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if (!resources) errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function aggregationErrors(aggregation: unknown): readonly FieldError[] {
  if (isUnset(aggregation)) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = isObject(aggregation) ? objects(aggregation['clusterRoleSelectors']) : [];
  if (selectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const result = parseSelector(selector, `${field}[${index}]`);
    return result.ok ? [] : result.errors;
  });
}

function bindingStrategy(namespaced: boolean): Strategy {
  return {
    createOnUpdate: true,
    nameProblem,
    applyDefaults: bindingDefaults,
    validate: (binding) => [
      ...roleRefErrors(binding, namespaced),
      ...subjectsOf(binding).flatMap((subject, index) => subjectErrors(subject, namespaced, `subjects[${index}]`)),
    ],
    validateUpdate: changedRoleRef,
  };
}

function bindingDefaults(draft: KubeObject): void {
  const ref = draft['roleRef'];
  if (isObject(ref) && !ref['apiGroup']) draft['roleRef'] = { ...ref, apiGroup: rbacGroup };
  const subjects = draft['subjects'];
  if (!Array.isArray(subjects)) return;
  draft['subjects'] = subjects.map((subject: unknown) => {
    if (!isObject(subject) || subject['apiGroup']) return subject;
    return subject['kind'] === 'User' || subject['kind'] === 'Group' ? { ...subject, apiGroup: rbacGroup } : subject;
  });
}

function roleRefErrors(binding: KubeObject, namespaced: boolean): readonly FieldError[] {
  const { apiGroup, kind, name } = roleRefOf(binding);
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const problem = nameProblem(name);
  return [
    ...(apiGroup === rbacGroup ? [] : [notSupported('roleRef.apiGroup', apiGroup, [rbacGroup])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name', '')] : []),
    ...(problem === undefined ? [] : [invalid('roleRef.name', name, problem)]),
  ];
}

function changedRoleRef(binding: KubeObject, old: KubeObject): readonly FieldError[] {
  const [now, before] = [roleRefOf(binding), roleRefOf(old)];
  if (now.apiGroup === before.apiGroup && now.kind === before.kind && now.name === before.name) return [];
  return [invalid('roleRef', now, 'field is immutable')];
}

const dnsSubdomainProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function subjectErrors(subject: Subject, namespaced: boolean, field: string): readonly FieldError[] {
  const { kind, name, apiGroup, namespace } = subject;
  const unnamed = name === '' ? [required(`${field}.name`, '')] : [];
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...unnamed,
        ...(name === '' || isDnsSubdomain(name) ? [] : [invalid(`${field}.name`, name, dnsSubdomainProblem)]),
        ...(apiGroup === '' ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [''])]),
        ...(namespaced || namespace !== '' ? [] : [required(`${field}.namespace`, '')]),
      ];
    case 'User':
    case 'Group':
      return [
        ...unnamed,
        ...(apiGroup === rbacGroup ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [rbacGroup])]),
      ];
    default:
      return [...unnamed, notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

export const rbacStrategies: ReadonlyMap<ResourceKey, Strategy> = new Map([
  [rolesKey, roleStrategy(true)],
  [clusterRolesKey, roleStrategy(false)],
  [roleBindingsKey, bindingStrategy(true)],
  [clusterRoleBindingsKey, bindingStrategy(false)],
]);
