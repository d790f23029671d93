import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from 'kubernetes-types/rbac/v1.js';
import { agentsNamespace, commonLabels, operatorName } from '../../api/installation-names.ts';
import type { InstallValues } from '../values/values.ts';
import { agentsNamespacePermissions, clusterPermissions, namespacePermissions } from './rbac-rules.ts';

export type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

export function rbacObjects(values: InstallValues): readonly RbacObject[] {
  const { namespace } = values;
  const labels = { ...commonLabels };
  const local = { name: operatorName, namespace, labels };
  const global = { name: operatorName, labels };
  const leases = { ...local, namespace: agentsNamespace };
  const subjects: Subject[] = [{ kind: 'ServiceAccount', name: operatorName, namespace }];
  const rules = (permissions: readonly { readonly rule: PolicyRule }[]) => permissions.map(({ rule }) => rule);
  return [
    { apiVersion, kind: 'ClusterRole', metadata: global, rules: rules(clusterPermissions(values)) },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: global,
      roleRef: { apiGroup, kind: 'ClusterRole', name: operatorName },
      subjects,
    },
    { apiVersion, kind: 'Role', metadata: local, rules: rules(namespacePermissions(values)) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: local,
      roleRef: { apiGroup, kind: 'Role', name: operatorName },
      subjects,
    },
    { apiVersion, kind: 'Role', metadata: leases, rules: rules(agentsNamespacePermissions) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: leases,
      roleRef: { apiGroup, kind: 'Role', name: operatorName },
      subjects,
    },
  ];
}
