import type { Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { commonLabels, operatorName, ports, selectorLabels } from '../../api/installation-names.ts';
import type { InstallValues } from '../values/values.ts';

function metadata(namespace: string) {
  return { name: operatorName, namespace, labels: { ...commonLabels } };
}

export function serviceOf({ namespace }: InstallValues): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(namespace),
    spec: {
      selector: { ...selectorLabels },
      ports: [
        { name: 'webhook', port: 443, targetPort: 'webhook', protocol: 'TCP' },
        { name: 'metrics', port: ports.health, targetPort: 'health', protocol: 'TCP' },
      ],
    },
  };
}

/** One replica at a time, and one that does not answer may always go. */
export function disruptionBudgetOf({ namespace }: InstallValues): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(namespace),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { ...selectorLabels } },
    },
  };
}

/**
 * Undefined: pods on the network of their node are beyond any policy, and a person may not want one. The kubelet's probes come from
 * the node of the pod, which no policy keeps out.
 */
export function networkPolicyOf(values: InstallValues): NetworkPolicy | undefined {
  const { namespace, hostNetwork, apiServerPorts, apiServerCidrs, monitoringNamespaces } = values;
  if (hostNetwork || apiServerPorts.length === 0) return undefined;
  const tcp = (port: number) => ({ protocol: 'TCP', port });
  // API servers are no pods: only their addresses select them. Nothing selects addresses that are not known.
  const callers = apiServerCidrs.length === 0 ? {} : { from: apiServerCidrs.map((cidr) => ({ ipBlock: { cidr } })) };
  const monitors = {
    from: monitoringNamespaces.map((name) => ({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
    })),
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(namespace),
    spec: {
      podSelector: { matchLabels: { ...selectorLabels } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ...callers, ports: [tcp(ports.webhook)] },
        // Without a `from` it would be open to all.
        ...(monitoringNamespaces.length === 0 ? [] : [{ ...monitors, ports: [tcp(ports.health)] }]),
      ],
      egress: [{ ports: apiServerPorts.map(tcp) }, { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] }],
    },
  };
}
