import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { type DecideOptions, decide } from '../decide/decide.ts';
import { type DisruptionRequest, isRemoval } from '../request.ts';
import type { Allowed, Verdict } from '../verdict.ts';
import { type NamespaceState, reserve, unreserve } from '../world/namespace-state.ts';
import type { World } from '../world/world.ts';
import { type Release, rewrite, seenToGo } from './prune.ts';

export interface BatchOutcome {
  /** One for each request, in order. They hold only once the ledger is written, if there is one to write. */
  readonly verdicts: readonly Verdict[];
  /** The ledger to write, with the resourceVersion to compare and swap. Absent: nothing to write. */
  readonly ledger?: DisruptionLedger;
  /** What that ledger no longer holds, because it was seen to happen. */
  readonly released: readonly Release[];
  /**
   * There is nothing to write, but a verdict rests on a reservation that another replica may have seen through meanwhile: read
   * the ledger (a consistent read), and judge again if it is not the one that was judged from (L6).
   */
  readonly confirm: boolean;
}

/**
 * Judges the requests of one namespace that wait for the same write (L1). Each sees the reservations of those before it. What was
 * seen to happen leaves the ledger by the same write, so that pods which go one after another cost no writes of the pruner's. The
 * world is left as it was: after the write the caller sets the ledger that the API server answered with, after a lost race the
 * newer one, and judges again.
 */
export function decideBatch(
  world: World,
  namespace: string,
  requests: readonly DisruptionRequest[],
  now: number,
  options: DecideOptions = {},
): BatchOutcome {
  const stray = requests.find((request) => request.namespace !== namespace);
  if (stray !== undefined) throw new Error(`a batch for ${namespace} got a request for ${stray.namespace}`);
  const undo: (() => void)[] = [];
  const verdicts = requests.map((request) => {
    const verdict = decide(world, request, now, options);
    const state = world.namespace(namespace);
    if (state === undefined || verdict.result === 'deny') return verdict;
    const wanted = reservationOf(verdict, world, now);
    const held =
      wanted === undefined ? unclaimed(state, verdict, request) : stillRemoval(state, claimed(state, wanted, request));
    if (held !== undefined) undo.push(hold(state, held));
    return verdict;
  });
  const state = world.namespace(namespace);
  if (undo.length === 0 || state?.ledger === undefined) {
    const confirm = verdicts.some((one) => one.result === 'allow' && one.effects.confirm === true);
    return { verdicts, released: [], confirm };
  }
  const { kept, released, watermark } = seenToGo(state, world.syncedVersion('pods'));
  const ledger = rewrite(state.ledger, kept, watermark);
  for (const back of undo.reverse()) back();
  return { verdicts, ledger, released, confirm: false };
}

function reservationOf({ effects }: Allowed, world: World, now: number): Reservation | undefined {
  const { reserve: wanted, onlyIf, restsOn } = effects;
  if (wanted === undefined) return undefined;
  const conditional = onlyIf !== undefined || restsOn !== undefined;
  const { judgedBy, ...firm } = wanted;
  const made = { time: new Date(now).toISOString(), view: world.syncedVersion('pods') ?? '' };
  // A conditional one answers no other request, so it need not say what it was judged by.
  if (conditional) return { ...firm, ...made, conditional };
  return { ...firm, ...made, ...(judgedBy === undefined ? {} : { judgedBy }) };
}

/** A request can take its reservation back (L7), unless the pod had one already that another request may rest on. */
function claimed(state: NamespaceState, wanted: Reservation, { claim }: DisruptionRequest): Reservation {
  const before = state.reservations.get(wanted.uid);
  const isOwn = before === undefined || before.claim === claim;
  return claim !== undefined && isOwn ? { ...wanted, claim } : wanted;
}

/**
 * A request that is answered by the reservation of another one takes the claim off it, by the same write that answers it: from then on
 * the request that made the reservation cannot take it back, because two disruptions rest on it. A dry run disrupts nothing.
 */
function unclaimed(state: NamespaceState, { effects }: Allowed, request: DisruptionRequest): Reservation | undefined {
  if (effects.confirm !== true || effects.target === undefined || request.dryRun === true) return undefined;
  const before = state.reservations.get(effects.target.uid);
  if (before?.claim === undefined || before.claim === request.claim) return undefined;
  const { claim: _, ...rest } = before;
  return rest;
}

/**
 * The removal that a reservation was made for may still be under way when the pod is reserved again, for an update, because the first
 * reservation does not cover it (I14, L5). The second one then stays a removal, with the time limit of one, and covers nothing.
 */
function stillRemoval(state: NamespaceState, wanted: Reservation): Reservation {
  const before = state.reservations.get(wanted.uid);
  if (before === undefined || !isRemoval(before.operation) || isRemoval(wanted.operation)) return wanted;
  const { judgedBy: _, ...rest } = wanted;
  return { ...rest, operation: before.operation };
}

/** Reserves in the world, and returns how to take it back. */
function hold(state: NamespaceState, reservation: Reservation): () => void {
  const before = state.reservations.get(reservation.uid);
  reserve(state, reservation);
  return () => (before === undefined ? unreserve(state, reservation) : reserve(state, before));
}
