import { badRequest } from '../errors.ts';
import type { JsonObject, KubeObject, Metadata } from '../objects.ts';
import { getOwn, isJsonObject, setOwn } from '../schema/json-values.ts';
import type { ScalePaths } from './crd.ts';

/** autoscaling/v1 Scale: how many there should be and are, and which pods they are. */
export interface Scale extends KubeObject {
  apiVersion: 'autoscaling/v1';
  kind: 'Scale';
  spec: { replicas?: number };
  status: { replicas: number; selector?: string };
}

/** Reads the scale of an object where the paths say; what is not there counts as none. */
export function scaleOf(object: KubeObject, paths: ScalePaths): Scale {
  const replicas = integerAt(object, paths.specReplicasPath);
  const selector = paths.labelSelectorPath ? selectorAt(object, paths.labelSelectorPath) : '';
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata: Metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
  };
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: integerAt(object, paths.statusReplicasPath), ...(selector === '' ? {} : { selector }) },
  };
}

/** The object with another number of replicas; the given one is the caller's own copy and is changed. */
export function withReplicas(draft: KubeObject, paths: ScalePaths, replicas: number): KubeObject {
  const names = namesOf(paths.specReplicasPath);
  const last = names.pop() ?? '';
  let parent: JsonObject = draft;
  for (const name of names) {
    const next = getOwn(parent, name);
    if (isJsonObject(next)) parent = next;
    else {
      const created: JsonObject = {};
      setOwn(parent, name, created);
      parent = created;
    }
  }
  setOwn(parent, last, replicas);
  return draft;
}

function namesOf(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function valueAt(object: KubeObject, path: string): unknown {
  let value: unknown = object;
  for (const name of namesOf(path)) value = isJsonObject(value) ? getOwn(value, name) : undefined;
  return value;
}

function integerAt(object: KubeObject, path: string): number {
  const value = valueAt(object, path) ?? 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw badRequest(`${path} accessor error: ${String(value)} is of the type ${typeof value}, expected int64`);
}

/** Custom resources hold the text; built-in ones a selector, or a map of labels. */
function selectorAt(object: KubeObject, path: string): string {
  const value = valueAt(object, path);
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? selectorText(value) : '';
}

function selectorText(selector: Readonly<Record<string, unknown>>): string {
  const { matchLabels, matchExpressions } = selector;
  const bare = matchLabels === undefined && matchExpressions === undefined;
  const labels = bare ? selector : isJsonObject(matchLabels) ? matchLabels : {};
  const parts = Object.entries(labels).map(([key, value]) => ({ key, text: `${key}=${String(value)}` }));
  for (const expression of Array.isArray(matchExpressions) ? matchExpressions : []) {
    if (isJsonObject(expression)) parts.push({ key: String(expression['key']), text: requirementText(expression) });
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function requirementText(expression: Readonly<Record<string, unknown>>): string {
  const key = String(expression['key']);
  const values = Array.isArray(expression['values']) ? expression['values'].map(String).sort() : [];
  switch (expression['operator']) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}
