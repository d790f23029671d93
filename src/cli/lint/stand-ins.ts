import { type Fields, isObject } from '../../api/json.ts';
import { matches, type Selector } from '../../api/label-selector.ts';
import type { StringMap } from '../../api/meta.ts';
import type { LoadedObject } from '../load-objects.ts';
import { Problem } from '../output/problem.ts';

/** More pods than any cluster has are a mistake in a manifest. */
const maxStandIns = 200_000;

/** The pods that workloads would have, were they running: one healthy pod for each replica. Workloads with pods of their own have them. */
export function withStandIns(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  const scaled = objects.map((object) => withScale(object, objects));
  const pods = scaled.filter(({ kind }) => kind === 'Pod');
  const standIns = scaled.flatMap((object) => (hasPods(object, pods) ? [] : podsOf(object)));
  return [...scaled, ...standIns];
}

const specOf = ({ spec }: Fields): Fields => (isObject(spec) ? spec : {});
const namespaceOf = ({ metadata }: LoadedObject): string => metadata.namespace ?? 'default';

/** Where a manifest leaves the number to an autoscaler, it is the lowest; else it is 1, as the API server has it. */
function withScale(object: LoadedObject, all: readonly LoadedObject[]): LoadedObject {
  const spec = specOf(object);
  if (templatesOf(object).length === 0 || spec['replicas'] !== undefined || object.kind === 'DaemonSet') return object;
  const scaler = all.find((one) => one.kind === 'HorizontalPodAutoscaler' && scales(one, object));
  const lowest = scaler === undefined ? undefined : specOf(scaler)['minReplicas'];
  return { ...object, spec: { ...spec, replicas: typeof lowest === 'number' ? lowest : 1 } };
}

function scales(scaler: LoadedObject, object: LoadedObject): boolean {
  const target = specOf(scaler)['scaleTargetRef'];
  const same = isObject(target) && target['kind'] === object.kind && target['name'] === object.metadata.name;
  return same && namespaceOf(scaler) === namespaceOf(object);
}

interface Template {
  readonly metadata: Fields;
  readonly spec: Fields;
}

function templatesOf(object: LoadedObject): readonly Template[] {
  const { template, leaderWorkerTemplate } = specOf(object);
  const group = isObject(leaderWorkerTemplate) ? leaderWorkerTemplate : {};
  return [group['leaderTemplate'], group['workerTemplate'], template]
    .filter(isObject)
    .filter(({ spec }) => isObject(spec) && Array.isArray(spec['containers']))
    .map(({ metadata, spec }) => ({ metadata: isObject(metadata) ? metadata : {}, spec: spec as Fields }));
}

function labelsOf({ metadata }: Pick<Template, 'metadata'>): StringMap {
  return isObject(metadata['labels']) ? (metadata['labels'] as StringMap) : {};
}

function hasPods(object: LoadedObject, pods: readonly LoadedObject[]): boolean {
  return templatesOf(object).some((template) => {
    const selector: Selector = Object.entries(labelsOf(template)).map(([key, value]) => ({
      op: 'In',
      key,
      values: [value],
    }));
    return pods.some((pod) => namespaceOf(pod) === namespaceOf(object) && matches(selector, labelsOf(pod)));
  });
}

function podsOf(object: LoadedObject): readonly LoadedObject[] {
  const [first, second] = templatesOf(object);
  if (first === undefined) return [];
  const { replicas, leaderWorkerTemplate, parallelism } = specOf(object);
  const count = whole(replicas) ?? whole(parallelism) ?? 1;
  if (isObject(leaderWorkerTemplate))
    return groupPods(object, first, second ?? first, count, whole(leaderWorkerTemplate['size']) ?? 1);
  checkCount(object, count);
  return Array.from({ length: count }, (_, i) => podOf(object, first, `${object.metadata.name}-${i}`, {}, {}));
}

function groupPods(
  object: LoadedObject,
  leader: Template,
  worker: Template,
  groups: number,
  size: number,
): readonly LoadedObject[] {
  checkCount(object, groups * size);
  const { name } = object.metadata;
  const prefix = 'leaderworkerset.sigs.k8s.io';
  return Array.from({ length: groups * size }, (_, i) => {
    const group = Math.floor(i / size);
    const labels = {
      [`${prefix}/name`]: name,
      [`${prefix}/group-index`]: String(group),
      [`${prefix}/worker-index`]: String(i % size),
    };
    const template = i % size === 0 ? leader : worker;
    return podOf(object, template, `${name}-${group}-${i % size}`, labels, { [`${prefix}/size`]: String(size) });
  });
}

function checkCount({ kind, metadata }: LoadedObject, count: number): void {
  if (count > maxStandIns)
    throw new Problem(`${kind} ${metadata.name} would have ${count} pods; at most ${maxStandIns} can be looked at`);
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function podOf(
  object: LoadedObject,
  template: Template,
  name: string,
  labels: StringMap,
  annotations: StringMap,
): LoadedObject {
  const { apiVersion, kind, metadata } = object;
  const uid = metadata['uid'] ?? `${kind}/${metadata.name}`;
  const own = isObject(template.metadata['annotations']) ? template.metadata['annotations'] : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: namespaceOf(object),
      labels: { ...labelsOf(template), ...labels },
      annotations: { ...own, ...annotations },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid, controller: true }],
    },
    spec: template.spec,
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
