import { apiGroupOf } from '@holdfast/base/meta';
import type { PodGroup, Workload } from '../../api/workload.ts';
import type { GroupClaim } from '../groups/claim.ts';
import { schedulingGroup } from '../groups/systems/native.ts';
import type { GroupDescription } from './group-node.ts';

/** The Workload and PodGroup objects of one namespace, which describe the groups that pods claim (G2). */
export class PodGroupObjects {
  readonly #podGroups = new Map<string, PodGroup>();
  readonly #workloads = new Map<string, Workload>();
  readonly #perParent = new Map<string, number>();

  get size(): number {
    return this.#podGroups.size + this.#workloads.size;
  }

  setPodGroup(podGroup: PodGroup): void {
    this.deletePodGroup(podGroup.apiVersion, podGroup.metadata.name);
    this.#podGroups.set(podGroupKey(apiGroupOf(podGroup.apiVersion), podGroup.metadata.name), podGroup);
    this.#countParent(podGroup, 1);
  }

  deletePodGroup(apiVersion: string, name: string): void {
    const key = podGroupKey(apiGroupOf(apiVersion), name);
    const present = this.#podGroups.get(key);
    if (present === undefined) return;
    this.#podGroups.delete(key);
    this.#countParent(present, -1);
  }

  setWorkload(workload: Workload): void {
    this.#workloads.set(workload.metadata.name, workload);
  }

  deleteWorkload(name: string): void {
    this.#workloads.delete(name);
  }

  /** How many PodGroup objects share a parent. */
  countOfParent(parent: string): number {
    return this.#perParent.get(parent) ?? 0;
  }

  describe(claim: GroupClaim): GroupDescription {
    if (claim.workload !== undefined) return this.#describeByWorkload(claim.workload);
    if (claim.object === undefined) return { kind: 'none' };
    const { apiGroup, name } = claim.object;
    const podGroup = this.#podGroups.get(podGroupKey(apiGroup, name));
    if (apiGroup !== schedulingGroup) return describeForeign(podGroup);
    return podGroup === undefined
      ? { kind: 'missing', what: `PodGroup ${name} does not exist` }
      : describeNative(podGroup);
  }

  #describeByWorkload(link: NonNullable<GroupClaim['workload']>): GroupDescription {
    const workload = this.#workloads.get(link.name);
    if (workload === undefined) return { kind: 'missing', what: `Workload ${link.name} does not exist` };
    const entry = workload.spec?.podGroups?.find((one) => one.name === link.podGroup);
    if (entry === undefined)
      return { kind: 'missing', what: `Workload ${link.name} has no pod group ${link.podGroup}` };
    const minimum = entry.policy?.gang?.minCount;
    if (minimum === undefined)
      return { kind: 'notGang', what: `pod group ${link.podGroup} of Workload ${link.name} is not a gang` };
    const { replicas } = entry;
    if (replicas !== undefined && replicas > 1 && link.replica === undefined) {
      const what = `pod group ${link.podGroup} of Workload ${link.name} has ${replicas} replicas, and the pod names none of them (podGroupReplicaIndex)`;
      return { kind: 'undivided', what };
    }
    return { kind: 'gang', minimum, all: false, ...(replicas === undefined ? {} : { replicas }) };
  }

  #countParent(podGroup: PodGroup, by: 1 | -1): void {
    const parent = templateOf(podGroup);
    if (parent === undefined) return;
    const count = (this.#perParent.get(parent) ?? 0) + by;
    if (count > 0) this.#perParent.set(parent, count);
    else this.#perParent.delete(parent);
  }
}

function podGroupKey(apiGroup: string, name: string): string {
  return `${apiGroup}/${name}`;
}

function describeNative(podGroup: PodGroup): GroupDescription {
  const minimum = podGroup.spec?.schedulingPolicy?.gang?.minCount;
  const all = disruptsAll(podGroup);
  if (minimum === undefined && !all)
    return { kind: 'notGang', what: `PodGroup ${podGroup.metadata.name} is not a gang` };
  const parent = templateOf(podGroup);
  return {
    kind: 'gang',
    all,
    ...(minimum === undefined ? {} : { minimum }),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** The objects of other systems only add a minimum; without the object the pods still claim their group. */
function describeForeign(podGroup: PodGroup | undefined): GroupDescription {
  const minimum = podGroup?.spec?.minMember;
  return minimum === undefined ? { kind: 'none' } : { kind: 'gang', minimum, all: false };
}

function disruptsAll(podGroup: PodGroup): boolean {
  const mode = podGroup.spec?.disruptionMode;
  return typeof mode === 'string' ? mode === 'PodGroup' : mode?.all !== undefined;
}

/** The template of a Workload that a PodGroup was made from: 1.37 and 1.36 say it in different words. */
function templateOf(podGroup: PodGroup): string | undefined {
  const now = podGroup.spec?.workloadRef;
  if (now?.workloadName !== undefined) return templateKey(now.workloadName, now.templateName);
  const before = podGroup.spec?.podGroupTemplateRef?.workload;
  return before?.workloadName === undefined ? undefined : templateKey(before.workloadName, before.podGroupTemplateName);
}

function templateKey(workload: string, template: string | undefined): string {
  return `template/${workload}/${template ?? ''}`;
}
