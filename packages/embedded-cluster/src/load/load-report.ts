import { keyOf } from '../objects.ts';
import type { LoadOutcome, SnapshotObject } from './load-object.ts';
import type { Gaps } from './missing.ts';

/** What became of a snapshot. Every object of it is in `loaded` or in a sentence of `notLoaded`. */
export interface LoadReport {
  readonly loaded: number;
  readonly notLoaded: readonly string[];
  /** What is not as it was, or will not stay so. */
  readonly notes: readonly string[];
}

export interface LoadResult {
  readonly snapshot: SnapshotObject;
  readonly outcome: LoadOutcome;
}

export function reportOf(results: readonly LoadResult[], gaps: Gaps): LoadReport {
  const loaded = results.filter(({ outcome }) => outcome.kind === 'loaded').length;
  return {
    loaded,
    notLoaded: [...unknownKinds(results), ...results.flatMap(sentenceOf)],
    notes: [...results.flatMap(droppedFields), ...gapNotes(gaps)],
  };
}

function unknownKinds(results: readonly LoadResult[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { snapshot, outcome } of results) {
    if (outcome.kind !== 'unknown-kind') continue;
    const kind = `${snapshot.apiVersion} ${snapshot.kind}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${counted(count, 'object')} of kind ${kind}, which is not served here`);
}

function sentenceOf({ snapshot, outcome }: LoadResult): readonly string[] {
  const name = nameOf(snapshot);
  switch (outcome.kind) {
    case 'loaded':
    case 'unknown-kind':
      return [];
    case 'left-out':
      return [`${name}: ${outcome.why}`];
    case 'exists':
      return [`${name}: is there already`];
    case 'invalid':
      return [`${name}: ${outcome.why}`];
  }
}

function droppedFields({ snapshot, outcome }: LoadResult): readonly string[] {
  if (outcome.kind !== 'loaded') return [];
  return outcome.dropped.map((text) => `${nameOf(snapshot)}: ${text} was dropped`);
}

function gapNotes({ namespaces, nodes, lostNodes, orphans }: Gaps): readonly string[] {
  const notes: string[] = [];
  if (namespaces.length > 0) notes.push(`created ${counted(namespaces.length, 'namespace')}: ${namespaces.join(', ')}`);
  if (nodes.length > 0) {
    notes.push(`the snapshot has no nodes: simulated ones stand in for ${nodes.join(', ')}`);
  }
  if (lostNodes.length > 0) {
    notes.push(`pods are on nodes that are not in the snapshot and will be removed: ${lostNodes.join(', ')}`);
  }
  for (const { owner, objects } of orphans) {
    notes.push(
      `${counted(objects, 'object')} of ${owner}, which is not in the snapshot, will be removed as garbage, with all that they own`,
    );
  }
  return notes;
}

function nameOf(snapshot: SnapshotObject): string {
  const { namespace, name } = snapshot.metadata;
  return `${snapshot.kind} ${keyOf({ metadata: typeof namespace === 'string' ? { namespace, name } : { name } })}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
