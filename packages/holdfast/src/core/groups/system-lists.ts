import type { PodMaker } from './pod-maker.ts';
import type { SystemKind, SystemOwnerKind } from './system.ts';
import { groupSystems } from './systems.ts';

/** What other rooms need to know of all group systems together. Nothing here names one of them. */

/** The kinds that own pods of groups. */
export const systemOwners: readonly SystemOwnerKind[] = groupSystems.flatMap(({ owners = [] }) => owners);

const groupScales: ReadonlySet<string> = new Set(
  systemOwners.filter(({ scale }) => scale === 'groups').map(({ group, kind }) => `${group}/${kind}`),
);

/** Whether the scale of an owner counts groups, not pods. */
export function scaleCountsGroups(group: string, kind: string): boolean {
  return groupScales.has(`${group}/${kind}`);
}

const groupObjects = groupSystems.flatMap((system) => system.groupObjects ?? []);

/** The API groups that have a kind PodGroup. */
export const podGroupApis: readonly string[] = groupObjects
  .filter(({ kind }) => kind === 'PodGroup')
  .map(({ group }) => group);

/** The domains of the annotations by which pods name and describe their groups. */
export const groupAnnotationDomains: ReadonlySet<string> = new Set(
  groupSystems.flatMap(({ annotations = [] }) => annotations).map((key) => key.slice(0, key.indexOf('/'))),
);

export const systemPodMakers: readonly PodMaker[] = groupSystems.flatMap(({ podMakers = [] }) => podMakers);

/** What the operator must be allowed to do to know the groups of pods. */
export interface GroupRight {
  readonly why: string;
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** One right for each API group. Objects that describe groups are only followed; owners are also looked up one by one. */
export const groupRights: readonly GroupRight[] = [
  ...rights('finds groups and their minimum', groupObjects, ['list', 'watch']),
  ...rights('knows how many groups there should be', systemOwners, ['get', 'list', 'watch']),
];

function rights(why: string, kinds: readonly SystemKind[], verbs: readonly string[]): readonly GroupRight[] {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  return groups.map((group) => {
    const resources = kinds.filter((one) => one.group === group).map(({ resource }) => resource);
    return { why, group, resources, verbs };
  });
}
