import { removalOf } from './removal.ts';
import type { ReplicaHealth } from './rollout-health.ts';
import type { PodWait, ReplicaState, RolloutStep, VerdictOf } from './state.ts';
import { firstLeaving, type Member, type RolloutView, settledAt } from './view.ts';

type ReplicaStep = RolloutStep<ReplicaState>;

/**
 * The built-in controller waits at the lowest replica that is not healthy. That one, if it is broken and old, is the only
 * one that we ever remove: whatever else we removed would not come back before it is repaired.
 */
export function planReplicas(view: RolloutView, verdictOf: VerdictOf): ReplicaStep {
  const lowest = lowestUnhealthy(view);
  if (lowest === undefined) return { state: idleState(view) };
  if (typeof lowest === 'number') return waiting('missing', `${view.setName}-${lowest}`);
  const twin = duplicated(view);
  if (twin !== undefined) return waiting('duplicate', twin.name);
  const { health } = lowest;
  switch (health.kind) {
    case 'terminating':
    case 'finished':
      return waiting(health.kind, lowest.name);
    case 'warmingUp':
    case 'unsteady':
      return waiting(health.kind, lowest.name, health.until);
    case 'broken':
      return moving(view) ?? planBroken(view, lowest, health.since, verdictOf);
  }
}

type UnhealthyMember = Member & { readonly health: Exclude<ReplicaHealth, { readonly kind: 'healthy' }> };

function isUnhealthy(member: Member): member is UnhealthyMember {
  return member.health.kind !== 'healthy';
}

/** The replica itself, or the ordinal of one that is not there. */
function lowestUnhealthy(view: RolloutView): UnhealthyMember | number | undefined {
  let expected = view.firstOrdinal;
  for (const member of view.replicas) {
    if (member.ordinal > expected) return expected;
    if (isUnhealthy(member)) return member;
    expected = member.ordinal + 1;
  }
  return expected < view.endOrdinal ? expected : undefined;
}

function duplicated(view: RolloutView): Member | undefined {
  return view.replicas.find((member, index) => view.replicas[index - 1]?.ordinal === member.ordinal);
}

/**
 * A replica that is on its way out, or that the update revision has not made healthy, holds everything back wherever it
 * stands: one replica moves at a time, and a template that fails there is not tried on another. A replica that is missing
 * or finished higher up does not, because the built-in controller creates it only after the lower one is repaired.
 */
function moving(view: RolloutView): ReplicaStep | undefined {
  const leaving = view.replicas.find((member) => member.health.kind === 'terminating');
  if (leaving !== undefined) return waiting('terminating', leaving.name);
  for (const member of view.replicas) {
    if (member.revision !== view.updateRevision) continue;
    const { health } = member;
    if (health.kind === 'warmingUp' || health.kind === 'unsteady')
      return waiting(health.kind, member.name, health.until);
    if (health.kind === 'broken') return stoppedByUpdate(view, member, health.since);
  }
  return undefined;
}

function stoppedByUpdate(view: RolloutView, member: Member, since: number | undefined): ReplicaStep {
  const until = settledAt(view, since);
  if (until > view.now) return waiting('starting', member.name, until);
  return { state: { kind: 'blocked', why: 'brokenOnUpdateRevision', pod: member.name, revision: member.revision } };
}

function planBroken(view: RolloutView, member: Member, since: number | undefined, verdictOf: VerdictOf): ReplicaStep {
  const until = settledAt(view, since);
  const reached = member.ordinal >= view.firstUpdatedOrdinal;
  if (until > view.now) return waiting(reached ? 'settling' : 'starting', member.name, until);
  if (!reached) {
    return {
      state: {
        kind: 'blocked',
        why: 'belowPartition',
        pod: member.name,
        firstUpdatedOrdinal: view.firstUpdatedOrdinal,
      },
    };
  }
  if (comesBackOld(view, member)) {
    return { state: { kind: 'blocked', why: 'comesBackOld', pod: member.name, revision: member.revision } };
  }
  const leaving = firstLeaving(view);
  if (leaving !== undefined) return waiting('terminating', leaving.name);
  const verdict = verdictOf(member.pod);
  if (verdict.result === 'deny')
    return { state: { kind: 'blocked', why: 'refused', pod: member.name, message: verdict.message } };
  return {
    state: { kind: 'replacing', pod: member.name, from: member.revision, to: view.updateRevision },
    removal: removalOf(member, 'broken'),
  };
}

/** Removing it would change nothing, again and again. */
function comesBackOld(view: RolloutView, member: Member): boolean {
  if (member.revision !== view.keptRevision) return false;
  const others = [...view.replicas, ...view.condemned].filter(
    (one) => one !== member && one.revision === view.keptRevision && one.health.kind !== 'terminating',
  );
  return member.ordinal - view.firstOrdinal < others.length;
}

function idleState(view: RolloutView): ReplicaState {
  if (view.replicas.length === 0) return { kind: 'idle', why: 'noReplicas' };
  const old = view.replicas.filter((member) => member.revision !== view.updateRevision);
  if (old.length === 0) return { kind: 'idle', why: 'upToDate' };
  const rolling = old.some((member) => member.ordinal >= view.firstUpdatedOrdinal);
  return { kind: 'idle', why: rolling ? 'rolling' : 'heldByPartition' };
}

function waiting(why: PodWait, pod: string, until = Number.POSITIVE_INFINITY): ReplicaStep {
  if (!Number.isFinite(until)) return { state: { kind: 'waiting', why, pod } };
  return { state: { kind: 'waiting', why, pod, until }, checkAt: until };
}
