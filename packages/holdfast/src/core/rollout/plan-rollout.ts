import type { Pod } from '../../api/pod.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { planCondemned } from './condemned.ts';
import { parseRolloutOptIn } from './opt-in.ts';
import { planReplicas } from './replicas.ts';
import type { CondemnedState, ReplicaState, RolloutPlan, RolloutState, RolloutStep, VerdictOf } from './state.ts';
import { viewRollout } from './view.ts';

/**
 * What to remove now, so that the built-in StatefulSet controller can go on where it is stuck (kubernetes#67250), and what
 * to tell people. Nothing but removals is ever asked for: creating and rolling stay the built-in controller's work.
 *
 * A view that lags may take the newest revision for an old one. Preconditions guard the pod; the set's own freshness is the
 * caller's to ensure before it acts on a removal.
 */
export function planEnforcedRollout(
  set: StatefulSet,
  pods: readonly Pod[],
  verdictOf: VerdictOf,
  now: number,
): RolloutPlan {
  const optIn = parseRolloutOptIn(set);
  if (optIn.kind !== 'on') return nothing(optIn);
  if (set.metadata.deletionTimestamp !== undefined) return nothing({ kind: 'deleting' });
  const generation = set.metadata.generation ?? 0;
  const observedGeneration = set.status?.observedGeneration ?? 0;
  if (observedGeneration < generation) return nothing({ kind: 'unobserved', generation, observedGeneration });
  const updateRevision = set.status?.updateRevision;
  if (!updateRevision) return nothing({ kind: 'noUpdateRevision' });
  const view = viewRollout({ set, pods, updateRevision, settleSeconds: optIn.settleSeconds, now });
  const replicas = planReplicas(view, verdictOf);
  return combine(replicas, planCondemned(view, verdictOf, replicas.removal));
}

function nothing(state: RolloutState): RolloutPlan {
  return { state };
}

function combine(replicas: RolloutStep<ReplicaState>, condemned: RolloutStep<CondemnedState> | undefined): RolloutPlan {
  const steps = condemned === undefined ? [replicas] : [replicas, condemned];
  const times = steps.flatMap((step) => step.checkAt ?? []);
  const removal = replicas.removal ?? condemned?.removal;
  return {
    state: condemned === undefined ? replicas.state : { ...replicas.state, condemned: condemned.state },
    ...(removal === undefined ? {} : { removal }),
    ...(times.length === 0 ? {} : { nextCheckAt: Math.min(...times) }),
  };
}
