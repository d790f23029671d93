import { type Fields, isObject } from '../../api/json.ts';
import type { Condition } from '../../api/meta.ts';
import type { ContainerStatus, Pod, PodPhase, PodSpec, PodStatus } from '../../api/pod.ts';
import type { Interner } from './interner.ts';
import { type Draft, type MetaProjection, projectMeta } from './meta.ts';

/** A pod as we use it: a fraction of what the API server sends. */
export function projectPod(object: Fields, projection: MetaProjection): Pod {
  const { spec, status } = object;
  const pod: Draft<Pod> = { metadata: projectMeta(object, projection) };
  if (isObject(spec)) pod.spec = projectSpec(spec, projection.interner);
  if (isObject(status)) pod.status = projectStatus(status, projection.interner);
  return pod;
}

/** The fields that say which group a pod is in are small, and taken as they are. */
function projectSpec(spec: Fields, interner: Interner): PodSpec {
  const kept: Draft<PodSpec> = {};
  const { nodeName, schedulingGroup, workloadRef, workload, workloadReference } = spec;
  if (typeof nodeName === 'string') kept.nodeName = interner.of(nodeName);
  if (isObject(schedulingGroup)) kept.schedulingGroup = schedulingGroup;
  if (isObject(workloadRef)) kept.workloadRef = workloadRef;
  if (isObject(workload)) kept.workload = workload;
  if (isObject(workloadReference)) kept.workloadReference = workloadReference;
  const containers = objects(spec['containers']);
  if (containers.length > 0) kept.containers = containers.map((one) => projectContainer(one, interner));
  return kept;
}

function projectContainer({ name, disruptionProbe }: Fields, interner: Interner) {
  const kept: { name: string; disruptionProbe?: unknown } = { name: interner.of(String(name)) };
  if (disruptionProbe !== undefined) kept.disruptionProbe = disruptionProbe;
  return kept;
}

function projectStatus(status: Fields, interner: Interner): PodStatus {
  const kept: Draft<PodStatus> = {};
  const { phase, observedGeneration } = status;
  if (typeof phase === 'string') kept.phase = interner.of(phase) as PodPhase;
  const conditions = objects(status['conditions']);
  if (conditions.length > 0) kept.conditions = conditions.map((one) => projectCondition(one, interner));
  const containers = objects(status['containerStatuses']);
  if (containers.length > 0) kept.containerStatuses = containers.map((one) => projectContainerStatus(one, interner));
  if (typeof observedGeneration === 'number') kept.observedGeneration = observedGeneration;
  return kept;
}

function projectCondition(source: Fields, interner: Interner): Condition {
  const { type, status, lastTransitionTime, observedGeneration } = source;
  const kept: Draft<Condition> = {
    type: interner.of(String(type)),
    status: interner.of(String(status)) as Condition['status'],
  };
  if (typeof lastTransitionTime === 'string') kept.lastTransitionTime = interner.of(lastTransitionTime);
  if (typeof observedGeneration === 'number') kept.observedGeneration = observedGeneration;
  return kept;
}

function projectContainerStatus({ name, image, imageID }: Fields, interner: Interner): ContainerStatus {
  const kept: Draft<ContainerStatus> = { name: interner.of(String(name)) };
  if (typeof image === 'string') kept.image = interner.of(image);
  if (typeof imageID === 'string') kept.imageID = interner.of(imageID);
  return kept;
}

function objects(source: unknown): readonly Fields[] {
  return Array.isArray(source) ? source.filter(isObject) : [];
}
