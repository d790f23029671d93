import { type DecideOptions, decide } from '../../core/decide/decide.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Allowed, Denied, Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { FreshScales } from '../../observe/owners/fresh-scales.ts';
import type { EnforcementStart } from '../guard/enforcement-start.ts';
import { basisLost, isRefusedFor, ledgerBusy, notCounted, notPinned, staleView, undecided, undone } from './answers.ts';
import type { BuiltinCounters, Completion, Takeover } from './complete.ts';
import type { Deadline } from './deadline.ts';
import type { LedgerAccess, LedgerEvents } from './ledger.ts';
import type { AdmissionLimits } from './limits.ts';
import type { AskedDisruption } from './pod-request.ts';
import type { GroupCommit } from './reserve.ts';
import {
  isFree,
  isUnpinned,
  namesNoUid,
  type PodReader,
  passesAsItIs,
  podsToRead,
  readPodNow,
  verifyPods,
} from './verify.ts';
import type { ViewGate } from './view-gate.ts';
import type { Withdrawals } from './withdrawals.ts';

/*
 * The one loop of a request to disrupt a pod. Start reading here; each step names the file that does it. An eviction, from the socket to
 * the answer:
 *
 *   API server     server, call,         pod-handler         admit                                API server again
 *                  exchange
 *       |              |                    |                  |                                        |
 *       | /evictions   |                    |                  |                                        |
 *       |------------->| who calls,         |                  |                                        |
 *       |              | Deadline, review   |                  |                                        |
 *       |              |------------------->| pin: add a uid   |                                        |
 *       |<-------------|<-------------------|                  |                                        |
 *       | /pods        |                    |                  |                                        |
 *       |------------->| the same           |                  |                                        |
 *       |              |------------------->| pod-request      |                                        |
 *       |              |                    |----------------->| decide    all budgets (core/decide,    |
 *       |              |                    |                  |           evaluate: each of them)      |
 *       |              |                    |                  | reserve   reserve, ledger ------------>| compare-and-swap
 *       |              |                    |                  | verify    verify --------------------->| pods it rests on
 *       |              |                    |                  | complete  complete ------------------->| counters of PDBs, DELETE
 *       |              |                    |                  |                                        |
 *       |              |                    |                  | something was missing? wait for        |
 *       |              |                    |                  | exactly that (view-gate, a read),      |
 *       |              |                    |                  | and decide again                       |
 *       |              |                    |<-----------------| verdict                                |
 *       |              |                    | decisions,       |                                        |
 *       |<-------------|<-------------------| answers          |                                        |
 *
 * An answer "allowed" is given only after the ledger has the reservation, after what the verdict rests on was read to be so, and after
 * the eviction was completed for the judged uid, or is bound to it. Everything that waits is given the request's one deadline.
 */

export interface AdmissionDeps {
  readonly world: World;
  /** All budgets over the pod, by the view as it is now. */
  readonly decide: (request: DisruptionRequest) => Verdict;
  readonly commits: Pick<GroupCommit, 'reserve'>;
  readonly withdrawals: Pick<Withdrawals, 'add'>;
  readonly access: Pick<LedgerAccess, 'read'>;
  readonly pods: PodReader;
  readonly views: Pick<ViewGate, 'reached'>;
  readonly scales: Pick<FreshScales, 'concerns' | 'readAgain'>;
  readonly counters: Pick<BuiltinCounters, 'take'>;
  readonly takeOver: (takeover: Takeover, deadline: Deadline) => Promise<Completion>;
  /** Why the view is too old to allow a disruption by it. */
  readonly staleness: () => string | undefined;
  readonly enforcement: Pick<EnforcementStart, 'startingIn'>;
  readonly events: Pick<LedgerEvents, 'abandoned'>;
  readonly completed: (request: DisruptionRequest, completion: Completion) => void;
  /** Unique per process start: it makes claims unique. */
  readonly identity: string;
  readonly limits: AdmissionLimits;
}

