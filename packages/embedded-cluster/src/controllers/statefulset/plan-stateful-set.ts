import { isFinishedPod, isTerminating, nextAvailableInMs, podPhaseOf } from '../common/pods.ts';
import type { ClaimObject, PodObject, RevisionObject, StatefulSetObject } from '../common/workloads.ts';
import { hasOtherController, isStale, withRightOwners } from './claim-owners.ts';
import { claimsOf, repaired } from './ordinals.ts';
import { oneByOne, slotsWithinMaxUnavailable } from './rolling-update.ts';
import {
  type AvailabilityInput,
  arrange,
  isRunningAndReady,
  isSlotAvailable,
  isUnavailable,
  type Slot,
} from './slots.ts';
import { computeStatefulSetStatus, type StatefulSetStatus } from './stateful-set-status.ts';

export interface StatefulSetInput {
  readonly set: StatefulSetObject;
  readonly pods: readonly PodObject[];
  readonly current: RevisionObject;
  readonly update: RevisionObject;
  readonly collisions: number;
  readonly claim: (name: string) => ClaimObject | undefined;
  readonly nowMs: number;
  /** Whether `rollingUpdate.maxUnavailable` counts. */
  readonly maxUnavailableGate: boolean;
}

export type SetAction =
  | { readonly kind: 'createClaim'; readonly claim: ClaimObject; readonly pod: PodObject }
  | { readonly kind: 'updateClaim'; readonly claim: ClaimObject; readonly pod: PodObject }
  | { readonly kind: 'createPod' | 'updatePod' | 'deletePod'; readonly pod: PodObject }
  | { readonly kind: 'warn'; readonly reason: string; readonly message: string }
  /** The pass ends here with an error, and is tried again. */
  | { readonly kind: 'fail'; readonly pod: PodObject; readonly message: string };

export interface StatefulSetPlan {
  readonly actions: readonly SetAction[];
  readonly status: StatefulSetStatus;
  readonly requeueMs: number | undefined;
}

interface Pass {
  readonly input: StatefulSetInput;
  readonly health: AvailabilityInput;
  /** OrderedReady: one pod at a time, each waited for. */
  readonly ordered: boolean;
  readonly actions: SetAction[];
}

type Verdict = 'go on' | 'stop';

/** One pass over a StatefulSet. It goes as far as the order of ordinals lets it, and no further. */
export function planStatefulSet(input: StatefulSetInput): StatefulSetPlan {
  const { set } = input;
  const health = { minReadySeconds: set.spec.minReadySeconds ?? 0, nowMs: input.nowMs };
  const pass: Pass = { input, health, ordered: set.spec.podManagementPolicy !== 'Parallel', actions: [] };
  const slots = arrange(set, input.pods, input.current, input.update);
  let givenUp = 0;
  if (set.metadata.deletionTimestamp === undefined && settle(pass, slots.replicas, slots.condemned) === 'go on') {
    givenUp = update(pass, slots.replicas);
  }
  const status = computeStatefulSetStatus({
    ...input,
    slots: [...slots.replicas, ...slots.condemned],
    health,
    givenUp,
  });
  const requeueMs =
    health.minReadySeconds > 0 ? nextAvailableInMs(input.pods, health.minReadySeconds, input.nowMs) : undefined;
  return { actions: pass.actions, status, requeueMs };
}

/** Replicas first, then what is out of range; only then may an update begin. */
function settle(pass: Pass, replicas: readonly Slot[], condemned: readonly Slot[]): Verdict {
  const firstUnhealthy = [...replicas, ...[...condemned].reverse()].find((slot) => isUnavailable(slot, pass.health));
  const run = (slots: readonly Slot[], step: (slot: Slot) => Verdict): Verdict => {
    for (const slot of slots) {
      const verdict = step(slot);
      if (pass.actions.at(-1)?.kind === 'fail' || (verdict === 'stop' && pass.ordered)) return 'stop';
    }
    return 'go on';
  };
  if (run(replicas, (slot) => processReplica(pass, slot)) === 'stop') return 'stop';
  run(condemned, (slot) => fixClaimOwners(pass, slot));
  return run(condemned, (slot) => processCondemned(pass, slot, firstUnhealthy));
}

