import type { DisruptionLedger } from '../../api/ledger.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Effects, PodVersion, Verdict } from '../../core/verdict.ts';

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

/** A request that is covered by a reservation of the same batch rests on what that one rests on. */
export function shareBasis(requests: readonly DisruptionRequest[], verdicts: readonly Verdict[]): readonly Verdict[] {
  const known = new Map<string, Basis>();
  return verdicts.map((verdict, i) => {
    if (verdict.result === 'deny') return verdict;
    const basis = basisOf(verdict);
    const reserved = verdict.effects.reserve;
    if (reserved !== undefined && basis !== undefined) known.set(reserved.pod, basis);
    const inherited = verdict.reason === 'AlreadyReserved' ? known.get(requests[i]?.pod ?? '') : undefined;
    return inherited === undefined ? verdict : { ...verdict, effects: { ...verdict.effects, ...inherited } };
  });
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
