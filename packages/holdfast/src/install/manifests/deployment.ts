import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type {
  Affinity,
  Container,
  PodAffinityTerm,
  PodSpec,
  Probe,
  TopologySpreadConstraint,
} from 'kubernetes-types/core/v1.js';
import {
  certificateFolder,
  certificateSecret,
  clientFolder,
  commonLabels,
  operatorName,
  ports,
  selectorLabels,
} from '../../api/installation-names.ts';
import type { InstallValues } from '../values/values.ts';

/** Longer than the longest request that may be under way, and the time in which endpoints forget a pod. */
const graceSeconds = 60;

export function deploymentOf(values: InstallValues): Deployment {
  const { namespace, replicas, hostNetwork, spread } = values;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: operatorName, namespace, labels: { ...commonLabels } },
    spec: {
      replicas,
      selector: { matchLabels: { ...selectorLabels } },
      // Where a node has room for one replica only, by its ports or by our own demand, the old pod must go before the new one can come.
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: hostNetwork ? 0 : 1, maxUnavailable: hostNetwork || spread === 'required' ? 1 : 0 },
      },
      template: { metadata: { labels: { ...commonLabels } }, spec: podSpec(values) },
    },
  };
}

function podSpec(values: InstallValues): PodSpec {
  const { imagePullSecrets, nodeSelector, hostNetwork, priorityClassName } = values;
  const mounts = mountsOf(values);
  return {
    serviceAccountName: operatorName,
    automountServiceAccountToken: true,
    priorityClassName,
    terminationGracePeriodSeconds: graceSeconds,
    ...(hostNetwork ? { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } : {}),
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    nodeSelector: { 'kubernetes.io/os': 'linux', ...nodeSelector },
    affinity: apart(values),
    topologySpreadConstraints: [acrossZones],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container(values, mounts)],
    ...(mounts.length === 0
      ? {}
      : { volumes: mounts.map(({ name, secretName }) => ({ name, secret: { secretName, defaultMode: 0o440 } })) }),
  };
}

interface SecretMount {
  readonly name: string;
  readonly secretName: string;
  readonly mountPath: string;
}

function mountsOf(values: InstallValues): readonly SecretMount[] {
  const secretName = mountedSecret(values);
  const { clientCertificates } = values.webhook;
  return [
    ...(secretName === undefined ? [] : [{ name: 'certificates', secretName, mountPath: certificateFolder }]),
    ...(clientCertificates === undefined
      ? []
      : [{ name: 'client-authority', secretName: clientCertificates.secretName, mountPath: clientFolder }]),
  ];
}

/** The Secret that others keep. Our own is read through the API, which is sooner than the kubelet's mounts. */
function mountedSecret({ certificates }: InstallValues): string | undefined {
  switch (certificates.source) {
    case 'own':
      return undefined;
    case 'cert-manager':
      return certificateSecret;
    case 'secret':
      return certificates.secretName;
  }
}

const byNode: PodAffinityTerm = {
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: { matchLabels: { ...selectorLabels } },
};

/** Demanded, because it fails closed: two replicas on one node would be lost together, and with them every guarded namespace. */
function apart({ spread }: InstallValues): Affinity {
  return {
    podAntiAffinity:
      spread === 'required'
        ? { requiredDuringSchedulingIgnoredDuringExecution: [byNode] }
        : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: byNode }] },
  };
}

const acrossZones: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: { ...selectorLabels } },
};

function container(values: InstallValues, mounts: readonly SecretMount[]): Container {
  return {
    name: 'operator',
    image: values.image,
    args: operatorArguments(values),
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ],
    ports: [
      { name: 'webhook', containerPort: ports.webhook, protocol: 'TCP' },
      { name: 'health', containerPort: ports.health, protocol: 'TCP' },
    ],
    readinessProbe: probe('/readyz', 2, 2),
    livenessProbe: probe('/healthz', 10, 6),
    resources: { requests: { ...values.resources.requests }, limits: { ...values.resources.limits } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    ...(mounts.length === 0
      ? {}
      : { volumeMounts: mounts.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })) }),
  };
}

function operatorArguments(values: InstallValues): string[] {
  const { mode, takeover, projection, featureGates, logLevel, certificates, webhook, agent } = values;
  const gates = Object.entries(featureGates).map(([gate, on]) => `${gate}=${on}`);
  return [
    'operator',
    ...(mode === 'observe' ? ['--mode=observe'] : []),
    `--takeover=${takeover}`,
    `--projection=${projection}`,
    ...(gates.length === 0 ? [] : [`--feature-gates=${gates.join(',')}`]),
    ...agent.allowProbeHosts.map((host) => `--allow-probe-host=${host}`),
    `--log-level=${logLevel}`,
    `--webhook-port=${ports.webhook}`,
    `--health-port=${ports.health}`,
    ...(certificates.source === 'own' ? [] : [`--certificates=${certificateFolder}`]),
    ...registrationArguments(webhook),
    ...(webhook.url === undefined ? [] : [`--webhook-url=${webhook.url}`]),
    ...clientArguments(webhook.clientCertificates),
    ...(webhook.bearer === undefined ? [] : [`--bearer=${webhook.bearer.join(',')}`]),
  ];
}

function registrationArguments(webhook: InstallValues['webhook']): string[] {
  const { registeredBy, failurePolicy, timeoutSeconds, caBundle } = webhook;
  if (registeredBy === 'install') return [];
  const authorities = caBundle === undefined ? [] : [`--webhook-ca-bundle=${Buffer.from(caBundle).toString('base64')}`];
  return [`--register-webhooks=${failurePolicy}`, `--webhook-timeout=${timeoutSeconds}`, ...authorities];
}

function clientArguments(clients: InstallValues['webhook']['clientCertificates']): string[] {
  if (clients === undefined) return [];
  return [`--client-ca-file=${clientFolder}/ca.crt`, `--client-names=${clients.names.join(',')}`];
}

function probe(path: string, periodSeconds: number, failureThreshold: number): Probe {
  return { httpGet: { path, port: 'health' }, periodSeconds, timeoutSeconds: 2, failureThreshold };
}
