import type { StringMap } from '@holdfast/base/meta';
import { defaultNamespace, type InstallationMode } from '../../api/installation-names.ts';
import type { LogLevel } from '../../telemetry/log.ts';
import type { FeatureGates } from './feature-gates.ts';

export const takeoverModes = ['on', 'off'] as const;
export const projectionModes = ['on', 'off'] as const;

/** Why a word is no mode, if it is none. Both kinds of budgets are taken over since `on`; the former modes told them apart. */
export function takeoverProblem(word: unknown): string | undefined {
  if ((takeoverModes as readonly unknown[]).includes(word)) return undefined;
  const former = word === 'pdb' || word === 'always';
  return former
    ? `must be "on" or "off": "${word}" was replaced by "on", which is for PDBs and PUBs`
    : 'must be "on" or "off"';
}

export const spreads = ['required', 'preferred'] as const;
export const failurePolicies = ['Fail', 'Ignore'] as const;
export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** Who puts webhooks into their configurations. */
export const registrars = ['install', 'operator'] as const;
export const certificateSources = ['own', 'cert-manager', 'secret'] as const;

/** What can be chosen about an installation. */
export interface InstallValues {
  readonly namespace: string;
  readonly image: string;
  readonly imagePullSecrets: readonly string[];
  readonly replicas: number;
  /** Whether replicas must be on different nodes, or should. `preferred` is for clusters with fewer nodes than replicas. */
  readonly spread: (typeof spreads)[number];
  readonly resources: { readonly requests: StringMap; readonly limits: StringMap };
  /** `observe`: everything is judged, and nothing is refused, reserved or completed in any namespace. */
  readonly mode: InstallationMode;
  /** Whether the webhook completes the evictions itself that a budget of ours judged. */
  readonly takeover: (typeof takeoverModes)[number];
  /**
   * Whether `status.disruptionsAllowed` of a PodDisruptionBudget that Holdfast judges shows units, such as groups, that may be disrupted now.
   * Autoscalers and schedulers decide by this number. Kubernetes computes it in pods.
   */
  readonly projection: (typeof projectionModes)[number];
  readonly webhook: {
    readonly timeoutSeconds: number;
    readonly failurePolicy: (typeof failurePolicies)[number];
    /**
     * `install`: the configurations are applied with their webhooks, after the operator. `operator`: they are applied empty, and the operator
     * puts its webhooks into them when its replicas are available. That is for tools that apply everything at once, such as Helm.
     */
    readonly registeredBy: (typeof registrars)[number];
    /** Instead of the Service: where API servers find the webhooks, such as `https://10.0.0.7:9443`. */
    readonly url?: string;
    /** PEM. Only for certificates that neither we nor cert-manager make. */
    readonly caBundle?: string;
    /** API servers show client certificates: a Secret of the namespace whose `ca.crt` signs them, and names of which they have one. */
    readonly clientCertificates?: { readonly secretName: string; readonly names: readonly string[] };
    /** API servers show bearer tokens of these users. */
    readonly bearer?: readonly string[];
  };
  readonly certificates: {
    readonly source: (typeof certificateSources)[number];
    /** `secret`: its name, in the namespace; it holds tls.crt and tls.key. */
    readonly secretName?: string;
  };
  /** The prober of disruption probes, on each node. Without it every pod that has such a probe counts as not disruptable. */
  readonly agent: {
    readonly enabled: boolean;
    readonly resources: { readonly requests: StringMap; readonly limits: StringMap };
    /** How long its answers count after it was last heard of. */
    readonly leaseSeconds: number;
    /** Namespaces in which probes may run commands: the agents get the right to do so in every container there. */
    readonly execNamespaces: readonly string[];
    /**
     * Each agent may write for its own node only, by the node that its token names. Off, for API servers that do not name it, the
     * token of one node can speak for all.
     */
    readonly bindToNode: boolean;
    /** Hosts that probes may name instead of their own pod. Users who may create pods can then have the agents call them. */
    readonly allowProbeHosts: readonly string[];
    /** Addresses of nodes, such as `10.0.0.0/16`: probed pods on the network of their node are reached there. */
    readonly nodeCidrs: readonly string[];
    /** Probes under way at the same time, on one node. */
    readonly maxProbes: number;
    readonly nodeSelector: StringMap;
  };
  /** Only those that are to be other than they come. */
  readonly featureGates: Partial<FeatureGates>;
  readonly logLevel: LogLevel;
  /** For clusters whose API servers cannot reach the network of pods. */
  readonly hostNetwork: boolean;
  readonly nodeSelector: StringMap;
  readonly priorityClassName: string;
  /** Empty: no NetworkPolicy. Otherwise the ports that API servers may be called at. */
  readonly apiServerPorts: readonly number[];
  /**
   * Where API servers call the webhooks from. Empty: `holdfast install` reads their addresses; in a manifest that is applied
   * otherwise, any address.
   */
  readonly apiServerCidrs: readonly string[];
  /** Namespaces whose pods may read the metrics. */
  readonly monitoringNamespaces: readonly string[];
  /** Kinds that own pods and that only this cluster has: they are read to know how many pods there should be. */
  readonly ownerKinds: readonly { readonly group: string; readonly resource: string }[];
}

export const defaultInstallValues: InstallValues = {
  namespace: defaultNamespace,
  image: 'holdfast:0.1.0',
  imagePullSecrets: [],
  replicas: 3,
  spread: 'required',
  resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1536Mi' } },
  mode: 'enforce',
  takeover: 'on',
  projection: 'on',
  webhook: { timeoutSeconds: 10, failurePolicy: 'Fail', registeredBy: 'install' },
  certificates: { source: 'own' },
  agent: {
    enabled: true,
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    leaseSeconds: 40,
    execNamespaces: [],
    bindToNode: true,
    allowProbeHosts: [],
    nodeCidrs: [],
    maxProbes: 50,
    nodeSelector: {},
  },
  featureGates: {},
  logLevel: 'info',
  hostNetwork: false,
  nodeSelector: {},
  priorityClassName: 'system-cluster-critical',
  apiServerPorts: [443, 6443],
  apiServerCidrs: [],
  monitoringNamespaces: ['monitoring'],
  ownerKinds: [],
};
