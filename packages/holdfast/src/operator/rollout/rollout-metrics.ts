import type { RolloutState } from '../../core/rollout/state.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Removed } from './remove-pod.ts';

export interface RolloutMetrics {
  removal(result: Removed['kind']): void;
  /** Undefined: there is no such set any more, or it is not ours. */
  state(key: string, state: RolloutState | undefined): void;
  clear(): void;
}

/** Why a set gets nowhere by itself. */
const stuckReasons = ['brokenOnUpdateRevision', 'belowPartition', 'comesBackOld', 'refused', 'invalid'] as const;
type StuckReason = (typeof stuckReasons)[number];

export function createRolloutMetrics(metrics: Metrics): RolloutMetrics {
  const removals = metrics.counter({
    name: 'rollout_removals_total',
    help: 'Attempts to delete a pod that blocks an enforced rollout, by result.',
    labels: ['result'],
  });
  const stuck = metrics.gauge({
    name: 'rollouts_stuck',
    help: 'StatefulSets with an enforced rollout that is stuck until a person acts, by reason.',
    labels: ['reason'],
  });
  const reasons = new Map<string, StuckReason>();
  metrics.beforeRender(() => {
    const counts = new Map<StuckReason, number>(stuckReasons.map((reason) => [reason, 0]));
    for (const reason of reasons.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    for (const [reason, count] of counts) stuck.set({ reason }, count);
  });
  return {
    removal: (result) => removals.add({ result }),
    state(key, state) {
      const reason = state === undefined ? undefined : stuckReasonOf(state);
      if (reason === undefined) reasons.delete(key);
      else reasons.set(key, reason);
    },
    clear: () => reasons.clear(),
  };
}

function stuckReasonOf(state: RolloutState): StuckReason | undefined {
  if (state.kind === 'blocked') return state.why;
  if (state.kind === 'invalid') return 'invalid';
  return 'condemned' in state && state.condemned?.kind === 'refused' ? 'refused' : undefined;
}
