import { schedulingGroup } from '../../core/groups/systems/native.ts';
import type { World } from '../../core/world/world.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { podGroupProjection, workloadProjection } from '../view/projections.ts';
import { type Gap, listRight } from './gap.ts';
import type { KindReader } from './kind-reader.ts';
import type { Scope } from './scope.ts';

export interface GroupReading {
  readonly reader: KindReader;
  readonly world: World;
  readonly interner: Interner;
  readonly scope: Scope;
}

const follows = 'they describe groups that pods name, so every pod is refused';

/** Reads the objects that describe groups, only of those APIs that a pod names: the others need no rights. */
export async function readGroupObjects(reading: GroupReading): Promise<readonly Gap[]> {
  const apis = namedApis(reading.world);
  const gaps: Gap[] = [];
  for (const group of apis) gaps.push(...(await readPodGroups(group, reading)));
  if (gaps.length === 0) reading.world.setSynced('podGroups', '0');
  const workloads = apis.has(schedulingGroup) ? await readWorkloads(reading) : undefined;
  if (workloads === undefined) reading.world.setSynced('workloads', '0');
  return workloads === undefined ? gaps : [...gaps, workloads];
}

/** The APIs of group objects that pods name. */
export function namedApis(world: World): ReadonlySet<string> {
  const apis = new Set<string>();
  for (const state of world.namespaces()) {
    for (const { claims } of state.pods.values()) {
      for (const { object, workload } of claims) {
        if (object !== undefined) apis.add(object.apiGroup);
        if (workload !== undefined) apis.add(schedulingGroup);
      }
    }
  }
  return apis;
}

async function readPodGroups(group: string, { reader, world, interner, scope }: GroupReading): Promise<readonly Gap[]> {
  const kind = { group, kind: 'PodGroup' };
  const read = await reader.list({ kind, scope, project: (resource) => podGroupProjection(interner, resource) });
  if (read.kind === 'denied') return [deniedGroupGap('podgroups', group, read.why)];
  for (const one of read.kind === 'read' ? read.items : []) world.upsertPodGroup(one);
  return [];
}

async function readWorkloads({ reader, world, interner, scope }: GroupReading): Promise<Gap | undefined> {
  const kind = { group: schedulingGroup, kind: 'Workload' };
  const read = await reader.list({ kind, scope, project: () => workloadProjection(interner) });
  if (read.kind === 'denied') return deniedGroupGap('workloads', schedulingGroup, read.why);
  for (const one of read.kind === 'read' ? read.items : []) world.upsertWorkload(one);
  return undefined;
}

export function deniedGroupGap(plural: string, group: string, why: string): Gap {
  return { what: `${plural}.${group}`, why, follows, right: listRight(group, plural, 'all') };
}
