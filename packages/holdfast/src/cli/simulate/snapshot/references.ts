import { isObject } from '@holdfast/base/json';
import { Problem } from '../../../observe/problem.ts';
import type { LoadedObject } from '../../load-objects.ts';
import { isPod } from './snapshot-pods.ts';
import { spaceOf } from './uids.ts';

/**
 * What pods cannot be made without, and whose content does not matter: their namespace, their service account, and their priority.
 * Where the snapshot was taken they are there, or the pods would not be.
 */
export function missingReferences(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  const known = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`));
  const made = new Map<string, LoadedObject>();
  const add = (object: LoadedObject) => {
    const key = `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    if (!known.has(key)) made.set(key, object);
  };
  for (const { metadata, spec = {} } of objects.filter(isPod)) {
    add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: spaceOf(metadata) } });
    const { serviceAccountName: account, priorityClassName: priority, priority: value = 0, preemptionPolicy } = spec;
    if (account !== undefined && account !== '' && account !== 'default') {
      add({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace: spaceOf(metadata) } });
    }
    if (priority !== undefined && priority !== '' && !priority.startsWith('system-')) {
      const policy = preemptionPolicy === undefined ? {} : { preemptionPolicy };
      add({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: priority },
        value,
        ...policy,
      });
    }
  }
  return [...made.values()];
}

const revisionLabel = 'controller-revision-hash';

/** Without the revisions that pods say they are of, StatefulSets and DaemonSets would take them for outdated, and replace them all. */
export function refuseLostRevisions(objects: readonly LoadedObject[]): void {
  const known = new Set<string>();
  for (const { kind, metadata } of objects) {
    if (kind !== 'ControllerRevision') continue;
    known.add(`${spaceOf(metadata)}/${metadata.name}`);
    const hash = labelOf(metadata, revisionLabel) ?? labelOf(metadata, 'controller.kubernetes.io/hash');
    if (hash !== undefined) known.add(`${spaceOf(metadata)}/${hash}`);
  }
  const lost = objects.filter(isPod).filter(({ metadata }) => {
    const revision = labelOf(metadata, revisionLabel);
    return revision !== undefined && !known.has(`${spaceOf(metadata)}/${revision}`);
  });
  const [first] = lost;
  if (first === undefined) return;
  const of = `${spaceOf(first.metadata)}/${first.metadata.name}`;
  throw new Problem(
    `the snapshot has pods of StatefulSets or DaemonSets, such as ${of}, but not their ControllerRevisions: all of these pods would count as outdated and be replaced`,
    'Add controllerrevisions.apps to what you export.',
  );
}

function labelOf(metadata: LoadedObject['metadata'], key: string): string | undefined {
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  const value = labels[key];
  return typeof value === 'string' ? value : undefined;
}
