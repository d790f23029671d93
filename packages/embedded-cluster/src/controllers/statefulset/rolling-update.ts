/** Which pods give way to the new revision now. Only asked once all replicas exist and the gate let the pass through. */

import { scaled } from '../common/amounts.ts';
import { isTerminating } from '../common/pods.ts';
import type { StatefulSetObject } from '../common/workloads.ts';
import { replicasOf, revisionOfPod } from './ordinals.ts';
import { type AvailabilityInput, isSlotAvailable, isUnavailable, type Slot } from './slots.ts';

export interface UpdateInput {
  readonly set: StatefulSetObject;
  readonly replicas: readonly Slot[];
  readonly updateName: string;
  readonly health: AvailabilityInput;
}

/** One at a time from the top, each waited for: what the API does without `maxUnavailable`. */
export function oneByOne({ set, replicas, updateName, health }: UpdateInput): readonly Slot[] {
  for (const slot of fromTop(set, replicas)) {
    if (isStale(slot, updateName)) return [slot];
    if (isUnavailable(slot, health)) return [];
  }
  return [];
}

/** As many at once as may be unavailable. */
export function slotsWithinMaxUnavailable(input: UpdateInput): readonly Slot[] {
  const { set, replicas, updateName, health } = input;
  const rolling = set.spec.updateStrategy?.rollingUpdate;
  const share = scaled(rolling?.maxUnavailable ?? 1, replicasOf(set), 'down');
  const unavailable = replicas.filter((slot) => isUnavailable(slot, health));
  const budget = Math.max(1, share) - unavailable.length;
  const stale = fromTop(set, replicas).filter((slot) => isStale(slot, updateName));
  if (set.spec.podManagementPolicy !== 'Parallel') return stale.slice(0, Math.max(0, budget));
  if (budget <= 0 && !unavailable.some((slot) => isStale(slot, updateName))) return [];
  // Unavailable pods can be deleted at once; the budget is for those that serve.
  const broken = stale.filter((slot) => !isSlotAvailable(slot, health));
  const healthy = stale.filter((slot) => isSlotAvailable(slot, health));
  return [...broken, ...healthy.slice(0, Math.max(0, budget))];
}

/** Down to the partition, highest first. */
function fromTop(set: StatefulSetObject, replicas: readonly Slot[]): readonly Slot[] {
  return replicas.slice(set.spec.updateStrategy?.rollingUpdate?.partition ?? 0).reverse();
}

function isStale({ pod }: Slot, updateName: string): boolean {
  return revisionOfPod(pod) !== updateName && !isTerminating(pod);
}
