import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { ResourceType, ResourceTypes } from '../../kinds/resource-type.ts';
import type { KubeObject } from '../../objects.ts';
import type { View } from '../../view.ts';
import { errorMessageOf } from '../common/pod-writer.ts';
import type { Findings, Remaining } from './conditions.ts';

export interface ContentTools {
  readonly view: View;
  readonly client: Client;
  readonly types: ResourceTypes;
}

const deletesAtOnce = 100;

/** Deletes what is in a namespace, and says what is left. Pods come first: while they run, they may need all the rest. */
export async function deleteContents(tools: ContentTools, namespace: string): Promise<Findings> {
  const resources = namespacedTypes(tools.types);
  const pods = resources.filter(({ key }) => key === 'pods');
  const found = await deleteEach(tools, pods, namespace);
  if (found.remaining.length > 0 || found.failures.length > 0) return found;
  return deleteEach(
    tools,
    resources.filter(({ key }) => key !== 'pods'),
    namespace,
  );
}

/** One type for each collection, in the version that objects are kept in. */
function namespacedTypes(types: ResourceTypes): ResourceType[] {
  const byKey = new Map<string, ResourceType>();
  for (const type of types.all()) {
    const kept = types.storage(type.key);
    if (kept?.namespaced && type.verbs.includes('delete')) byKey.set(type.key, kept);
  }
  return [...byKey.values()];
}

async function deleteEach(tools: ContentTools, types: readonly ResourceType[], namespace: string): Promise<Findings> {
  const failures: string[] = [];
  const remaining: Remaining[] = [];
  for (const type of types) {
    const failure = await deleteOfType(tools, type, namespace);
    if (failure !== undefined) failures.push(failure);
    const left = tools.view.list(type.key, namespace);
    if (left.length > 0) remaining.push(summary(type, left));
  }
  return { failures, remaining };
}

async function deleteOfType(
  { view, client }: ContentTools,
  { key }: ResourceType,
  namespace: string,
): Promise<string | undefined> {
  const pending = view.list(key, namespace).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  let failure: string | undefined;
  for (let start = 0; start < pending.length; start += deletesAtOnce) {
    const tasks = pending.slice(start, start + deletesAtOnce).map(async ({ metadata: { name, uid } }) => {
      try {
        const preconditions = uid === undefined ? {} : { uid };
        await client.delete(key, namespace, name, { ...preconditions, propagationPolicy: 'Background' });
      } catch (error) {
        if (!isApiError(error, 404)) failure ??= errorMessageOf(error);
      }
    });
    await Promise.all(tasks);
  }
  return failure;
}

function summary({ group, plural }: ResourceType, left: readonly KubeObject[]): Remaining {
  const finalizers = new Map<string, number>();
  for (const { metadata } of left) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  return { group, resource: plural, count: left.length, finalizers };
}
