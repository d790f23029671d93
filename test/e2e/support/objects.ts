/** Objects that the tests write. Pods of workloads end soon, so that no test waits for grace periods. */

export interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly object[];
    readonly finalizers?: readonly string[];
  };
  readonly [field: string]: unknown;
}

type Labels = Readonly<Record<string, string>>;

const container = { name: 'main', image: 'example.com/app:1' };
const podSpec = { terminationGracePeriodSeconds: 2, containers: [container] };
/** As real kubelets need for it, and long enough for the API server to find the pod terminating after we completed its eviction. */
export const stopping = { 'sim.holdfast.dev/stop-delay': '1s' };

export interface PodWish {
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly node?: string;
  /**
   * Default: the pod never goes entirely, so that a test sees what became of it however fast a kubelet is: an eviction that we
   * complete is answered with 404 when the pod is gone before the API server looks.
   */
  readonly goes?: boolean;
  readonly ownerReferences?: readonly object[];
  readonly spec?: object;
}

export function pod(name: string, wish: PodWish = {}): Named {
  const { labels = { app: 'web' }, annotations, node, goes = false, ownerReferences, spec } = wish;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels,
      ...(goes ? {} : { finalizers: ['e2e.holdfast.dev/stays'] }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: { ...podSpec, ...(node === undefined ? {} : { nodeName: node }), ...spec },
  };
}

/** A Deployment or a StatefulSet whose pods have the label `app` with its name. */
export function workload(kind: 'Deployment' | 'StatefulSet', name: string, replicas: number, more: object = {}): Named {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      replicas,
      ...(kind === 'StatefulSet' ? { serviceName: name, podManagementPolicy: 'Parallel' } : {}),
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name }, annotations: stopping }, spec: podSpec },
      ...more,
    },
  };
}

export function pdb(name: string, spec: object, annotations: Labels = {}): Named {
  const selector = { matchLabels: { app: 'web' } };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, annotations },
    spec: { selector, ...spec },
  };
}

export function pub(name: string, spec: object, version: 'v1alpha1' | 'v1beta1' = 'v1alpha1'): Named {
  const target = 'targetRef' in spec || 'selector' in spec ? {} : { selector: { matchLabels: { app: 'web' } } };
  return {
    apiVersion: `policy.kruise.io/${version}`,
    kind: 'PodUnavailableBudget',
    metadata: { name },
    spec: { ...target, ...spec },
  };
}

/** Groups of a leader and workers. */
export function leaderWorkerSet(name: string, replicas: number, size: number): Named {
  const template = (role: string) => ({
    metadata: { labels: { app: name, role }, annotations: stopping },
    spec: { terminationGracePeriodSeconds: 2, containers: [{ name: role, image: `example.com/${role}:1` }] },
  });
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name },
    spec: {
      replicas,
      leaderWorkerTemplate: { size, leaderTemplate: template('leader'), workerTemplate: template('worker') },
    },
  };
}

/** The versions of Kubernetes' own scheduling API that have PodGroups as pods name them, newest first: of 1.37 and of 1.36. */
export const podGroupVersions = ['v1beta1', 'v1alpha2'] as const;
export type PodGroupVersion = (typeof podGroupVersions)[number];

/** A gang of that API. */
export function podGroup(name: string, minCount: number, version: PodGroupVersion): Named {
  return {
    apiVersion: `scheduling.k8s.io/${version}`,
    kind: 'PodGroup',
    metadata: { name },
    spec: { schedulingPolicy: { gang: { minCount } } },
  };
}
