import type { DisruptionLedger } from '../../api/ledger.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Allowed, Effects, PodVersion, Verdict } from '../../core/verdict.ts';
import { unitsOf } from './unproven.ts';

/**
 * What an allowed verdict rests on that the view may not know yet (N5), and what that means for its reservation.
 *
 * A reservation answers repeated requests without asking again (I5). One that was made because a pod looked down must not: if
 * the pod had come up unseen, the first request is stopped by its precondition, and the repeated one would go through, uncharged.
 */

type Basis = Pick<Effects, 'onlyIf' | 'restsOn'>;

function basisOf(verdict: Verdict): Basis | undefined {
  if (verdict.result === 'deny') return undefined;
  const { onlyIf, restsOn } = verdict.effects;
  if (onlyIf === undefined && restsOn === undefined) return undefined;
  return { ...(onlyIf === undefined ? {} : { onlyIf }), ...(restsOn === undefined ? {} : { restsOn }) };
}

/**
 * Within a batch, a request that is covered by a reservation rests on what that one rests on; so does one whose unit is down
 * because of such a reservation.
 */
export function shareBasis(requests: readonly DisruptionRequest[], verdicts: readonly Verdict[]): readonly Verdict[] {
  const byPod = new Map<string, Basis>();
  const byUnit = new Map<string, Basis>();
  return verdicts.map((verdict, i) => {
    if (verdict.result === 'deny') return verdict;
    const covering = verdict.reason === 'AlreadyReserved' ? byPod.get(requests[i]?.pod ?? '') : undefined;
    const beside = [...unitsOf(verdict, 'down')].flatMap((unit) => byUnit.get(unit) ?? []);
    const shared = withBasis(withOthers(verdict, beside), covering);
    const basis = basisOf(shared);
    const reserved = shared.effects.reserve;
    if (reserved !== undefined && basis !== undefined) {
      byPod.set(reserved.pod, basis);
      for (const unit of unitsOf(shared, 'down')) byUnit.set(unit, basis);
    }
    return shared;
  });
}

function withBasis(verdict: Allowed, basis: Basis | undefined): Allowed {
  return basis === undefined ? verdict : { ...verdict, effects: { ...verdict.effects, ...basis } };
}

/** Another target's own version is, to this one, the version of another pod. */
function withOthers(verdict: Allowed, others: readonly Basis[]): Allowed {
  const target = verdict.effects.reserve?.uid;
  const versions = [
    ...(verdict.effects.restsOn ?? []),
    ...others.flatMap(({ onlyIf, restsOn }) => [...(onlyIf === undefined ? [] : [onlyIf]), ...(restsOn ?? [])]),
  ].filter((one) => one.uid !== target);
  const restsOn = [...new Map(versions.map((one) => [one.uid, one])).values()];
  return restsOn.length === 0 ? verdict : { ...verdict, effects: { ...verdict.effects, restsOn } };
}

/**
 * Writes down reservations that rest on versions as overdue from the start: their pods count as gone, but whoever asks again is
 * judged anew (L5). The pruner waits, closes and releases them as all others; it only begins at once. That is not too soon: the
 * requests that they were made for began before `now`, and nobody else is ever answered by them.
 */
export function withoutCover(
  ledger: DisruptionLedger,
  verdicts: readonly Verdict[],
  by: string,
  now: number,
): DisruptionLedger {
  const uids = new Set<string>();
  for (const verdict of verdicts) {
    if (verdict.result === 'deny' || basisOf(verdict) === undefined) continue;
    if (verdict.effects.reserve !== undefined) uids.add(verdict.effects.reserve.uid);
  }
  if (uids.size === 0) return ledger;
  const overdue = { phase: 'waiting', by, since: new Date(now).toISOString() } as const;
  const reservations = (ledger.spec?.reservations ?? []).map((one) => (uids.has(one.uid) ? { ...one, overdue } : one));
  return { ...ledger, spec: { ...ledger.spec, reservations } };
}

/**
 * The versions that must be read before the request may pass. A takeover carries the target's own version as a precondition of
 * its delete; the API server's delete carries none, so there it is read, too.
 */
export function versionsToRead(effects: Effects): readonly PodVersion[] {
  const own = effects.complete === 'pass' && effects.onlyIf !== undefined ? [effects.onlyIf] : [];
  return [...own, ...(effects.restsOn ?? [])];
}
