import type { ExpectedSource } from '../verdict.ts';
import type { Parent } from '../world/group-node.ts';
import type { OwnerNode } from '../world/owners/owner-node.ts';
import type { Expected } from './desired.ts';
import { expectedPods } from './expected-pods.ts';

/**
 * How many units a budget can have available when all of its pods are healthy and the scale of its workloads stays as it is (I15).
 * It is never less than what runs now: a workload that is rolled out may have more pods than its scale says.
 */
export type Supply =
  | {
      readonly known: true;
      readonly count: number;
      /** False: nothing states the number, and the units that exist were counted. */
      readonly stated: boolean;
      /** Nothing states the number, and pods that a workload still has to create may be more of them. */
      readonly mayGrow: boolean;
      /** The one workload whose scale it is, and how many units there are besides those that it counts. */
      readonly owner?: { readonly name: string; readonly besides: number };
    }
  /** An owner was not looked up yet. */
  | { readonly known: false };

const statedSources: ReadonlySet<ExpectedSource> = new Set<ExpectedSource>(['workload', 'scale', 'pods']);

interface Running {
  /** Units with a pod that runs. */
  readonly able: number;
  /** The owners of their pods, with how many they have. */
  readonly owners: Iterable<readonly [OwnerNode | undefined, number]>;
}

export function supplyOfUnits(expected: Expected, { able, owners }: Running, owner?: OwnerNode): Supply {
  if (!expected.known) {
    if (expected.pending === true) return { known: false };
    return { known: true, count: able, stated: false, mayGrow: lackPods(owners) };
  }
  const stated = statedSources.has(expected.source);
  return {
    known: true,
    count: Math.max(expected.count, able),
    stated,
    mayGrow: !stated && lackPods(owners),
    ...scaledBy(expected.count, owner),
  };
}

/** Whether an owner has not created all of its pods, or does not say how many it wants. A pod without an owner is not replaced. */
function lackPods(owners: Running['owners']): boolean {
  for (const [owner, pods] of owners) {
    if (owner === undefined || owner.state === 'gone' || owner.deleting) continue;
    if ((owner.replicas ?? Number.POSITIVE_INFINITY) > pods) return true;
  }
  return false;
}

/** A workload that is deleted, or being deleted, is not to be scaled. */
function scaledBy(count: number, owner: OwnerNode | undefined): Pick<Extract<Supply, { known: true }>, 'owner'> {
  if (owner?.state !== 'known' || owner.deleting || owner.replicas === undefined) return {};
  return { owner: { name: owner.display, besides: count - owner.replicas } };
}

export function supplyOfGroups(parents: Iterable<Parent>, expected: Expected, running: Running): Supply {
  const [parent, ...others] = parents;
  const isScaled = expected.known && expected.source === 'scale' && others.length === 0;
  const [root] = isScaled && parent !== undefined ? parent.roots.keys() : [];
  return supplyOfUnits(expected, running, root);
}

interface RunningPods extends Running {
  readonly owners: ReadonlyMap<OwnerNode, number>;
  /** Pods that run and have no controller: no scale counts them. */
  readonly bare: number;
}

/** The scales of the owners, whatever a budget expects: with an integer minAvailable it does not look at them. */
export function supplyOfPods(running: RunningPods, ask: (owner: OwnerNode) => void): Supply {
  const [owner, ...others] = running.owners.keys();
  if (owner === undefined) return supplyOfUnits(noScale, running);
  const scales = expectedPods(running.owners.keys(), ask);
  if (!scales.known) return supplyOfUnits(scales, running);
  const all = { ...scales, count: scales.count + running.bare };
  return others.length === 0 ? supplyOfUnits(all, running, owner) : supplyOfUnits(all, running);
}

const noScale: Expected = { known: false, why: 'no pod has a controller' };
