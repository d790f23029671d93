/** The Endpoints of a service: an older form, in one object, and therefore with a limit. */

import type { EndpointPort, EndpointSubset } from 'kubernetes-types/core/v1.js';
import type { AddressMember, ResolvedPort } from './types.ts';

/** More addresses than this are left out, ready ones last. */
export const maxAddresses = 1000;

export interface Subsets {
  readonly subsets: EndpointSubset[];
  readonly truncated: boolean;
}

export function subsetsOf(members: Iterable<AddressMember>): Subsets {
  const { kept, truncated } = withinLimit(members);
  const sorted = kept.sort(({ address: left }, { address: right }) =>
    left.ip === right.ip ? compare(left.targetRef?.uid ?? '', right.targetRef?.uid ?? '') : compare(left.ip, right.ip),
  );
  return { subsets: mergePorts(sorted), truncated };
}

function withinLimit(members: Iterable<AddressMember>): { kept: AddressMember[]; truncated: boolean } {
  const ready: AddressMember[] = [];
  const notReady: AddressMember[] = [];
  let total = 0;
  for (const member of members) {
    total += 1;
    const list = member.ready ? ready : notReady;
    if (list.length < maxAddresses) list.push(member);
  }
  const kept = [...ready, ...notReady].slice(0, maxAddresses);
  return { kept, truncated: total > maxAddresses };
}

/** Ports that the same addresses serve share a subset. */
function mergePorts(members: readonly AddressMember[]): EndpointSubset[] {
  const byPort = new Map<string, { port: ResolvedPort | undefined; indexes: number[] }>();
  for (const [index, member] of members.entries()) {
    for (const port of member.ports.length > 0 ? member.ports : [undefined]) {
      const key = JSON.stringify(port ?? null);
      const entry = byPort.get(key);
      if (entry) entry.indexes.push(index);
      else byPort.set(key, { port, indexes: [index] });
    }
  }
  const byAddresses = new Map<string, { ports: ResolvedPort[]; indexes: number[] }>();
  for (const { port, indexes } of byPort.values()) {
    const key = indexes.join();
    const entry = byAddresses.get(key) ?? { ports: [], indexes };
    if (port) entry.ports.push(port);
    byAddresses.set(key, entry);
  }
  return [...byAddresses.values()].map(({ ports, indexes }) => subset(ports, indexes, members));
}

function subset(
  ports: readonly ResolvedPort[],
  indexes: readonly number[],
  members: readonly AddressMember[],
): EndpointSubset {
  const served = indexes.flatMap((index) => members[index] ?? []);
  const addresses = served.filter(({ ready }) => ready).map(({ address }) => address);
  const notReadyAddresses = served.filter(({ ready }) => !ready).map(({ address }) => address);
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports: [...ports].sort(comparePorts).map(shown) } : {}),
  };
}

function shown({ name, ...rest }: ResolvedPort): EndpointPort {
  return name === '' ? rest : { name, ...rest };
}

function comparePorts(left: ResolvedPort, right: ResolvedPort): number {
  return compare(left.name, right.name) || left.port - right.port || compare(left.protocol, right.protocol);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