/** What kept a verdict from being final, each with the refusal that the client gets if it does not arrive in time. */
type Missing =
  /** A view of the pods as new as this: the ledger, or a pod that was read, is newer than ours. */
  | { readonly kind: 'view'; readonly version: string; readonly refusal: Denied }
  /** The pod itself: it is not in the view, or not as it is now. */
  | { readonly kind: 'pod'; readonly refusal: Denied }
  /** The newest ledger: another replica reserved, and its own DELETE reached this replica before this replica's watch showed the ledger. */
  | { readonly kind: 'ledger'; readonly refusal: Denied }
  /** The scales behind the refusal, read again: no watch shows them, so they may have grown (O5). */
  | { readonly kind: 'scales'; readonly refusal: Denied };

type Step =
  | { readonly kind: 'answer'; readonly verdict: Verdict }
  | { readonly kind: 'missing'; readonly what: Missing };

const answer = (verdict: Verdict): Step => ({ kind: 'answer', verdict });
const missing = (what: Missing): Step => ({ kind: 'missing', what });

/** What one request has done so far. */
interface Progress {
  readonly asked: AskedDisruption;
  readonly deadline: Deadline;
  /** With the claim by which its reservation can be taken back (L7). */
  readonly request: DisruptionRequest & { readonly claim: string };
  /** The ledger has a reservation that was written for it. */
  reserved: boolean;
  /** A deletion was sent, and its outcome is not known. */
  mayHappen: boolean;
  ledgerRead: boolean;
  scalesRead: boolean;
  /** The pod that it was first allowed for. Asked again for the name alone, another pod may have it by now (P9). */
  judged?: string;
}

/** Decides, reserves, verifies and completes disruptions of pods. */
export class Admission {
  readonly #deps: AdmissionDeps;
  #open = 0;
  /** No two requests have the same claim. */
  #claims = 0;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  async admit(asked: AskedDisruption, deadline: Deadline): Promise<Verdict> {
    const { decide, limits } = this.#deps;
    const first = decide(asked.request);
    if (this.#isFinal(asked, first)) return first;
    if (this.#open >= limits.maxRequests) return ledgerBusy(asked.request.pod, `${this.#open} requests are under way`);
    this.#open += 1;
    const progress = this.#begin(asked, deadline);
    try {
      return this.#end(progress, await this.#loop(progress, first));
    } finally {
      this.#open -= 1;
    }
  }

  async #loop(progress: Progress, first: Verdict): Promise<Verdict> {
    const { decide, limits } = this.#deps;
    let refusal: Verdict | undefined;
    for (let round = 0; round < limits.maxRounds && !progress.deadline.over; round += 1) {
      const step = await this.#attempt(progress, round === 0 ? first : decide(progress.request));
      if (step.kind === 'answer') return step.verdict;
      const caughtUp = await this.#catchUp(progress, step.what);
      if (caughtUp !== 'again') return caughtUp;
      refusal = keptChanging(progress.request, step.what);
    }
    return refusal ?? undecided(progress.request);
  }

