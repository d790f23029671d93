import { type Fields, isObject } from '@holdfast/base/json';
import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import type { StringMap } from '@holdfast/base/meta';
import type { PodMarks, StandInGroup } from '../../core/groups/pod-maker.ts';
import { systemOwners } from '../../core/groups/system-lists.ts';
import { type PodTemplate, podTemplatesOf } from '../../core/lint/pod-templates.ts';
import { Problem } from '../../observe/problem.ts';
import type { LoadedObject } from '../load-objects.ts';
import { makerOf } from './group-labels.ts';

/** More pods than any cluster has are a mistake in a manifest. */
const maxStandIns = 200_000;

/** The pods that workloads would have, were they running: one healthy pod for each replica. Workloads with pods of their own have them. */
export function withStandIns(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  const scaled = objects.map((object) => withScale(object, objects));
  const pods = scaled.filter(({ kind }) => kind === 'Pod');
  const standIns = scaled.flatMap((object) => (hasPods(object, pods) ? [] : standInsOf(object)));
  return [...scaled, ...standIns];
}

const specOf = ({ spec }: Fields): Fields => (isObject(spec) ? spec : {});
const namespaceOf = ({ metadata }: LoadedObject): string => metadata.namespace ?? 'default';

/** Kinds whose own spec has no number of replicas: theirs is beside each template, or there is none. */
const unscaled: ReadonlySet<string> = new Set(['DaemonSet', 'Job', 'CronJob']);

/** Where a manifest leaves the number to an autoscaler, it is the lowest; else it is 1, as the API server has it. */
function withScale(object: LoadedObject, all: readonly LoadedObject[]): LoadedObject {
  const spec = specOf(object);
  if (spec['replicas'] !== undefined || unscaled.has(object.kind) || !isScalable(object)) return object;
  const scaler = all.find((one) => one.kind === 'HorizontalPodAutoscaler' && scales(one, object));
  const lowest = scaler === undefined ? undefined : specOf(scaler)['minReplicas'];
  return { ...object, spec: { ...spec, replicas: typeof lowest === 'number' ? lowest : 1 } };
}

/** Where the template of a pod is whose number is in the spec of its owner. */
const scaledPlaces: ReadonlySet<string> = new Set([
  'spec.template',
  ...systemOwners.filter(({ scale }) => scale !== 'none').flatMap(({ templates = [] }) => templates),
]);

function isScalable(object: LoadedObject): boolean {
  return podTemplatesOf(object).some(({ path }) => scaledPlaces.has(path));
}

function scales(scaler: LoadedObject, object: LoadedObject): boolean {
  const target = specOf(scaler)['scaleTargetRef'];
  const same = isObject(target) && target['kind'] === object.kind && target['name'] === object.metadata.name;
  return same && namespaceOf(scaler) === namespaceOf(object);
}

function labelsOf({ metadata }: { readonly metadata: Fields }): StringMap {
  return isObject(metadata['labels']) ? (metadata['labels'] as StringMap) : {};
}

function hasPods(object: LoadedObject, pods: readonly LoadedObject[]): boolean {
  return podTemplatesOf(object).some((template) => {
    const selector: Selector = Object.entries(labelsOf(template)).map(([key, value]) => ({
      op: 'In',
      key,
      values: [value],
    }));
    return pods.some((pod) => namespaceOf(pod) === namespaceOf(object) && matches(selector, labelsOf(pod)));
  });
}

/** Pods of all templates, and the PodGroup that the kind's controller would make. */
function standInsOf(object: LoadedObject): readonly LoadedObject[] {
  const maker = makerOf(object);
  const templates = podTemplatesOf(object);
  const sets = templates.map((template) => ({ template, ...maker.podSet(object, template) }));
  const total = sets.reduce((sum, { count }) => sum + count, 0);
  checkCount(object, total);
  const pods = sets.flatMap(({ template, count, mark }, set) =>
    Array.from({ length: count }, (_, index) =>
      podOf(object, template, `${nameOf(object, set)}-${index}`, mark(index)),
    ),
  );
  const group = total > 1 ? maker.podGroup?.(object, total) : undefined;
  return group === undefined ? pods : [...pods, groupOf(object, group)];
}

/** Names only have to be unique; those of the first template are as people know them from a StatefulSet. */
function nameOf({ metadata }: LoadedObject, set: number): string {
  return set === 0 ? metadata.name : `${metadata.name}-${set}`;
}

function groupOf(object: LoadedObject, { apiVersion, name, minMember }: StandInGroup): LoadedObject {
  return { apiVersion, kind: 'PodGroup', metadata: { name, namespace: namespaceOf(object) }, spec: { minMember } };
}

function checkCount({ kind, metadata }: LoadedObject, count: number): void {
  if (count > maxStandIns)
    throw new Problem(`${kind} ${metadata.name} would have ${count} pods; at most ${maxStandIns} can be looked at`);
}

function podOf(object: LoadedObject, template: PodTemplate, name: string, marks: PodMarks): LoadedObject {
  const { apiVersion, kind, metadata } = object;
  const uid = metadata['uid'] ?? `${kind}/${metadata.name}`;
  const own = isObject(template.metadata['annotations']) ? template.metadata['annotations'] : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: namespaceOf(object),
      labels: { ...labelsOf(template), ...marks.labels },
      annotations: { ...own, ...marks.annotations },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid, controller: true }],
    },
    spec: template.spec,
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
