import { sameJson } from '@holdfast/base/json';
import type { Endpoint, Family, ResolvedPort, SliceMember, SliceObject } from './types.ts';

export const maxEndpointsPerSlice = 100;

/** One slice as it is to be; `object` is how it was written last, and absent before that. */
export interface Slice {
  readonly family: Family;
  ports: readonly ResolvedPort[];
  readonly endpoints: Map<string, Endpoint>;
  object: SliceObject | undefined;
  dirty: boolean;
}

/**
 * The slices of one service. A pod stays in its slice while it can, so that a change of one pod is a change of one slice, however
 * many pods there are.
 */
export class SliceSet {
  readonly #byGroup = new Map<string, Slice[]>();
  readonly #where = new Map<string, Slice>();

  static of(objects: readonly SliceObject[]): SliceSet {
    const set = new SliceSet();
    for (const object of objects) set.#load(object);
    return set;
  }

  get count(): number {
    let count = 0;
    for (const slices of this.#byGroup.values()) count += slices.length;
    return count;
  }

  /** Pods that are in a slice now. */
  podNames(): Set<string> {
    return new Set([...this.#where.keys()].map((id) => id.slice(id.indexOf(' ') + 1)));
  }

  /** Puts a pod where it belongs, or takes it out. */
  place(podName: string, family: Family, member: SliceMember | undefined): void {
    const id = `${family} ${podName}`;
    const current = this.#where.get(id);
    if (current && (!member || !samePorts(current.ports, member.ports))) {
      current.endpoints.delete(id);
      current.dirty = true;
      this.#where.delete(id);
    }
    if (!member) return;
    const slice = this.#where.get(id) ?? this.#withRoom(family, member.ports);
    if (sameJson(slice.endpoints.get(id), member.endpoint)) return;
    slice.endpoints.set(id, member.endpoint);
    slice.dirty = true;
    this.#where.set(id, slice);
  }

  /** A service without endpoints has one empty slice for each family, so that clients can tell it from one that was not reconciled yet. */
  ensurePlaceholder(family: Family): void {
    for (const slices of this.#byGroup.values()) if (slices.some((slice) => slice.family === family)) return;
    this.#add(emptySlice(family, []));
  }

  all(): Slice[] {
    return [...this.#byGroup.values()].flat();
  }

  /** What has to be written, and what is empty and can go; the last slice of a family stays. */
  settle(): { readonly write: readonly Slice[]; readonly remove: readonly Slice[] } {
    const write: Slice[] = [];
    const remove: Slice[] = [];
    const filled = new Set(this.all().flatMap(({ family, endpoints }) => (endpoints.size > 0 ? [family] : [])));
    for (const slice of this.all()) {
      if (slice.endpoints.size > 0) {
        if (slice.dirty) write.push(slice);
      } else if (filled.has(slice.family)) {
        this.#drop(slice);
        remove.push(slice);
      } else {
        filled.add(slice.family);
        if (slice.ports.length > 0) this.#regroup(slice, []);
        if (slice.dirty) write.push(slice);
      }
    }
    return { write, remove };
  }

  #withRoom(family: Family, ports: readonly ResolvedPort[]): Slice {
    const slices = this.#byGroup.get(groupOf(family, ports));
    const found = slices?.find(({ endpoints }) => endpoints.size < maxEndpointsPerSlice);
    return found ?? this.#reuseEmpty(family, ports) ?? this.#add(emptySlice(family, ports));
  }

  /** The placeholder becomes the first real slice. */
  #reuseEmpty(family: Family, ports: readonly ResolvedPort[]): Slice | undefined {
    const empty = this.all().find((slice) => slice.family === family && slice.endpoints.size === 0);
    if (!empty) return undefined;
    return this.#regroup(empty, ports);
  }

  #regroup(slice: Slice, ports: readonly ResolvedPort[]): Slice {
    this.#drop(slice);
    slice.ports = ports;
    slice.dirty = true;
    return this.#add(slice);
  }

  #drop(slice: Slice): void {
    const group = groupOf(slice.family, slice.ports);
    const rest = (this.#byGroup.get(group) ?? []).filter((one) => one !== slice);
    if (rest.length > 0) this.#byGroup.set(group, rest);
    else this.#byGroup.delete(group);
  }

  #add(slice: Slice): Slice {
    const group = groupOf(slice.family, slice.ports);
    const slices = this.#byGroup.get(group);
    if (slices) slices.push(slice);
    else this.#byGroup.set(group, [slice]);
    return slice;
  }

  #load(object: SliceObject): void {
    const family = object.addressType as Family;
    const ports = (object.ports ?? []).map(({ name = '', port = 0, protocol = 'TCP', appProtocol }) => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    const slice: Slice = { family, ports, endpoints: new Map(), object, dirty: false };
    for (const endpoint of object.endpoints ?? []) {
      const id = `${family} ${endpoint.targetRef?.name ?? ''}`;
      // Another client may have added foreign or duplicate endpoints to our slices: those are rewritten.
      if (!endpoint.targetRef || this.#where.has(id)) slice.dirty = true;
      else {
        slice.endpoints.set(id, endpoint);
        this.#where.set(id, slice);
      }
    }
    this.#add(slice);
  }
}

function emptySlice(family: Family, ports: readonly ResolvedPort[]): Slice {
  return { family, ports, endpoints: new Map(), object: undefined, dirty: true };
}

function groupOf(family: Family, ports: readonly ResolvedPort[]): string {
  return JSON.stringify([
    family,
    ports.map(({ name, port, protocol, appProtocol }) => [name, port, protocol, appProtocol]),
  ]);
}

function samePorts(left: readonly ResolvedPort[], right: readonly ResolvedPort[]): boolean {
  return left === right || sameJson(left, right);
}
