import type { KubeObject, ResourceKey } from '../objects.ts';
import type { Schema } from './schema.ts';
import type { Strategy } from './strategy.ts';

/** One resource in one version, as a path names it: `/apis/apps/v1/.../deployments`. */
export interface ResourceType {
  readonly key: ResourceKey;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Objects are kept in this version; other versions are converted on the way in and out. */
  readonly storageVersion: string;
  readonly schema: Schema | undefined;
  readonly subresources: ReadonlyMap<string, SubresourceType>;
  readonly strategy: Strategy;
  readonly conversion: Conversion;
  readonly columns: TableColumns;
  readonly custom: CustomKind | undefined;
}

export interface SubresourceType {
  readonly name: string;
  readonly kind: string;
  /** Of the subresource's own kind, where it differs: `policy`/`v1` Eviction under pods. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** How an object of this resource becomes one of another version. */
export type Conversion =
  /** Versions differ in the apiVersion alone. */
  | { readonly kind: 'rename' }
  | { readonly kind: 'function'; convert(object: KubeObject, apiVersion: string): KubeObject }
  | {
      readonly kind: 'webhook';
      convert(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]>;
    };

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** The columns that `kubectl get` shows, and how a row's cells are computed. */
export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: KubeObject, nowMs: number): readonly unknown[];
}

/** What only CRDs have. Values of built-in kinds come from recorded data and from their strategy instead. */
export interface CustomKind {
  readonly crdName: string;
  readonly preserveUnknownFields: boolean;
  /** Whether the schema fills in anything, so that objects from before it did have to be looked at. */
  readonly hasDefaults?: boolean;
  readonly scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  readonly selectableFields: readonly string[];
}

/** All resources that are served now. CRDs come and go. */
export interface ResourceTypes {
  find(group: string, version: string, plural: string): ResourceType | undefined;
  byKind(group: string, version: string, kind: string): ResourceType | undefined;
  /** The type in its storage version. */
  storage(key: ResourceKey): ResourceType | undefined;
  /** The same resource in every version that is served. */
  versions(key: ResourceKey): readonly ResourceType[];
  all(): Iterable<ResourceType>;
  /** Changes with every change of the set, so that discovery can be cached. */
  readonly generation: number;
}
