import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';

/** The objects of a scenario. */

export const namespace = 'shop';
/** A label with which some pods of an application are selected by a second budget. */
export const tierLabel = 'tier';
export const ordinalLabel = 'apps.kubernetes.io/pod-index';
export const cellLabel = 'cell';
/** For the judge alone: how many pods a group has whose size nothing tells Holdfast. */
export const sizeAnnotation = 'simulation.holdfast.dev/size';
/** A readiness gate with which a controller announces that it will update a pod in place. */
export const updateGate = 'InPlaceUpdateReady';
const lwsIndex = 'leaderworkerset.sigs.k8s.io/group-index';

/** What the pods of an application are like, beyond what all are. */
export interface PodTraits {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

export const gated: PodTraits = { spec: { readinessGates: [{ conditionType: updateGate }] } };
/** Replaced sooner than a slow call is answered. */
export const quick: PodTraits = {
  annotations: { 'sim.holdfast.dev/stop-delay': '100ms', 'sim.holdfast.dev/start-delay': '400ms' },
};
/** Simulated agents answer for it; what it would ask does not matter. */
export const probed: PodTraits = {
  annotations: { 'holdfast.dev/disruption-probe': JSON.stringify({ httpGet: { path: '/', port: 80 } }) },
};
/** Names a pod group of a Workload with several replicas, and none of the replicas. */
export const undivided: PodTraits = { spec: { workloadRef: { name: 'gang', podGroup: 'workers' } } };

/** Other memory means a restart, and another share of processors none. */
const container = {
  name: 'main',
  image: 'app:1',
  resources: { requests: { cpu: '100m', memory: '64Mi' } },
  resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
};

function template(app: string, { labels = {}, annotations = {}, spec = {} }: PodTraits) {
  return {
    metadata: { labels: { app, ...labels }, annotations },
    spec: { terminationGracePeriodSeconds: 30, containers: [container], ...spec },
  };
}

export function aStatefulSet(name: string, app: string, replicas: number, traits: PodTraits): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app, ...traits.labels } },
      template: template(app, traits),
    },
  };
}

export function aDeployment(name: string, replicas: number, traits: PodTraits): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, traits) },
  };
}

export function aLeaderWorkerSet(name: string, replicas: number, size: number, traits: PodTraits): KubeObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name, namespace },
    spec: { replicas, leaderWorkerTemplate: { size, workerTemplate: template(name, traits) } },
  };
}

export const gangWorkload: KubeObject = {
  apiVersion: 'scheduling.k8s.io/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'gang', namespace },
  spec: { podGroups: [{ name: 'workers', replicas: 2, policy: { gang: { minCount: 1 } } }] },
};

export type Limit = { readonly maxUnavailable: number } | { readonly minAvailable: number };

export interface PubTraits {
  /** Pods that make a group of a LeaderWorkerSet available; absent: each pod is a unit. */
  readonly groupMinimum?: number;
  /** How many units there are, whatever the owner says. */
  readonly total?: number;
}

export function aPub(
  name: string,
  labels: Readonly<Record<string, string>>,
  limit: Limit,
  { groupMinimum, total }: PubTraits = {},
): KubeObject {
  const policy = { groupLabelKey: lwsIndex, minReadyReplicas: groupMinimum ?? 1 };
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      ...limit,
      ...(groupMinimum === undefined ? {} : { podGroupPolicy: policy }),
      ...(total === undefined ? {} : { protectTotalReplicas: total }),
    },
  };
}

/** How a PDB counts groups: by the conventions, or by a label, with a minimum or else the full size. */
export interface Grouping {
  readonly label?: string;
  readonly minimum?: number;
}

export function aPdb(
  name: string,
  labels: Readonly<Record<string, string>>,
  limit: Limit,
  groups?: Grouping,
): KubeObject {
  const label = groups?.label === undefined ? {} : { 'holdfast.dev/group-label': groups.label };
  const minimum = groups?.minimum === undefined ? {} : { 'holdfast.dev/group-min-available': String(groups.minimum) };
  const annotations = groups === undefined ? {} : { 'holdfast.dev/budget-scope': 'PodGroup', ...label, ...minimum };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, annotations },
    spec: { selector: { matchLabels: labels }, ...limit },
  };
}
