/** What a terminating namespace says about its contents. */

import type { NamespaceCondition } from 'kubernetes-types/core/v1.js';

/** What is left of one resource. */
export interface Remaining {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
  /** How many of them each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface Findings {
  readonly failures: readonly string[];
  readonly remaining: readonly Remaining[];
}

type Wanted = Omit<NamespaceCondition, 'lastTransitionTime'>;

/** All conditions, in the order they are listed: those that hold, and for the others that all is well. */
export function deletionConditions(
  before: readonly NamespaceCondition[] | undefined,
  findings: Findings,
  now: string,
): NamespaceCondition[] {
  const conditions = [...(before ?? [])];
  for (const wanted of wantedConditions(findings)) {
    const index = conditions.findIndex(({ type }) => type === wanted.type);
    const old = conditions[index];
    const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now;
    if (old) conditions[index] = { ...wanted, lastTransitionTime };
    else conditions.push({ ...wanted, lastTransitionTime });
  }
  return conditions;
}

function wantedConditions({ failures, remaining }: Findings): Wanted[] {
  return [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    contentFailure(failures),
    contentRemaining(remaining),
    finalizersRemaining(remaining),
  ];
}

function fine(type: string, reason: string, message: string): Wanted {
  return { type, status: 'False', reason, message };
}

function contentFailure(failures: readonly string[]): Wanted {
  const type = 'NamespaceDeletionContentFailure';
  if (failures.length === 0) {
    return fine(type, 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization');
  }
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
  return { type, status: 'True', reason: 'ContentDeletionFailed', message };
}

function contentRemaining(remaining: readonly Remaining[]): Wanted {
  const type = 'NamespaceContentRemaining';
  const texts = remaining
    .filter(({ count }) => count > 0)
    .map(({ group, resource, count }) => `${resource}.${group} has ${count} resource instances`);
  if (texts.length === 0) return fine(type, 'ContentRemoved', 'All content successfully removed');
  const message = `Some resources are remaining: ${texts.sort().join(', ')}`;
  return { type, status: 'True', reason: 'SomeResourcesRemain', message };
}

function finalizersRemaining(remaining: readonly Remaining[]): Wanted {
  const type = 'NamespaceFinalizersRemaining';
  const counts = new Map<string, number>();
  for (const { finalizers } of remaining) {
    for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  if (counts.size === 0) return fine(type, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished');
  const texts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${texts.sort().join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}
