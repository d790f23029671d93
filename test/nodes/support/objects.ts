/** Objects for nodes with containers: what they run is the test application of the test bed. */

const readiness = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 };

export interface AppWish {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly graceSeconds?: number;
  readonly container?: object;
}

export function appSpec({ image = 'holdfast.test/app:1', args = [], graceSeconds = 5, container = {} }: AppWish = {}) {
  const serve = args.length === 0 ? {} : { args: ['serve', ...args] };
  return {
    terminationGracePeriodSeconds: graceSeconds,
    containers: [{ name: 'app', image, ...serve, readinessProbe: readiness, ...container }],
  };
}

/** No two neighbours: what is drained is spread, so that a drain touches many of them. */
function spread(labels: Readonly<Record<string, string>>) {
  const selector = { matchLabels: labels };
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: selector,
      },
    ],
  };
}

export function deployment(name: string, replicas: number, wish: AppWish = {}) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...appSpec(wish), ...spread(labels) } },
    },
  };
}

export function statefulSet(
  name: string,
  replicas: number,
  labels: Readonly<Record<string, string>>,
  wish: AppWish = {},
) {
  const all = { app: name, ...labels };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: all }, spec: { ...appSpec(wish), ...spread({ app: name }) } },
    },
  };
}

export function barePod(name: string, labels: Readonly<Record<string, string>>, wish: AppWish = {}, annotations = {}) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, annotations }, spec: appSpec(wish) };
}

export function pub(name: string, spec: object) {
  return { apiVersion: 'policy.kruise.io/v1beta1', kind: 'PodUnavailableBudget', metadata: { name }, spec };
}

export function groupPdb(name: string, groupLabel: string, minAvailable: number, labels: object) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name,
      annotations: { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': groupLabel },
    },
    spec: { minAvailable, selector: { matchLabels: labels } },
  };
}
