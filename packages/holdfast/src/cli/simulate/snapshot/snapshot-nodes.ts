import { isObject } from '@holdfast/base/json';
import { createNodes } from '@holdfast/embedded-cluster';
import { sim } from '@holdfast/embedded-cluster/objects';
import type { LoadedObject } from '../../load-objects.ts';
import type { SnapshotPod } from './snapshot-pods.ts';

export interface CompletedNodes {
  readonly nodes: readonly LoadedObject[];
  readonly notes: readonly string[];
}

/** Every node that a pod names is there; one that did not answer goes on not answering. */
export function completeNodes(
  nodes: readonly LoadedObject[],
  pods: readonly SnapshotPod[],
  meantUids: ReadonlyMap<string, string>,
): CompletedNodes {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const named = pods.flatMap(({ spec }) =>
    spec?.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName],
  );
  const missing = [...new Set(named)].filter((name) => !known.has(name)).sort();
  const silent = nodes.filter(isSilent);
  const notes: string[] = [];
  if (missing.length > 0) {
    const size = 'each with 8 CPUs and 32Gi, in three zones';
    notes.push(
      `${counted(missing, 'node')} made up, because pods are on ${missing.length === 1 ? 'it' : 'them'}: ${some(missing)} (${size})`,
    );
  }
  if (silent.length > 0) {
    const names = silent.map(({ metadata }) => metadata.name).sort();
    notes.push(`${counted(names, 'node')} not ready in the snapshot, and so for the whole simulation: ${some(names)}`);
  }
  const kept = nodes.map((node) => (isSilent(node) ? cutOff(node) : node));
  return { nodes: [...kept, ...standIns(missing, meantUids)], notes };
}

function isSilent({ status }: LoadedObject): boolean {
  const conditions =
    isObject(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isObject) : [];
  return conditions.some((one) => one['type'] === 'Ready' && one['status'] !== 'True');
}

function cutOff(node: LoadedObject): LoadedObject {
  const before = isObject(node.metadata['annotations']) ? node.metadata['annotations'] : {};
  return { ...node, metadata: { ...node.metadata, annotations: { ...before, [sim.down]: 'true' } } };
}

function standIns(names: readonly string[], uids: ReadonlyMap<string, string>): readonly LoadedObject[] {
  return createNodes(names.length).map((node, index) => {
    const name = names[index] ?? node.metadata.name;
    const labels = { ...node.metadata.labels, 'kubernetes.io/hostname': name };
    const uid = uids.get(name);
    return { ...node, metadata: { ...node.metadata, name, labels, ...(uid === undefined ? {} : { uid }) } };
  });
}

const maxNamed = 10;

function some(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(', ')}${more}`;
}

function counted(names: readonly string[], noun: string): string {
  return names.length === 1 ? `1 ${noun} is` : `${names.length} ${noun}s are`;
}
