import { sameJson } from '@holdfast/base/json';
import { clone, type KubeObject } from '../../objects.ts';
import type { PodObject } from '../common/workloads.ts';
import { sliceLabels } from './documents.ts';
import { addressMember, familiesOf, selectsPod, sliceMembers } from './members.ts';
import { SliceSet } from './slice-set.ts';
import { type Subsets, subsetsOf } from './subsets.ts';
import type { AddressMember, ServiceObject, SliceObject } from './types.ts';

/** What is known of one service's endpoints, brought up to date pod by pod. */
export class ServiceState {
  readonly slices: SliceSet;
  readonly #service: ServiceObject;
  readonly #addresses = new Map<string, AddressMember>();
  #addressesChanged = true;

  constructor(service: ServiceObject, slices: readonly SliceObject[]) {
    this.#service = service;
    const families: readonly string[] = familiesOf(service);
    this.slices = SliceSet.of(slices.filter(({ addressType }) => families.includes(addressType)).map(clone));
    const labels = sliceLabels(service);
    for (const slice of this.slices.all()) if (!sameJson(slice.object?.metadata.labels, labels)) slice.dirty = true;
  }

  /** Looks at one pod again; undefined: it is gone. */
  update(podName: string, pod: PodObject | undefined, zone: string | undefined): void {
    const chosen = pod && selectsPod(this.#service, pod.metadata.labels) ? pod : undefined;
    const members = chosen ? sliceMembers(this.#service, chosen, zone) : [];
    for (const family of familiesOf(this.#service)) {
      const member = members.find((one) => one.family === family);
      this.slices.place(podName, family, member);
    }
    this.#setAddress(podName, chosen && addressMember(this.#service, chosen));
  }

  ensurePlaceholders(): void {
    for (const family of familiesOf(this.#service)) this.slices.ensurePlaceholder(family);
  }

  /** The addresses, if they are not what they were the last time. */
  takeSubsets(): Subsets | undefined {
    if (!this.#addressesChanged) return undefined;
    this.#addressesChanged = false;
    return subsetsOf(this.#addresses.values());
  }

  #setAddress(podName: string, member: AddressMember | undefined): void {
    if (sameJson(this.#addresses.get(podName), member)) return;
    this.#addressesChanged = true;
    if (member) this.#addresses.set(podName, member);
    else this.#addresses.delete(podName);
  }
}

/** Slices of families that the service does not have any more. */
export function strandedSlices(service: ServiceObject, slices: readonly SliceObject[]): readonly KubeObject[] {
  const families: readonly string[] = familiesOf(service);
  return slices.filter(({ addressType }) => !families.includes(addressType));
}
