import type { DaemonSet } from 'kubernetes-types/apps/v1.js';
import type { Container, PodSpec, Probe } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { agentLabels, agentName, agentSelectorLabels, ports } from './names.ts';
import type { InstallValues } from './values.ts';

/** The prober, once on each node. A pod with a probe is refused where it does not run, so that it runs wherever pods do. */
export function agentDaemonSetOf(values: InstallValues): DaemonSet {
  const { namespace } = values;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: agentName, namespace, labels: { ...agentLabels } },
    spec: {
      selector: { matchLabels: { ...agentSelectorLabels } },
      // A new agent knows after one period of its probes; what takes longer, or fails, shall not be everywhere at once.
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: { metadata: { labels: { ...agentLabels } }, spec: podSpec(values) },
    },
  };
}

function podSpec(values: InstallValues): PodSpec {
  const { imagePullSecrets, agent } = values;
  return {
    serviceAccountName: agentName,
    automountServiceAccountToken: true,
    priorityClassName: 'system-node-critical',
    terminationGracePeriodSeconds: 10,
    tolerations: [{ operator: 'Exists' }],
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    nodeSelector: { 'kubernetes.io/os': 'linux', ...agent.nodeSelector },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container(values)],
  };
}

function container({ image, agent, logLevel }: InstallValues): Container {
  const fromPod = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    name: 'agent',
    image,
    args: [
      'agent',
      `--lease-duration=${agent.leaseSeconds}`,
      `--max-probes=${agent.maxProbes}`,
      ...(agent.allowExec ? ['--allow-exec'] : []),
      `--log-level=${logLevel}`,
      `--health-port=${ports.health}`,
    ],
    env: [
      fromPod('NODE_NAME', 'spec.nodeName'),
      fromPod('POD_NAME', 'metadata.name'),
      fromPod('POD_NAMESPACE', 'metadata.namespace'),
    ],
    ports: [{ name: 'health', containerPort: ports.health, protocol: 'TCP' }],
    readinessProbe: probe('/readyz', 5, 2),
    livenessProbe: probe('/healthz', 10, 6),
    resources: { requests: { ...agent.resources.requests }, limits: { ...agent.resources.limits } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

function probe(path: string, periodSeconds: number, failureThreshold: number): Probe {
  return { httpGet: { path, port: 'health' }, periodSeconds, timeoutSeconds: 2, failureThreshold };
}

/** Agents call pods at any port, so that only what may come to them can be limited. Undefined: nobody wants a policy. */
export function agentNetworkPolicyOf({ namespace, apiServerPorts }: InstallValues): NetworkPolicy | undefined {
  if (apiServerPorts.length === 0) return undefined;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: agentName, namespace, labels: { ...agentLabels } },
    spec: {
      podSelector: { matchLabels: { ...agentSelectorLabels } },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP', port: ports.health }] }],
    },
  };
}
