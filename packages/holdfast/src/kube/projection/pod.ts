import { type Fields, isObject } from '@holdfast/base/json';
import type { Condition, StringMap } from '@holdfast/base/meta';
import { condition, probePendingReason } from '../../api/names.ts';
import type { Container, ContainerStatus, Pod, PodPhase, PodSpec, PodStatus } from '../../api/pod.ts';
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
  const initContainers = objects(spec['initContainers']);
  if (initContainers.length > 0) kept.initContainers = initContainers.map((one) => projectContainer(one, interner));
  const { activeDeadlineSeconds } = spec;
  if (typeof activeDeadlineSeconds === 'number') kept.activeDeadlineSeconds = activeDeadlineSeconds;
  const gates = objects(spec['readinessGates']).map(({ conditionType }) => ({ conditionType: String(conditionType) }));
  // Only where a controller announces updates in place by one of them do the others matter.
  if (gates.some((gate) => gate.conditionType === condition.inPlaceUpdateReady)) kept.readinessGates = gates;
  return kept;
}

function projectContainer({ name, image, resources, disruptionProbe }: Fields, interner: Interner): Container {
  const kept: Draft<Container> = { name: interner.of(String(name)) };
  if (typeof image === 'string') kept.image = interner.of(image);
  if (isObject(resources)) kept.resources = resources;
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
  const init = objects(status['initContainerStatuses']);
  if (init.length > 0) kept.initContainerStatuses = init.map((one) => projectContainerStatus(one, interner));
  if (typeof observedGeneration === 'number') kept.observedGeneration = observedGeneration;
  return kept;
}

function projectCondition(source: Fields, interner: Interner): Condition {
  const { type, status, reason, lastTransitionTime, observedGeneration } = source;
  const kept: Draft<Condition> = {
    type: interner.of(String(type)),
    status: interner.of(String(status)) as Condition['status'],
  };
  // Whether a resize is put off or impossible, and whether a probe was answered, is nowhere else.
  const tells = type === 'PodResizePending' || (type === condition.disruptable && reason === probePendingReason);
  if (tells && typeof reason === 'string') kept.reason = interner.of(reason);
  if (typeof lastTransitionTime === 'string') kept.lastTransitionTime = interner.of(lastTransitionTime);
  if (typeof observedGeneration === 'number') kept.observedGeneration = observedGeneration;
  return kept;
}

/** The world keeps digests of what is not interned. */
function projectContainerStatus(source: Fields, interner: Interner): ContainerStatus {
  const { name, image, imageID, containerID, restartCount, started, allocatedResources } = source;
  const kept: Draft<ContainerStatus> = { name: interner.of(String(name)) };
  if (typeof image === 'string') kept.image = interner.of(image);
  if (typeof imageID === 'string') kept.imageID = interner.of(imageID);
  if (typeof containerID === 'string') kept.containerID = containerID;
  if (typeof restartCount === 'number') kept.restartCount = restartCount;
  if (typeof started === 'boolean') kept.started = started;
  if (isObject(allocatedResources)) kept.allocatedResources = allocatedResources as StringMap;
  return kept;
}

function objects(source: unknown): readonly Fields[] {
  return Array.isArray(source) ? source.filter(isObject) : [];
}
