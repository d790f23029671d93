import { binBound } from './bin-bound.ts';
import type { PlanNode } from './input.ts';
import type { Mover } from './movers.ts';
import type { LowerBound } from './plan-result.ts';
import type { Site } from './site.ts';

/**
 * All pods have to be somewhere: while a wave is out, what its nodes offer to pods that move is at most what was free in the whole
 * cluster, and what replacements add. Free room does not change from wave to wave, for no pod is lost.
 */
export function roomBounds(site: Site): readonly LowerBound[] {
  const listed = new Set(site.candidates.map(({ name }) => name));
  const nodes = site.nodes.filter(({ name, unschedulable }) => listed.has(name) || !unschedulable);
  if (nodes.length === 0) return [];
  const resources = new Set(nodes.flatMap(({ allocatable }) => [...allocatable.keys()]));
  // A node that does not say how many pods it takes, takes any number.
  if (nodes.some(({ allocatable }) => !allocatable.has('pods'))) resources.delete('pods');
  return [...resources].flatMap((resource) => boundBy(resource, nodes, listed, site) ?? []);
}

function boundBy(
  resource: string,
  nodes: readonly PlanNode[],
  listed: ReadonlySet<string>,
  site: Site,
): LowerBound | undefined {
  let free = 0;
  const sizes: number[] = [];
  for (const { name, allocatable } of nodes) {
    const all = allocatable.get(resource) ?? 0;
    const left = all - requested(site.tenants(name), resource);
    // A node with more on it than it has would make the sums wrong; no scheduler does that, so it is not worth a proof.
    if (left < 0) return undefined;
    free += left;
    if (listed.has(name)) sizes.push(all - requested(site.stays(name), resource));
  }
  const surge = site.options.maxSurge * Math.max(0, ...sizes);
  const needed = sizes.reduce((sum, size) => sum + size, 0);
  // A node whose pods request nothing of this resource is emptied whatever is free.
  if (free + surge <= 0 || !asked(resource, site)) return undefined;
  const waves = surge === 0 ? binBound(sizes, free) : Math.ceil(needed / (free + surge));
  return { waves, why: 'room', resource, needed, free: free + surge };
}

function requested(movers: readonly Mover[], resource: string): number {
  let sum = 0;
  for (const { shape } of movers) {
    if (shape !== undefined) sum += resource === 'pods' ? 1 : (shape.requests.get(resource) ?? 0);
  }
  return sum;
}

function asked(resource: string, site: Site): boolean {
  return site.candidates.some(({ alone }) => requested(alone.order, resource) > 0);
}
