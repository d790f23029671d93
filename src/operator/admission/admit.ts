import { decide } from '../../core/decide/decide.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import { type Allowed, isFree, type Verdict } from '../../core/verdict.ts';
import { versionsToRead } from './basis.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Committed } from './lane.ts';
import { type Patience, patienceOf } from './patience.ts';
import type { PodReader } from './ports.ts';
import { basisLost, isRefusedFor, ledgerBusy, staleView } from './refusals.ts';
import type { CommitParts } from './reserve.ts';
import type { Turns } from './turns.ts';
import { readBasis } from './verify.ts';
import type { ViewGate } from './view-gate.ts';
import { Withdrawals } from './withdrawals.ts';

export interface ServiceParts extends CommitParts {
  readonly pods: PodReader;
  readonly views: ViewGate;
  /** Shared with the pruner of this process. */
  readonly turns: Turns;
  /** Why the view may be too old to rest a disruption on. */
  readonly staleness: () => string | undefined;
  /** Of this process: one that is started anew has another. */
  readonly identity: string;
}

type Claimed = DisruptionRequest & { readonly claim: string };

/** `again`: the view has caught up with something that the verdict did not know; it must be asked anew. */
type Settled = { readonly kind: 'answer'; readonly verdict: Verdict } | { readonly kind: 'again' };

const answer = (verdict: Verdict): Settled => ({ kind: 'answer', verdict });

/**
 * Answers requests to disrupt a pod, across replicas and crashes. An answer "allowed" is given only after the ledger has the
 * reservation and after what the verdict rests on was seen to hold. What the caller still has to do is in the verdict's effects:
 * `complete: takeover` means to delete the pod with `onlyIf` (where it is set) as the delete's preconditions, and its uid else.
 */
export class LedgerService {
  readonly #parts: ServiceParts;
  readonly #queue: CommitQueue;
  readonly #withdrawals: Withdrawals;
  #open = 0;
  /** No two requests have the same claim. */
  #asked = 0;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#queue = new CommitQueue(parts, parts.turns);
    this.#withdrawals = new Withdrawals(parts);
  }

  /** The answer comes within `timeoutMs`; when it is not known by then, it is "not now". */
  async submit(request: DisruptionRequest, timeoutMs: number): Promise<Verdict> {
    const { limits, clock, identity } = this.#parts;
    const first = this.#decide(request);
    const final = isFinal(first);
    if (final && (first.result === 'deny' || isFree(first))) return first;
    // Whatever may yet be allowed by this view, and before anything is reserved: what is refused afterwards would stay so.
    const stale = this.#parts.staleness();
    if (stale !== undefined) return staleView(request.pod, stale);
    if (final) return first;
    if (this.#open >= limits.maxRequests) return ledgerBusy(request.pod, `${this.#open} requests are under way`);
    this.#open += 1;
    this.#asked += 1;
    const claim = `${identity}/${this.#asked}`;
    const patience = patienceOf(clock, timeoutMs);
    try {
      return await this.#answer({ ...request, claim }, first, patience);
    } finally {
      patience.end();
      this.#open -= 1;
    }
  }

  async #answer(request: Claimed, first: Verdict, patience: Patience): Promise<Verdict> {
    const { limits, events } = this.#parts;
    let reserved = false;
    let verdict: Verdict = ledgerBusy(request.pod, 'the pods that the answer rests on do not come to rest');
    for (let round = 0; round < limits.maxRounds; round += 1) {
      const judged = await this.#judge(request, round === 0 ? first : this.#decide(request), patience.signal);
      reserved ||= judged.reserved;
      const settled = await this.#settle(request, judged.verdict, patience.signal);
      if (settled.kind === 'again') continue;
      verdict = settled.verdict;
      break;
    }
    if (reserved && verdict.result === 'deny') {
      events.abandoned?.(request.namespace, request.pod);
      this.#withdrawals.add(request.namespace, request.claim);
    }
    return verdict;
  }

  /** What needs no ledger is answered from the view, at once. A refusal needs none: at worst it says "not now" a moment too long. */
  async #judge(request: DisruptionRequest, verdict: Verdict, signal: AbortSignal): Promise<Committed> {
    if (!needsLedger(verdict)) return { verdict, reserved: false };
    return this.#queue.commit(request, signal);
  }

  #decide(request: DisruptionRequest): Verdict {
    const { world, clock, options } = this.#parts;
    return decide(world, request, clock.now(), options(request.namespace));
  }

  #settle(request: DisruptionRequest, verdict: Verdict, signal: AbortSignal): Promise<Settled> | Settled {
    if (verdict.result === 'allow') return this.#settleAllowed(request, verdict, signal);
    return isRefusedFor(verdict, 'CacheStale') ? this.#settleStale(request, verdict, signal) : answer(verdict);
  }

  async #settleAllowed(request: DisruptionRequest, verdict: Allowed, signal: AbortSignal): Promise<Settled> {
    const versions = versionsToRead(verdict.effects);
    if (versions.length === 0) return answer(verdict);
    const { pods, limits } = this.#parts;
    const reading = await readBasis(pods, request.namespace, versions, limits, signal);
    if (reading.kind === 'holds') return answer(verdict);
    if (reading.kind === 'unknown') return answer(basisLost(reading));
    const reached = await this.#viewReaches(reading.resourceVersion, signal);
    return reached ? { kind: 'again' } : answer(basisLost(reading));
  }

  /** The leader pruned what it saw happen, and our view is a moment behind: that moment is cheaper than a client's next try. */
  async #settleStale(request: DisruptionRequest, verdict: Verdict, signal: AbortSignal): Promise<Settled> {
    const watermark = this.#parts.world.namespace(request.namespace)?.ledger?.spec?.watermark;
    const reached = watermark !== undefined && (await this.#viewReaches(watermark, signal));
    return reached ? { kind: 'again' } : answer(verdict);
  }

  async #viewReaches(version: string, signal: AbortSignal): Promise<boolean> {
    const { clock, limits, views } = this.#parts;
    const patience = patienceOf(clock, limits.viewWaitMs);
    try {
      return await views.reached(version, AbortSignal.any([signal, patience.signal]));
    } finally {
      patience.end();
    }
  }
}

/** Nothing has to be written, read or waited for: most requests are about pods that no budget concerns, or are refused. */
function isFinal(verdict: Verdict): boolean {
  if (needsLedger(verdict) || isRefusedFor(verdict, 'CacheStale')) return false;
  return verdict.result === 'deny' || versionsToRead(verdict.effects).length === 0;
}

function needsLedger(verdict: Verdict): boolean {
  if (verdict.result === 'deny') return isRefusedFor(verdict, 'LedgerUnknown');
  return verdict.effects.reserve !== undefined || verdict.effects.confirm === true;
}