  async #attempt(progress: Progress, decided: Verdict): Promise<Step> {
    const { request } = progress;
    const refusal = this.#refusalBeforeReserving(request, decided) ?? this.#refusalOfSuccessor(progress, decided);
    if (refusal !== undefined) return answer(refusal);
    const verdict = needsLedger(decided) ? await this.#reserve(progress) : decided;
    if (verdict.result === 'deny') return this.#missingFor(progress, verdict);
    const replaced = this.#refusalOfSuccessor(progress, verdict);
    if (replaced !== undefined) return answer(replaced);
    if (isUnpinned(verdict.effects, request)) return answer(notPinned(request));
    const changed = await this.#verify(progress, verdict);
    return changed ?? this.#complete(progress, verdict);
  }

  /** A reservation whose request is refused afterwards blocks other requests until it is withdrawn: so every refusal that is known before comes before. */
  #refusalBeforeReserving(request: DisruptionRequest, decided: Verdict): Denied | undefined {
    const mayBeAllowed = decided.result === 'allow' ? !isFree(decided) : isUnsettled(decided);
    const stale = mayBeAllowed ? this.#staleness(request) : undefined;
    if (stale !== undefined) return staleView(request.pod, stale);
    return decided.result === 'allow' && isUnpinned(decided.effects, request) ? notPinned(request) : undefined;
  }

  #staleness({ namespace }: DisruptionRequest): string | undefined {
    const { staleness, enforcement } = this.#deps;
    return staleness() ?? enforcement.startingIn(namespace);
  }

  /**
   * A StatefulSet may replace the pod under the same name while this request waits. The verdict was about the first pod: without this check, deciding again
   * would allow the deletion of its successor.
   */
  #refusalOfSuccessor(progress: Progress, verdict: Verdict): Denied | undefined {
    const uid = verdict.result === 'allow' ? verdict.effects.target?.uid : undefined;
    if (uid === undefined) return undefined;
    progress.judged ??= uid;
    return uid === progress.judged ? undefined : undone(progress.request, 'another pod has that name now');
  }

  async #reserve(progress: Progress): Promise<Verdict> {
    const { verdict, reserved } = await this.#deps.commits.reserve(progress.request, progress.deadline);
    progress.reserved ||= reserved;
    return verdict;
  }

  #missingFor({ asked, request, ledgerRead, scalesRead }: Progress, refusal: Denied): Step {
    if (isRefusedFor(refusal, 'CacheStale')) {
      const watermark = this.#deps.world.namespace(request.namespace)?.ledger?.spec?.watermark;
      return watermark === undefined ? answer(refusal) : missing({ kind: 'view', version: watermark, refusal });
    }
    // The same reason is given for other pods that a verdict rests on.
    if (isRefusedFor(refusal, 'PodUnknown') && this.#isUnseen(request)) return missing({ kind: 'pod', refusal });
    if (asked.own && !ledgerRead) return missing({ kind: 'ledger', refusal });
    const reads = !scalesRead && this.#deps.scales.concerns(request, refusal);
    return reads ? missing({ kind: 'scales', refusal }) : answer(refusal);
  }

  #isUnseen({ namespace, pod, uid }: DisruptionRequest): boolean {
    const seen = this.#deps.world.pod(namespace, pod);
    return seen === undefined || (uid !== undefined && uid !== seen.uid);
  }

  /** Undefined: it holds. */
  async #verify({ request, deadline }: Progress, verdict: Allowed): Promise<Step | undefined> {
    const pods = podsToRead(verdict.effects, request);
    if (pods.length === 0) return undefined;
    const { pods: reader, limits } = this.#deps;
    const found = await verifyPods(reader, request.namespace, pods, limits, deadline);
    if (found.kind === 'holds') return undefined;
    const refusal = basisLost(found);
    return found.kind === 'unknown'
      ? answer(refusal)
      : missing({ kind: 'view', version: found.resourceVersion, refusal });
  }

  async #complete(progress: Progress, verdict: Allowed): Promise<Step> {
    const { effects } = verdict;
    if (effects.complete === 'pass') return answer(verdict);
    const { request, asked, deadline } = progress;
    const { target, onlyIf, count: budgets = [] } = effects;
    const taken = await this.#deps.counters.take({ ...request, budgets }, deadline.leftMs);
    if (taken.kind === 'refused') return answer(notCounted(request, taken));
    const takeover = { namespace: request.namespace, target, onlyIf, terms: asked.eviction };
    const completion = await this.#deps.takeOver(takeover, deadline);
    this.#deps.completed(request, completion);
    switch (completion.kind) {
      case 'deleted':
      case 'gone':
        return answer(verdict);
      case 'moved':
        await taken.giveBack();
        return missing({ kind: 'pod', refusal: undone(request, completion.message) });
      case 'refused':
        await taken.giveBack();
        // The budgets agree and the pod is reserved: the API server may delete it itself, if it can meet no other pod.
        return answer(
          request.uid === undefined || onlyIf !== undefined
            ? undone(request, completion.message)
            : { ...verdict, effects: { ...effects, complete: 'pass' } },
        );
      case 'unknown':
        progress.mayHappen = true;
        return answer(undone(request, completion.message));
      case 'unsent':
        await taken.giveBack();
        return answer(undone(request, completion.message));
    }
  }

  /** Waits for exactly what was missing: `again` when it is there. */
  #catchUp(progress: Progress, what: Missing): Promise<Verdict | 'again'> {
    switch (what.kind) {
      case 'view':
        return this.#viewReaches(progress, what.version, what.refusal);
      case 'pod':
        return this.#seePod(progress, what.refusal);
      case 'ledger':
        return this.#readLedger(progress, what.refusal);
      case 'scales':
        return this.#readScales(progress, what.refusal);
    }
  }

  async #viewReaches({ deadline }: Progress, version: string, refusal: Denied): Promise<Verdict | 'again'> {
    const wait = deadline.within(this.#deps.limits.viewWaitMs);
    try {
      return (await this.#deps.views.reached(version, wait.signal)) ? 'again' : refusal;
    } finally {
      wait.release();
    }
  }

  /** A pod that does not exist, or is not the one that the client means, is for the API server to talk about: 404 and 409. */
  async #seePod(progress: Progress, refusal: Denied): Promise<Verdict | 'again'> {
    const { namespace, pod, uid } = progress.request;
    const reading = await readPodNow(this.#deps.pods, namespace, pod, progress.deadline);
    if (reading.kind === 'failed') return refusal;
    // Let through by its name alone, it could meet a successor that the API server sees and this read did not.
    if (
      uid === undefined &&
      progress.judged !== undefined &&
      (reading.kind === 'missing' || reading.uid !== progress.judged)
    )
      return refusal;
    // Evictions of pods that do not exist are bound to a uid that no pod has. One that is not could meet a pod that is created before the API server acts.
    if (reading.kind === 'missing' && namesNoUid(progress.request)) return notPinned(progress.request);
    if (reading.kind === 'missing' || (uid !== undefined && uid !== reading.uid)) return pass;
    return this.#viewReaches(progress, reading.resourceVersion, refusal);
  }

  async #readLedger(progress: Progress, refusal: Denied): Promise<Verdict | 'again'> {
    progress.ledgerRead = true;
    const read = await this.#deps.access.read(progress.request.namespace, progress.deadline.leftMs);
    return read.kind === 'found' ? 'again' : refusal;
  }

  /** At most once for each request: each read is a call to the API server. */
  async #readScales(progress: Progress, refusal: Denied): Promise<Verdict | 'again'> {
    progress.scalesRead = true;
    const { request, deadline } = progress;
    return (await this.#deps.scales.readAgain(request, refusal, deadline.leftMs)) ? 'again' : refusal;
  }

  #begin(asked: AskedDisruption, deadline: Deadline): Progress {
    this.#claims += 1;
    const request = { ...asked.request, claim: `${this.#deps.identity}/${this.#claims}` };
    return { asked, deadline, request, reserved: false, mayHappen: false, ledgerRead: false, scalesRead: false };
  }

  /** What was reserved for a request that is refused after all is taken back (L7), unless its deletion may yet happen. */
  #end({ request, reserved, mayHappen }: Progress, verdict: Verdict): Verdict {
    if (!reserved || verdict.result === 'allow') return verdict;
    this.#deps.events.abandoned?.(request.namespace, request.pod);
    if (!mayHappen) this.#deps.withdrawals.add(request.namespace, request.claim);
    return verdict;
  }

  /** Nothing has to be written, read or waited for: most requests are about pods that no budget concerns, or are refused. */
  #isFinal(asked: AskedDisruption, verdict: Verdict): boolean {
    if (verdict.result === 'allow') return passesAsItIs(verdict, asked.request);
    if (isUnsettled(verdict) || asked.own) return false;
    if (isRefusedFor(verdict, 'PodUnknown') && this.#isUnseen(asked.request)) return false;
    return !this.#deps.scales.concerns(asked.request, verdict);
  }
}

/** Decides by the world as it is when it is asked. */
export function decideBy(
  world: World,
  clock: Pick<Clock, 'now'>,
  options: (namespace: string) => DecideOptions,
): AdmissionDeps['decide'] {
  return (request) => decide(world, request, clock.now(), options(request.namespace));
}

const pass: Allowed = { result: 'allow', reason: 'NotProtected', charges: [], effects: { complete: 'pass' } };

/** Refused because of what is not known yet: it may be allowed in a moment. */
function isUnsettled(verdict: Verdict): boolean {
  return isRefusedFor(verdict, 'LedgerUnknown') || isRefusedFor(verdict, 'CacheStale');
}

function needsLedger(verdict: Verdict): boolean {
  if (verdict.result === 'deny') return isRefusedFor(verdict, 'LedgerUnknown');
  return verdict.effects.reserve !== undefined || verdict.effects.confirm === true;
}

/** The refusal after the last round: what the decision depends on kept changing. */
function keptChanging({ pod }: DisruptionRequest, { kind, refusal }: Missing): Denied {
  return kind === 'view' ? ledgerBusy(pod, 'the pods this decision depends on kept changing') : refusal;
}
