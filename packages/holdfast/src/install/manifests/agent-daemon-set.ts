import type { DaemonSet } from 'kubernetes-types/apps/v1.js';
import type { Container, PodSpec, Probe } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy, NetworkPolicyPeer } from 'kubernetes-types/networking/v1.js';
import { agentLabels, agentName, agentSelectorLabels, ports } from '../../api/installation-names.ts';
import type { InstallValues } from '../values/values.ts';

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
      ...agent.execNamespaces.map((namespace) => `--exec-namespace=${namespace}`),
      ...agent.allowProbeHosts.map((host) => `--allow-probe-host=${host}`),
      `--log-level=${logLevel}`,
      `--health-port=${ports.health}`,
    ],
    env: [fromPod('NODE_NAME', 'spec.nodeName'), fromPod('POD_NAME', 'metadata.name')],
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

/** Where nodes keep what only they may ask, such as the metadata services of clouds with their credentials. */
const linkLocal = { v4: '169.254.0.0/16', v6: 'fe80::/10' };

const anywhere: NetworkPolicyPeer[] = [
  { ipBlock: { cidr: '0.0.0.0/0', except: [linkLocal.v4] } },
  { ipBlock: { cidr: '::/0', except: [linkLocal.v6] } },
];

/**
 * Agents call pods, at any port, API servers and name servers. Pods on the network of their node have its address, which no selector
 * finds: `nodeCidrs` names those. Undefined: the values ask for no policy.
 */
export function agentNetworkPolicyOf({ namespace, apiServerPorts, agent }: InstallValues): NetworkPolicy | undefined {
  if (apiServerPorts.length === 0) return undefined;
  const { nodeCidrs, allowProbeHosts } = agent;
  const tcp = (port: number) => ({ protocol: 'TCP', port });
  const probed: NetworkPolicyPeer[] = [
    { namespaceSelector: {} },
    ...nodeCidrs.map((cidr) => ({ ipBlock: { cidr } })),
    // The addresses behind a name are not known here.
    ...(allowProbeHosts.length === 0 ? [] : anywhere),
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: agentName, namespace, labels: { ...agentLabels } },
    spec: {
      podSelector: { matchLabels: { ...agentSelectorLabels } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [tcp(ports.health)] }],
      egress: [
        { to: probed },
        { to: anywhere, ports: apiServerPorts.map(tcp) },
        { to: anywhere, ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
      ],
    },
  };
}
