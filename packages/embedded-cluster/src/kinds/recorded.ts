import type { JsonObject } from '../objects.ts';
import discovery from './data/discovery.json' with { type: 'json' };
import schemas from './data/schemas.json' with { type: 'json' };
import tables from './data/tables.json' with { type: 'json' };

/** What `scripts/record-kubernetes.ts` wrote down of a real API server. */

export interface RecordedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

export interface RecordedResource {
  readonly name: string;
  readonly kind: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly RecordedSubresource[];
}

export interface RecordedGroupVersion {
  readonly version: string;
  readonly resources: readonly RecordedResource[];
}

/** Groups and versions are in the order in which the server names them, the preferred version first. */
export interface RecordedGroup {
  readonly group: string;
  readonly versions: readonly RecordedGroupVersion[];
}

/** The part of the server's answer at `/version` that does not depend on how it was built. */
export interface RecordedVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

export interface RecordedDiscovery {
  readonly server: RecordedVersion;
  readonly groups: readonly RecordedGroup[];
}

/** Name, type, format and priority. */
export type RecordedColumn = readonly [name: string, type: string, format: string, priority: number];

export const recordedDiscovery: RecordedDiscovery = discovery;

/** The release whose behaviour the cluster follows. */
export const recordedVersion: RecordedVersion = recordedDiscovery.server;

/** By definition name. References hold the bare name of another definition. */
export const recordedDefinitions: Readonly<Record<string, JsonObject>> = schemas;

/** By `apiVersion/plural`. */
export const recordedTables = tables as unknown as Readonly<Record<string, readonly RecordedColumn[]>>;
