import { removalOf } from './removal.ts';
import type { CondemnedState, Removal, RolloutStep, VerdictOf } from './state.ts';
import { firstLeaving, type Member, type RolloutView, settledAt } from './view.ts';

type CondemnedStep = RolloutStep<CondemnedState>;

/**
 * Pods that the set no longer wants go highest first and one at a time. The built-in controller does that by itself unless
 * a pod that it wants healthy first is broken; only then do we, since what is to go cannot help what is broken.
 *
 * @param first the replica that is removed now, if one is
 */
export function planCondemned(
  view: RolloutView,
  verdictOf: VerdictOf,
  first: Removal | undefined,
): CondemnedStep | undefined {
  const leaving = view.condemned.find((member) => member.health.kind === 'terminating');
  if (leaving !== undefined) return { state: { kind: 'terminating', pod: leaving.name } };
  const [target, ...lower] = view.condemned;
  if (target === undefined) return undefined;
  const obstacle = firstToSettle(view, obstacles(view, target, lower));
  if (obstacle === undefined) return { state: { kind: 'leftToKubernetes', pod: target.name } };
  if (obstacle.at > view.now) return { state: { kind: 'leftToKubernetes', pod: target.name }, checkAt: obstacle.at };
  const other = first?.pod ?? firstLeaving(view)?.name;
  if (other !== undefined) return { state: { kind: 'after', pod: target.name, other } };
  const verdict = verdictOf(target.pod);
  if (verdict.result === 'deny') return { state: { kind: 'refused', pod: target.name, message: verdict.message } };
  return {
    state: { kind: 'removing', pod: target.name, behind: obstacle.member.name },
    removal: removalOf(target, 'condemned'),
  };
}

interface Obstacle {
  readonly member: Member;
  readonly since: number | undefined;
}

/**
 * What the built-in controller waits for, perhaps for good, before it deletes `target`. Replicas come first: a broken one; it
 * replaces finished ones itself, and waits for those that are going, as we do. Among condemned pods it deletes a healthy one at
 * once and one unhealthy pod, the lowest; an unhealthy one above that waits for good, finished or not.
 */
function obstacles(view: RolloutView, target: Member, lower: readonly Member[]): Obstacle[] {
  const found: Obstacle[] = [];
  for (const member of view.replicas) {
    if (member.health.kind === 'broken') found.push({ member, since: member.health.since });
  }
  if (target.health.kind === 'healthy') return found;
  for (const member of lower) {
    if (member.health.kind === 'broken' || member.health.kind === 'finished')
      found.push({ member, since: member.health.since });
  }
  return found;
}

function firstToSettle(view: RolloutView, found: readonly Obstacle[]): { member: Member; at: number } | undefined {
  let first: { member: Member; at: number } | undefined;
  for (const { member, since } of found) {
    const at = settledAt(view, since);
    if (Number.isFinite(at) && (first === undefined || at < first.at)) first = { member, at };
  }
  return first;
}
