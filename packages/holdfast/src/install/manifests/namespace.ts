import type { Namespace, ServiceAccount } from 'kubernetes-types/core/v1.js';
import { agentLabels, agentsNamespace, commonLabels, operatorName } from '../../api/installation-names.ts';
import { label } from '../../api/names.ts';
import type { InstallValues } from '../values/values.ts';

/** Never guarded: a webhook that judged its own pods could keep itself from coming back. */
export function namespaceOf({ namespace, hostNetwork }: InstallValues): Namespace {
  // The network of a node is more than the stricter levels allow.
  const level = hostNetwork ? 'privileged' : 'restricted';
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespace,
      labels: {
        'app.kubernetes.io/part-of': 'holdfast',
        [label.guard]: 'disabled',
        'pod-security.kubernetes.io/enforce': level,
        'pod-security.kubernetes.io/audit': level,
        'pod-security.kubernetes.io/warn': level,
      },
    },
  };
}

/** Holds leases, and no pod. */
export function agentsNamespaceOf(): Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: agentsNamespace,
      labels: {
        'app.kubernetes.io/part-of': agentLabels['app.kubernetes.io/part-of'],
        [label.guard]: 'disabled',
        'pod-security.kubernetes.io/enforce': 'restricted',
      },
    },
  };
}

export function serviceAccountOf({ namespace }: InstallValues): ServiceAccount {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: operatorName, namespace, labels: { ...commonLabels } },
    // Only the operator's pods ask for a token, and they say so.
    automountServiceAccountToken: false,
  };
}
