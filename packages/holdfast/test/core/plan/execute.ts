import { aLedger, aReservation, ns } from '../../../../../test/support/builders.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import type { PodKey } from '../../../src/core/drain/simulate.ts';
import type { DrainPlan } from '../../../src/core/plan/plan-result.ts';
import type { World } from '../../../src/core/world/world.ts';

/** Asks for one eviction as the API server would, and reserves what is allowed. */
function evict(world: World, { namespace, name }: PodKey): string | undefined {
  const verdict = decide(world, { operation: 'EVICT', namespace, pod: name }, 0, { judgePlain: true });
  if (verdict.result === 'deny') return `${name}: ${verdict.message}`;
  const held = world.namespace(ns)?.ledger?.spec?.reservations ?? [];
  const others = held.filter((one) => one.pod !== name);
  world.setLedger(ns, aLedger([...others, aReservation(name)], '100'));
  return undefined;
}

/** Evicts the pods one by one; afterwards they are back as they were. Returns what was refused. */
export function evictTogether(world: World, pods: readonly PodKey[]): readonly string[] {
  const before = world.namespace(ns)?.ledger ?? aLedger();
  const refused = pods.flatMap((pod) => evict(world, pod) ?? []);
  world.setLedger(ns, before);
  return refused;
}

/** Carries a plan out, request by request. */
export function refusalsOf(world: World, plan: DrainPlan): readonly string[] {
  return plan.waves.flatMap(({ rounds }) => rounds.flatMap((pods) => evictTogether(world, pods)));
}

/** Whether some order exists in which all these pods are evicted at once: a pod that can go goes first, and is asked about no more. */
export function goAtOnce(world: World, pods: readonly PodKey[]): boolean {
  const before = world.namespace(ns)?.ledger ?? aLedger();
  let left = pods;
  for (let progress = true; progress && left.length > 0; ) {
    const refused = left.filter((pod) => evict(world, pod) !== undefined);
    progress = refused.length < left.length;
    left = refused;
  }
  world.setLedger(ns, before);
  return left.length === 0;
}
