/** Small objects for tests, complete as the API server would have them. */

import type {
  DaemonSetObject,
  DeploymentObject,
  JobObject,
  NodeObject,
  PodObject,
  PodTemplate,
  ReplicaSetObject,
  StatefulSetObject,
} from '../../src/controllers/common/workloads.ts';
import type { KubeObject } from '../../src/objects.ts';

export function template(image = 'app:1', labels: Record<string, string> = { app: 'web' }): PodTemplate {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } };
}

const selector = { matchLabels: { app: 'web' } };

function object<T extends KubeObject>(apiVersion: string, kind: string, name: string, spec: unknown): T {
  return { apiVersion, kind, metadata: { name, namespace: 'default' }, spec } as unknown as T;
}

export function replicaSet(name: string, spec: Partial<ReplicaSetObject['spec']> = {}): ReplicaSetObject {
  return object('apps/v1', 'ReplicaSet', name, { replicas: 3, selector, template: template(), ...spec });
}

export function deployment(name: string, spec: Partial<DeploymentObject['spec']> = {}): DeploymentObject {
  return object('apps/v1', 'Deployment', name, {
    replicas: 3,
    selector,
    template: template(),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    ...spec,
  });
}

export function statefulSet(name: string, spec: Partial<StatefulSetObject['spec']> = {}): StatefulSetObject {
  return object('apps/v1', 'StatefulSet', name, {
    replicas: 3,
    serviceName: name,
    selector,
    template: template(),
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    ...spec,
  });
}

export function daemonSet(name: string, spec: Partial<DaemonSetObject['spec']> = {}): DaemonSetObject {
  return object('apps/v1', 'DaemonSet', name, {
    selector,
    template: template(),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
    ...spec,
  });
}

export function job(name: string, spec: Partial<JobObject['spec']> = {}): JobObject {
  return object('batch/v1', 'Job', name, {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    selector,
    template: template(),
    ...spec,
  });
}

export function node(
  name: string,
  fields: { labels?: Record<string, string>; spec?: NodeObject['spec'] } = {},
): NodeObject {
  const { labels = {}, spec = {} } = fields;
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec };
}

export function pod(
  name: string,
  fields: Partial<PodObject['spec']> = {},
  status: PodObject['status'] = {},
): PodObject {
  const made = object<PodObject>('v1', 'Pod', name, { containers: [{ name: 'main', image: 'app:1' }], ...fields });
  made.metadata.labels = { app: 'web' };
  made.metadata.uid = `uid-${name}`;
  made.status = { phase: 'Running', ...status };
  return made;
}

export function ready(since = '2026-01-01T00:00:00Z'): PodObject['status'] {
  return { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] };
}
