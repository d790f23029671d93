import type { PodObject } from '../common/workloads.ts';
import { groupOf } from './groups.ts';

/** Which pods belong to which group, as long as they live. */
export class GroupMembers {
  readonly #groups = new Map<string, Set<string>>();
  /** Groups by the object that describes them: a workload may describe many. */
  readonly #sources = new Map<string, Set<string>>();

  set(pod: PodObject, isMember: boolean): void {
    const group = groupOf(pod);
    if (group === undefined) return;
    const uid = pod.metadata.uid ?? '';
    const source = sourceId(group.source.kind, group.namespace, group.source.name);
    if (isMember && pod.metadata.deletionTimestamp === undefined) {
      put(this.#groups, group.id, uid);
      put(this.#sources, source, group.id);
      return;
    }
    take(this.#groups, group.id, uid);
    if (!this.#groups.has(group.id)) take(this.#sources, source, group.id);
  }

  inGroup(id: string): readonly string[] {
    return [...(this.#groups.get(id) ?? [])];
  }

  /** Members of all groups that one object describes. */
  of(kind: string, namespace: string, name: string): readonly string[] {
    return [...(this.#sources.get(sourceId(kind, namespace, name)) ?? [])].flatMap((id) => this.inGroup(id));
  }
}

function sourceId(kind: string, namespace: string, name: string): string {
  return JSON.stringify([kind, namespace, name]);
}

function put(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function take(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set?.delete(value) && set.size === 0) sets.delete(key);
}
