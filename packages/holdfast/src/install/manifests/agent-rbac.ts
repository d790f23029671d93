import type { ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { PolicyRule } from 'kubernetes-types/rbac/v1.js';
import { agentLabels, agentName, agentsNamespace } from '../../api/installation-names.ts';
import type { InstallValues } from '../values/values.ts';
import type { RbacObject } from './rbac.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

/** In the whole cluster: RBAC cannot limit rights to the pods of a node. For writes, policies do; reads have no such limit. */
export const agentClusterRules: readonly PolicyRule[] = [
  // Knows which pods of its node have probes, and where they listen.
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  // Ties the lease of a node to it, so that they go together.
  { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
  // Publishes what the probes say.
  { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  // Tells people what happened.
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Runs the commands of exec probes, in the namespaces that an administrator chose. API servers ask for either verb. */
const agentExecRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] }];

/** In the agents' namespace: says that it lives. Names cannot be listed here, because they are those of the nodes: a policy compares them. */
export const agentNamespaceRules: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

export function agentServiceAccountOf({ namespace }: InstallValues): ServiceAccount {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: agentName, namespace, labels: { ...agentLabels } },
    automountServiceAccountToken: false,
  };
}

export function agentRbacObjects(values: InstallValues): readonly RbacObject[] {
  const { namespace } = values;
  const global = { name: agentName, labels: { ...agentLabels } };
  const local = { ...global, namespace: agentsNamespace };
  const exec = { ...global, name: `${agentName}-exec` };
  const subjects = [{ kind: 'ServiceAccount', name: agentName, namespace }];
  return [
    { apiVersion, kind: 'ClusterRole', metadata: global, rules: [...agentClusterRules] },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: global,
      roleRef: { apiGroup, kind: 'ClusterRole', name: agentName },
      subjects,
    },
    { apiVersion, kind: 'Role', metadata: local, rules: [...agentNamespaceRules] },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: local,
      roleRef: { apiGroup, kind: 'Role', name: agentName },
      subjects,
    },
    ...(values.agent.execNamespaces.length === 0
      ? []
      : [{ apiVersion, kind: 'ClusterRole', metadata: exec, rules: [...agentExecRules] } satisfies RbacObject]),
    ...values.agent.execNamespaces.map(
      (where): RbacObject => ({
        apiVersion,
        kind: 'RoleBinding',
        metadata: { ...exec, namespace: where },
        roleRef: { apiGroup, kind: 'ClusterRole', name: exec.name },
        subjects,
      }),
    ),
  ];
}
