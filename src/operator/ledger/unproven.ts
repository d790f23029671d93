import { decide } from '../../core/decide/decide.ts';
import { bit } from '../../core/health.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';

/** Budget and unit, for all units that a verdict speaks of, or for those that it takes to be down. */
export function unitsOf(verdict: Verdict, which: 'all' | 'down'): ReadonlySet<string> {
  const opinions =
    verdict.result === 'deny'
      ? verdict.blockers
      : verdict.charges.filter((one) => which === 'all' || one.effect === 'down');
  return new Set(
    opinions.flatMap(({ budget, unitKind, unit }) =>
      budget === undefined || unit === undefined ? [] : [`${budget.kind}/${budget.name}/${unitKind}/${unit}`],
    ),
  );
}

/**
 * A reservation that was made because a pod looked down may turn out to have had no ground: then its unit serves, nobody paid for
 * it, and its reservation makes it look down to everybody. So whoever would go for nothing because their unit is down waits as
 * long as the unit has such a reservation and its pod is not seen to go. Returns that pod's name.
 */
export function unprovenBeside(
  world: World,
  request: DisruptionRequest,
  verdict: Verdict,
  now: number,
): string | undefined {
  const down = verdict.result === 'allow' ? unitsOf(verdict, 'down') : new Set<string>();
  const state = world.namespace(request.namespace);
  if (down.size === 0 || state === undefined) return undefined;
  for (const { pod, uid, overdue } of state.reservations.values()) {
    if (overdue === undefined || pod === request.pod) continue;
    const record = state.pods.get(pod);
    if (record === undefined || record.uid !== uid || record.has(bit.terminating | bit.finished)) continue;
    const { namespace, operation } = request;
    const other = unitsOf(decide(world, { namespace, operation, pod, dryRun: true }, now), 'all');
    // Of one whose units are not told anything may be true.
    if (other.size === 0 || [...down].some((unit) => other.has(unit))) return pod;
  }
  return undefined;
}
