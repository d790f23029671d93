import { blocker, deny } from '../../core/decide/blocker.ts';
import { type DecideOptions, decide } from '../../core/decide/decide.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import { type Allowed, type Denied, isFree, type Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { LedgerAccess } from '../ledger/ledger-access.ts';
import type { LedgerService } from '../ledger/ledger-service.ts';
import { patienceOf } from '../ledger/patience.ts';
import type { PodReader } from '../ledger/ports.ts';
import type { ViewGate } from '../ledger/view-gate.ts';
import { answerBad, answerBlind, answerVerdict, type PodName } from '../webhook/answers.ts';
import type { CallContext, WebhookHandler } from '../webhook/handler.ts';
import { type PodRequest, podRequestOf } from '../webhook/requests.ts';
import type { ReviewRequest } from '../webhook/review.ts';
import type { AdmissionAnswer } from '../webhook/review-answer.ts';
import type { BuiltinCounters } from './builtin-counters.ts';
import { type Completion, completeEviction } from './takeover.ts';

export interface PodHandlerParts {
  readonly world: World;
  readonly ledger: Pick<LedgerService, 'submit'>;
  readonly access: Pick<LedgerAccess, 'read'>;
  readonly pods: PodReader;
  readonly views: Pick<ViewGate, 'reached'>;
  readonly client: Pick<KubeClient, 'delete'>;
  readonly counters: Pick<BuiltinCounters, 'take' | 'recount'>;
  readonly clock: Clock;
  readonly options: (namespace: string) => DecideOptions;
  /** The user that our own requests come from. */
  readonly username: () => string;
  readonly observer: DecisionObserver;
  readonly limits?: Partial<PodHandlerLimits>;
}

/** For logs, metrics and events. None of them may throw. */
export interface DecisionObserver {
  decided(request: DisruptionRequest, verdict: Verdict, user: string, milliseconds: number): void;
  completed(request: DisruptionRequest, completion: Completion): void;
}

export interface PodHandlerLimits {
  /** How long an answer may take. The API server waits for ten seconds unless the configuration says otherwise. */
  readonly answerMs: number;
  /** How often a request is judged anew because something had moved on. */
  readonly maxRounds: number;
  readonly viewWaitMs: number;
}

const defaultLimits: PodHandlerLimits = { answerMs: 8_000, maxRounds: 4, viewWaitMs: 2_000 };

type Judged = Extract<PodRequest, { readonly kind: 'judge' }>;

/** `again`: what was not known is known now. */
type Step = { readonly kind: 'answer'; readonly verdict: Verdict } | { readonly kind: 'again'; readonly why: Denied };

const answer = (verdict: Verdict): Step => ({ kind: 'answer', verdict });

/** Judges evictions, deletions, updates and resizes of pods. */
export class PodHandler implements WebhookHandler {
  readonly #parts: PodHandlerParts;
  readonly #limits: PodHandlerLimits;

  constructor(parts: PodHandlerParts) {
    this.#parts = parts;
    this.#limits = { ...defaultLimits, ...parts.limits };
  }

  async answer(review: ReviewRequest, context: CallContext): Promise<AdmissionAnswer> {
    const asked = podRequestOf(review, { username: this.#parts.username() });
    if (asked.kind === 'pass') return { allowed: true };
    if (asked.kind === 'bad') return answerBad(asked.problem);
    const { clock, observer } = this.#parts;
    const started = clock.monotonic();
    const verdict = await this.#judge(asked, started + this.#limits.answerMs, context);
    observer.decided(asked.request, verdict, review.username, clock.monotonic() - started);
    if (verdict.result === 'deny') this.#recount(verdict);
    return answerVerdict(verdict, subjectOf(asked.request));
  }

  /** From memory alone: a pod that is certainly not protected passes, and all others wait (I4). */
  inDoubt(review: ReviewRequest, why: 'late' | 'failed'): AdmissionAnswer {
    const detail = why === 'late' ? 'no answer was found in time' : 'the answer could not be worked out';
    const asked = podRequestOf(review, { username: this.#parts.username() });
    if (asked.kind === 'pass') return { allowed: true };
    if (asked.kind === 'bad') return answerBad(asked.problem);
    const { request } = asked;
    return answerBlind(subjectOf(request), this.#unprotected(request), 'LedgerUnknown', detail);
  }

  /** What Kubernetes has not counted yet it is asked to count, so that the next try finds a number that is right. */
  #recount({ blockers }: Denied): void {
    for (const { code, budget } of blockers) {
      if (code !== 'NotCountedYet' || budget === undefined) continue;
      void this.#parts.counters.recount(budget.namespace, budget.name);
    }
  }

  #unprotected(request: DisruptionRequest): boolean {
    const { world, clock, options } = this.#parts;
    try {
      const verdict = decide(world, { ...request, dryRun: true }, clock.now(), options(request.namespace));
      return isFree(verdict);
    } catch {
      return false;
    }
  }

  async #judge(asked: Judged, untilMs: number, context: CallContext): Promise<Verdict> {
    let last: Verdict | undefined;
    for (let round = 0; round < this.#limits.maxRounds; round += 1) {
      const left = untilMs - this.#parts.clock.monotonic();
      if (left <= 0 || (round > 0 && context.signal.aborted)) break;
      const verdict = await this.#parts.ledger.submit(asked.request, left);
      const step = await this.#settle(asked, verdict, round, untilMs, context);
      if (step.kind === 'answer') return step.verdict;
      last = step.why;
    }
    return last ?? unjudged(asked.request);
  }

  /** Only what has to wait for something reads the context's signal: making one costs more than most answers. */
  #settle(asked: Judged, verdict: Verdict, round: number, untilMs: number, context: CallContext): Promise<Step> | Step {
    if (verdict.result === 'allow') return this.#settleAllowed(asked, verdict, untilMs, context);
    // The same reason is given for other pods that a verdict rests on: those the ledger service has waited for.
    const unknown = verdict.blockers.some(({ code }) => code === 'PodUnknown');
    if (unknown && this.#isUnseen(asked.request)) return this.#settleUnknown(asked, verdict, context.signal);
    // The deletion of a takeover that another replica began: its reservation may be newer than the ledger that we know.
    if (asked.own && round === 0) return this.#readLedger(asked.request.namespace, verdict);
    return answer(verdict);
  }

  #isUnseen({ namespace, pod, uid }: DisruptionRequest): boolean {
    const seen = this.#parts.world.pod(namespace, pod);
    return seen === undefined || (uid !== undefined && uid !== seen.uid);
  }

  async #readLedger(namespace: string, verdict: Denied): Promise<Step> {
    const read = await this.#parts.access.read(namespace);
    return read.kind === 'found' ? { kind: 'again', why: verdict } : answer(verdict);
  }

