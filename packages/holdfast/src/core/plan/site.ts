import { podKeyOf } from '../drain/simulate.ts';
import { type Alone, drainAlone } from './alone.ts';
import type { PlanInput, PlanNode, PlanOptions } from './input.ts';
import { BudgetAllowances } from './losses.ts';
import { type Mover, tenantsByNode } from './movers.ts';
import { Overlay } from './overlay.ts';
import { Permissions } from './permissions.ts';
import type { StuckNode } from './plan-result.ts';
import { Room } from './room.ts';

/** A node that can be drained, with what that takes when it is the only one. */
export interface DrainCandidate {
  readonly name: string;
  readonly alone: Extract<Alone, { ok: true }>;
}

/** Everything that does not change while plans are tried. */
export interface Site {
  readonly overlay: Overlay;
  readonly allowances: BudgetAllowances;
  readonly options: PlanOptions;
  readonly candidates: readonly DrainCandidate[];
  readonly stuck: readonly StuckNode[];
  readonly nodes: readonly PlanNode[];
  /** All pods that take room on a node, those that a drain leaves alone among them. */
  readonly tenants: (node: string) => readonly Mover[];
  readonly stays: (node: string) => readonly Mover[];
  newRoom(): Room | undefined;
}

export function surveySite(input: PlanInput, options: PlanOptions): Site {
  const { world, nodes, now } = input;
  world.advance(now);
  const overlay = new Overlay(world, now);
  const allowances = new BudgetAllowances();
  const tenantsOf = tenantsByNode(world, input.shapeOf, options.force);
  const candidates: DrainCandidate[] = [];
  const stuck: StuckNode[] = [];
  for (const node of new Set(input.drain)) {
    const { movers, unmanaged } = tenantsOf(node);
    const alone = unmanaged.length > 0 ? undefined : drainAlone(overlay, movers, allowances);
    if (alone === undefined) stuck.push({ node, why: 'noController', pods: unmanaged.map(podKeyOf) });
    else if (alone.ok) candidates.push({ name: node, alone });
    else stuck.push({ node, why: 'refused', pods: alone.stuck });
  }
  const permissions = new Permissions();
  const tenants = (node: string): readonly Mover[] => {
    const { movers, stay, unmanaged } = tenantsOf(node);
    return [...movers, ...stay, ...unmanaged.map((pod) => ({ pod, shape: input.shapeOf(pod.namespace, pod.name) }))];
  };
  return {
    overlay,
    allowances,
    options,
    candidates,
    stuck,
    nodes,
    tenants,
    stays: (node) => tenantsOf(node).stay,
    newRoom: () => (nodes.length === 0 ? undefined : new Room(nodes, tenants, permissions)),
  };
}
