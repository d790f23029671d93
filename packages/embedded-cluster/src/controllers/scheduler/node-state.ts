import type { Taint } from 'kubernetes-types/core/v1.js';
import type { NodeObject } from '../common/workloads.ts';
import { addAmounts, noAmounts, type ResourceAmounts, readAmounts } from './amounts.ts';
import type { HostPort, Labels, PodNeeds } from './pod-needs.ts';

/** What a pod without requests counts as when nodes are compared, so that such pods spread, too. */
const usualCpu = 100;
const usualMemory = 200 * 1024 * 1024;

/** A node with what runs on it. It may be known by its pods alone, before or after the node itself is there. */
export class NodeState {
  readonly name: string;
  readonly used = new Map<string, number>();
  node: NodeObject | undefined;
  labels: Labels = {};
  taints: readonly Taint[] = [];
  allocatable: ResourceAmounts = noAmounts;
  podCount = 0;
  readonly #ports = new Map<string, { port: HostPort; count: number }>();
  #weighedCpu = 0;
  #weighedMemory = 0;

  constructor(name: string) {
    this.name = name;
  }

  set(node: NodeObject | undefined): void {
    this.node = node;
    this.labels = node?.metadata.labels ?? {};
    this.taints = node?.spec?.taints ?? [];
    this.allocatable = readAmounts(node?.status?.allocatable ?? node?.status?.capacity);
  }

  get unschedulable(): boolean {
    return this.node?.spec?.unschedulable === true;
  }

  label(key: string): string | undefined {
    return Object.hasOwn(this.labels, key) ? this.labels[key] : undefined;
  }

  free(resource: string): number {
    return (this.allocatable.get(resource) ?? 0) - (this.used.get(resource) ?? 0);
  }

  count(needs: PodNeeds, sign: 1 | -1): void {
    this.podCount += sign;
    addAmounts(this.used, needs.requests, sign);
    this.#weighedCpu += sign * (needs.requests.get('cpu') || usualCpu);
    this.#weighedMemory += sign * (needs.requests.get('memory') || usualMemory);
    for (const port of needs.ports) this.#countPort(port, sign);
  }

  /** 0 for an empty node, about 1 for a full one. */
  get load(): number {
    return (
      (share(this.#weighedCpu, this.allocatable.get('cpu')) +
        share(this.#weighedMemory, this.allocatable.get('memory'))) /
      2
    );
  }

  hasConflictingPort(ports: readonly HostPort[]): boolean {
    if (ports.length === 0) return false;
    for (const { port: taken } of this.#ports.values()) {
      if (ports.some((wanted) => collide(wanted, taken))) return true;
    }
    return false;
  }

  #countPort(port: HostPort, sign: 1 | -1): void {
    const key = `${port.protocol} ${port.address} ${port.port}`;
    const count = (this.#ports.get(key)?.count ?? 0) + sign;
    if (count > 0) this.#ports.set(key, { port, count });
    else this.#ports.delete(key);
  }
}

function share(part: number, whole: number | undefined): number {
  return whole ? part / whole : 1;
}

const everywhere = '0.0.0.0';

function collide(wanted: HostPort, taken: HostPort): boolean {
  return (
    wanted.port === taken.port &&
    wanted.protocol === taken.protocol &&
    (wanted.address === taken.address || wanted.address === everywhere || taken.address === everywhere)
  );
}