function processReplica(pass: Pass, slot: Slot): Verdict {
  const { pod } = slot;
  if (slot.exists && isFinishedPod(pod)) {
    if (!isTerminating(pod)) pass.actions.push({ kind: 'deletePod', pod });
    return 'stop';
  }
  if (!slot.exists) return createReplica(pass, slot);
  if (podPhaseOf(pod) === 'Pending') {
    ensureClaims(pass, slot);
    if (pass.actions.at(-1)?.kind === 'fail') return 'stop';
    fixClaimOwners(pass, slot);
  }
  if (pass.ordered && !passesGate(pass, slot)) return 'stop';
  const right = repaired(pass.input.set, slot.ordinal, pod);
  if (right) ensureClaims(pass, slot);
  if (podPhaseOf(pod) !== 'Pending') fixClaimOwners(pass, slot);
  if (right) pass.actions.push({ kind: 'updatePod', pod: right });
  return 'go on';
}

/** The gate of OrderedReady: nothing happens above a pod that is not there for good, whatever its revision. */
function passesGate(pass: Pass, slot: Slot): boolean {
  return !isTerminating(slot.pod) && isRunningAndReady(slot) && isSlotAvailable(slot, pass.health);
}

function createReplica(pass: Pass, slot: Slot): Verdict {
  const { set, claim } = pass.input;
  const waits = claimsOf(set, slot.ordinal).some((wanted) => {
    const existing = claim(wanted.claim.metadata.name);
    const deletes = set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete';
    return deletes && existing !== undefined && isStale(existing, slot.pod);
  });
  // The claim of the pod before is about to be collected; the new pod must not take it.
  if (waits) return 'stop';
  ensureClaims(pass, slot);
  if (pass.actions.at(-1)?.kind === 'fail') return 'stop';
  pass.actions.push({ kind: 'createPod', pod: slot.pod });
  fixClaimOwners(pass, slot);
  return 'stop';
}

function ensureClaims(pass: Pass, { ordinal, pod }: Slot): void {
  for (const { claim } of claimsOf(pass.input.set, ordinal)) {
    const existing = pass.input.claim(claim.metadata.name);
    if (existing === undefined) {
      pass.actions.push({ kind: 'createClaim', claim, pod });
    } else if (existing.metadata.deletionTimestamp !== undefined) {
      pass.actions.push({ kind: 'fail', pod, message: `pvc ${claim.metadata.name} is being deleted` });
      return;
    }
  }
}

function fixClaimOwners(pass: Pass, { ordinal, pod }: Slot): Verdict {
  const { set } = pass.input;
  for (const { claim } of claimsOf(set, ordinal)) {
    const existing = pass.input.claim(claim.metadata.name);
    if (existing === undefined) continue;
    const right = withRightOwners(existing, set, pod, ordinal);
    if (right === undefined) continue;
    if (hasOtherController(existing, set, pod)) {
      const message = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      pass.actions.push({ kind: 'warn', reason: 'ConflictingController', message });
    }
    pass.actions.push({ kind: 'updateClaim', claim: right, pod });
  }
  return 'go on';
}

/** Highest ordinal first. In order, nothing is removed while something else is not healthy. */
function processCondemned(pass: Pass, slot: Slot, firstUnhealthy: Slot | undefined): Verdict {
  if (isTerminating(slot.pod)) return 'stop';
  const healthy = isRunningAndReady(slot) && isSlotAvailable(slot, pass.health);
  if (pass.ordered && !healthy && slot !== firstUnhealthy) return 'stop';
  pass.actions.push({ kind: 'deletePod', pod: slot.pod });
  return 'stop';
}

/** Returns how many pods it gives up. */
function update(pass: Pass, replicas: readonly Slot[]): number {
  const { set, maxUnavailableGate } = pass.input;
  if (set.spec.updateStrategy?.type === 'OnDelete') return 0;
  const updateName = pass.input.update.metadata.name;
  const choose = maxUnavailableGate ? slotsWithinMaxUnavailable : oneByOne;
  const chosen = choose({ set, replicas, updateName, health: pass.health });
  const gone = new Set(pass.actions.map((action) => (action.kind === 'deletePod' ? action.pod : undefined)));
  for (const { pod } of chosen) if (!gone.has(pod)) pass.actions.push({ kind: 'deletePod', pod });
  return chosen.length;
}