  /** A pod that is not there, or is another one than is meant, is for the API server to talk about: 404 and 409 are its words. */
  async #settleUnknown({ request }: Judged, verdict: Denied, signal: AbortSignal): Promise<Step> {
    const reading = await this.#parts.pods.read(request.namespace, request.pod, signal);
    if (reading.kind === 'failed') return answer(verdict);
    if (reading.kind === 'missing') return answer(pass);
    if (request.uid !== undefined && request.uid !== reading.uid) return answer(pass);
    return (await this.#viewReaches(reading.resourceVersion, signal))
      ? { kind: 'again', why: verdict }
      : answer(verdict);
  }

  #settleAllowed(asked: Judged, verdict: Allowed, untilMs: number, context: CallContext): Promise<Step> | Step {
    if (verdict.effects.complete !== 'takeover') return answer(verdict);
    return this.#takeOver(asked, verdict, untilMs, context.signal);
  }

  async #takeOver(asked: Judged, verdict: Allowed, untilMs: number, signal: AbortSignal): Promise<Step> {
    const { request, eviction } = asked;
    const { world, client, clock, observer, counters } = this.#parts;
    const uid = verdict.effects.reserve?.uid ?? world.pod(request.namespace, request.pod)?.uid;
    if (uid === undefined) return answer(verdict);
    const { onlyIf, count: budgets = [] } = verdict.effects;
    const taken = await counters.take({ ...request, budgets }, untilMs - clock.monotonic());
    if (taken.kind === 'refused') return answer(notCounted(request, taken));
    const left = untilMs - clock.monotonic();
    const completion = await completeEviction(client, { request, uid, onlyIf, terms: eviction }, left);
    observer.completed(request, completion);
    switch (completion.kind) {
      case 'deleted':
      case 'gone':
        return answer(verdict);
      case 'moved':
        return this.#settleMoved(asked, completion.message, signal);
      case 'refused':
        await taken.giveBack();
        // The budgets agree and the pod is reserved: the API server may do it its own way, unless the deletion had to insist.
        return answer(onlyIf === undefined ? verdict : undone(request, completion.message));
      case 'unknown':
        return answer(undone(request, completion.message));
    }
  }

  async #settleMoved({ request }: Judged, message: string, signal: AbortSignal): Promise<Step> {
    const why = undone(request, message);
    const reading = await this.#parts.pods.read(request.namespace, request.pod, signal);
    if (reading.kind === 'missing') return answer(pass);
    if (reading.kind === 'failed') return answer(why);
    return (await this.#viewReaches(reading.resourceVersion, signal)) ? { kind: 'again', why } : answer(why);
  }

  async #viewReaches(version: string, signal: AbortSignal): Promise<boolean> {
    const patience = patienceOf(this.#parts.clock, this.#limits.viewWaitMs);
    try {
      return await this.#parts.views.reached(version, AbortSignal.any([signal, patience.signal]));
    } finally {
      patience.end();
    }
  }
}

const pass: Allowed = { result: 'allow', reason: 'NotProtected', charges: [], effects: { complete: 'pass' } };

function unjudged({ pod }: DisruptionRequest): Denied {
  return deny([blocker('LedgerUnknown', { pod: { name: pod }, detail: 'it was not judged' })]);
}

function undone({ pod }: DisruptionRequest, message: string): Denied {
  const detail = `its eviction was allowed, and could not be completed: ${message}`;
  return deny([blocker('PodUnknown', { pod: { name: pod }, detail })]);
}

/** Another eviction was faster at the API server's own counter, in the moment since the view was asked. */
function notCounted(
  { namespace, pod }: DisruptionRequest,
  { budget, why }: { readonly budget: string; readonly why: string },
): Denied {
  const ref = { kind: 'PodDisruptionBudget', namespace, name: budget } as const;
  return deny([blocker('NotCountedYet', { pod: { name: pod }, budget: ref, detail: why })]);
}

function subjectOf({ namespace, pod, operation }: DisruptionRequest): PodName {
  return { namespace, name: pod, operation };
}
