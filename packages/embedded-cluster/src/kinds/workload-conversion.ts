import { isObject } from '@holdfast/base/json';
import type { KubeObject } from '../objects.ts';

/**
 * Workloads and pod groups keep the fields of every version under every version. One field changed its type: the
 * disruption mode was a word in v1alpha2 and is a choice of one member since.
 */
export function convertWorkload(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const mode = apiVersion === 'scheduling.k8s.io/v1alpha2' ? modeAsWord : modeAsMember;
  const { spec } = object;
  if (!isObject(spec)) return { ...object, apiVersion };
  const converted = withMode(spec, mode);
  const templates = converted['podGroupTemplates'];
  return {
    ...object,
    apiVersion,
    spec: Array.isArray(templates)
      ? { ...converted, podGroupTemplates: templates.map((template) => withMode(template, mode)) }
      : converted,
  };
}

function withMode<T>(holder: T, convert: (mode: unknown) => unknown): T {
  if (!isObject(holder) || holder['disruptionMode'] === undefined) return holder;
  return { ...holder, disruptionMode: convert(holder['disruptionMode']) };
}

function modeAsWord(mode: unknown): unknown {
  if (!isObject(mode)) return mode;
  return Object.hasOwn(mode, 'all') ? 'PodGroup' : 'Pod';
}

function modeAsMember(mode: unknown): unknown {
  if (mode === 'PodGroup') return { all: {} };
  return mode === 'Pod' ? { single: {} } : mode;
}
