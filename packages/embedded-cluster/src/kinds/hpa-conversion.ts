import { isObject } from '@holdfast/base/json';
import type { KubeObject } from '../objects.ts';

/**
 * autoscaling/v1 knows one metric, the use of CPU. The other metrics and the behaviour of a v2 object are kept in
 * annotations while it is read as v1, and come back from there.
 */

type Fields = Record<string, unknown>;

const kept = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;
const keptStatus = {
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

export function convertAutoscaler(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  return apiVersion === 'autoscaling/v1' ? toV1(object, apiVersion) : toV2(object, apiVersion);
}

function toV1(object: KubeObject, apiVersion: string): KubeObject {
  const spec: Fields = { ...(isObject(object['spec']) ? object['spec'] : {}) };
  const status: Fields = { ...(isObject(object['status']) ? object['status'] : {}) };
  const metrics: unknown[] = Array.isArray(spec['metrics']) ? spec['metrics'] : [];
  const cpu = metrics.findIndex((metric) => cpuTarget(metric) !== undefined);
  if (cpu >= 0) spec['targetCPUUtilizationPercentage'] = cpuTarget(metrics[cpu]);
  spec['metrics'] = metrics.filter((_, index) => index !== cpu);
  const annotations = { ...object.metadata.annotations, ...setAside(spec, kept), ...setAside(status, keptStatus) };
  status['currentReplicas'] ??= 0;
  return {
    ...object,
    apiVersion,
    metadata: Object.keys(annotations).length > 0 ? { ...object.metadata, annotations } : object.metadata,
    spec,
    status,
  };
}

function toV2(object: KubeObject, apiVersion: string): KubeObject {
  const { annotations: all, ...metadata } = object.metadata;
  const annotations = { ...all };
  const { targetCPUUtilizationPercentage: cpu, ...own } = isObject(object['spec']) ? object['spec'] : {};
  const spec: Fields = { ...own, ...takeBack(annotations, kept) };
  const status: Fields = {
    ...(isObject(object['status']) ? object['status'] : {}),
    ...takeBack(annotations, keptStatus),
  };
  delete status['currentCPUUtilizationPercentage'];
  const others: unknown[] = Array.isArray(spec['metrics']) ? spec['metrics'] : [];
  if (cpu !== undefined) spec['metrics'] = [...others, cpuMetric(cpu)];
  return {
    ...object,
    apiVersion,
    metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata,
    spec,
    status,
  };
}

function cpuTarget(metric: unknown): unknown {
  const resource = isObject(metric) && metric['type'] === 'Resource' ? metric['resource'] : undefined;
  const target = isObject(resource) && resource['name'] === 'cpu' ? resource['target'] : undefined;
  return isObject(target) && target['type'] === 'Utilization' ? target['averageUtilization'] : undefined;
}

function cpuMetric(averageUtilization: unknown): Fields {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

/** Moves fields into annotations; what is empty is dropped. */
function setAside(fields: Fields, names: Readonly<Record<string, string>>): Record<string, string> {
  const annotations: Record<string, string> = {};
  for (const [field, annotation] of Object.entries(names)) {
    const value = fields[field];
    delete fields[field];
    const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!empty) annotations[annotation] = JSON.stringify(value);
  }
  return annotations;
}

function takeBack(annotations: Record<string, string>, names: Readonly<Record<string, string>>): Fields {
  const fields: Fields = {};
  for (const [field, annotation] of Object.entries(names)) {
    const text = annotations[annotation];
    delete annotations[annotation];
    const value = text === undefined ? undefined : parsed(text);
    if (value !== undefined) fields[field] = value;
  }
  return fields;
}

/** A client may have written anything into the annotation. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
