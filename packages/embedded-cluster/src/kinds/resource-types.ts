import type { ResourceKey } from '../objects.ts';
import { type BuiltinRules, builtinTypes } from './builtin-types.ts';
import type { ResourceType, ResourceTypes } from './resource-type.ts';

/** The resources that are served, with a way in for those that CRDs define. */
export interface MutableResourceTypes extends ResourceTypes {
  /**
   * Puts the versions of one CRD in place of those it had before. A version without verbs is not served: objects may be
   * kept in it, and `storage` finds it.
   */
  replaceCustom(crdName: string, types: readonly ResourceType[]): void;
  removeCustom(crdName: string): void;
}

export function createResourceTypes(rules: BuiltinRules): MutableResourceTypes {
  return new ResourceTypeTable(builtinTypes(rules));
}

interface Index {
  readonly byPath: ReadonlyMap<string, ResourceType>;
  readonly byKind: ReadonlyMap<string, ResourceType>;
  readonly storage: ReadonlyMap<ResourceKey, ResourceType>;
  readonly versions: ReadonlyMap<ResourceKey, readonly ResourceType[]>;
}

class ResourceTypeTable implements MutableResourceTypes {
  readonly #builtin: readonly ResourceType[];
  readonly #custom = new Map<string, readonly ResourceType[]>();
  #index: Index;
  #generation = 1;

  constructor(builtin: readonly ResourceType[]) {
    this.#builtin = builtin;
    this.#index = indexOf(builtin);
  }

  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#index.byPath.get(`${group}/${version}/${plural}`);
  }

  byKind(group: string, version: string, kind: string): ResourceType | undefined {
    return this.#index.byKind.get(`${group}/${version}/${kind}`);
  }

  storage(key: ResourceKey): ResourceType | undefined {
    return this.#index.storage.get(key);
  }

  versions(key: ResourceKey): readonly ResourceType[] {
    return this.#index.versions.get(key) ?? [];
  }

  all(): Iterable<ResourceType> {
    return this.#index.byPath.values();
  }

  replaceCustom(crdName: string, types: readonly ResourceType[]): void {
    this.#custom.set(crdName, types);
    this.#changed();
  }

  removeCustom(crdName: string): void {
    if (this.#custom.delete(crdName)) this.#changed();
  }

  #changed(): void {
    this.#index = indexOf([...this.#builtin, ...[...this.#custom.values()].flat()]);
    this.#generation++;
  }
}

/** The first to claim a path, a kind or a key has it, so nothing that a CRD says can hide what is built in. */
function indexOf(types: readonly ResourceType[]): Index {
  const byPath = new Map<string, ResourceType>();
  const byKind = new Map<string, ResourceType>();
  const storage = new Map<ResourceKey, ResourceType>();
  for (const type of types) {
    if (type.version === type.storageVersion) setOnce(storage, type.key, type);
    if (type.verbs.length === 0) continue;
    setOnce(byPath, `${type.group}/${type.version}/${type.plural}`, type);
    setOnce(byKind, `${type.group}/${type.version}/${type.kind}`, type);
  }
  const versions = new Map<ResourceKey, ResourceType[]>();
  for (const type of byPath.values()) versions.set(type.key, [...(versions.get(type.key) ?? []), type]);
  return { byPath, byKind, storage, versions };
}

function setOnce<T>(map: Map<string, T>, key: string, value: T): void {
  if (!map.has(key)) map.set(key, value);
}
