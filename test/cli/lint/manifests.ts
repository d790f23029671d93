import { stringify } from 'yaml';
import { worldOf } from '../../../src/cli/feed-world.ts';
import { withStandIns } from '../../../src/cli/lint/stand-ins.ts';
import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { lint } from '../../../src/core/lint/lint.ts';

/** Manifests as people write them: no uids, no status, mostly no namespace. */

type Fields = Readonly<Record<string, unknown>>;

const container = { name: 'main', readinessProbe: { httpGet: { port: 80 } } };

export function pdb(name: string, spec: Fields, annotations: Fields = {}): LoadedObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, annotations },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

export function pub(name: string, spec: Fields): LoadedObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

interface TemplateWish {
  readonly annotations?: Fields;
  readonly labels?: Fields;
  readonly containers?: readonly Fields[];
}

const template = ({ annotations = {}, labels = {}, containers = [container] }: TemplateWish = {}) => ({
  metadata: { labels: { app: 'web', ...labels }, annotations },
  spec: { containers },
});

export function deployment(replicas: number | undefined, wish: TemplateWish = {}): LoadedObject {
  const spec = { ...(replicas === undefined ? {} : { replicas }), template: template(wish) };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
}

export function daemonSet(): LoadedObject {
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'web' }, spec: { template: template() } };
}

export function statefulSet(annotations: Fields): LoadedObject {
  const metadata = { name: 'web', annotations };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { replicas: 3, template: template() } };
}

export function leaderWorkerSet(replicas: number, size: number): LoadedObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'web' },
    spec: { replicas, leaderWorkerTemplate: { size, workerTemplate: template() } },
  };
}

export function autoscaler(minReplicas?: number): LoadedObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { scaleTargetRef, ...(minReplicas === undefined ? {} : { minReplicas }) },
  };
}

export function yamlOf(objects: readonly LoadedObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

/** The codes that manifests get, with the objects they are about. */
export function codesOf(objects: readonly LoadedObject[]): readonly string[] {
  return lint({ world: worldOf(withStandIns(objects)), objects }).map(
    ({ rule, object }) => `${rule.code} ${object.kind}`,
  );
}

export function messagesOf(objects: readonly LoadedObject[]): readonly string[] {
  return lint({ world: worldOf(withStandIns(objects)), objects }).map(({ message }) => message);
}
