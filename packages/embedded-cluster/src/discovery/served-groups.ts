import type { ResourceType, ResourceTypes } from '../kinds/resource-type.ts';
import { compareVersions } from '../kinds/version-order.ts';

export interface ServedVersion {
  readonly version: string;
  /** By plural, in alphabetical order. */
  readonly types: readonly ResourceType[];
}

export interface ServedGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[];
}

/** What is served now: built-in groups in the order in which they are built in, then those of CRDs by name. */
export function servedGroups(types: ResourceTypes): readonly ServedGroup[] {
  const builtin = new Map<string, ResourceType[]>();
  const custom = new Map<string, ResourceType[]>();
  for (const type of types.all()) {
    const known = builtin.get(type.group);
    if (known) known.push(type);
    else if (type.custom === undefined) builtin.set(type.group, [type]);
    else custom.set(type.group, [...(custom.get(type.group) ?? []), type]);
  }
  const customByName = [...custom].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...builtin, ...customByName].map(([group, of]) => ({ group, versions: versionsOf(of) }));
}

function versionsOf(types: readonly ResourceType[]): ServedVersion[] {
  const byVersion = new Map<string, ResourceType[]>();
  for (const type of types) byVersion.set(type.version, [...(byVersion.get(type.version) ?? []), type]);
  return [...byVersion]
    .sort(([a], [b]) => compareVersions(a, b))
    .map(([version, of]) => ({ version, types: of.sort((a, b) => (a.plural < b.plural ? -1 : 1)) }));
}

/** Where a version's paths begin, without the leading slash: also its name in the OpenAPI index. */
export function pathOfVersion(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}
