import { type DecideOptions, decide } from '../../core/decide/decide.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import { type Denied, isFree, type Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Admission } from './admit.ts';
import { answerBad, answerBlind, answerVerdict, type PodName } from './answers.ts';
import type { BuiltinCounters } from './builtin-counters.ts';
import type { Deadline } from './deadline.ts';
import type { CallContext, WebhookHandler } from './handler.ts';
import { podRequestOf } from './pod-request.ts';
import { notPinned } from './refusals.ts';
import type { ReviewRequest } from './review.ts';
import type { AdmissionAnswer } from './review-answer.ts';
import type { Completion } from './takeover.ts';
import { isUnpinned, namesNoUid } from './verify.ts';

export interface PodHandlerParts {
  readonly world: World;
  readonly admission: Pick<Admission, 'admit'>;
  readonly counters: Pick<BuiltinCounters, 'recount'>;
  readonly clock: Clock;
  readonly options: (namespace: string) => DecideOptions;
  /** The user that our own requests come from. */
  readonly username: () => string;
  readonly observer: DecisionObserver;
  readonly guards: NamespaceGuards;
  /** How long the guard of a namespace may be asked for. */
  readonly callMs: number;
}

/** Whether a namespace is guarded: in all others API servers ask nothing, and the webhook does nothing (I13). */
export interface NamespaceGuards {
  /** From the view. */
  isGuarded(namespace: string): boolean;
  /** From the API server. */
  confirm(namespace: string, signal: AbortSignal): Promise<boolean>;
}

/** For logs, metrics and events. None of them may throw. */
export interface DecisionObserver {
  decided(request: DisruptionRequest, verdict: Verdict, user: string, milliseconds: number): void;
  completed(request: DisruptionRequest, completion: Completion): void;
}

/** The webhook for evictions, deletions, updates and resizes of pods: a review in, an answer out. */
export class PodHandler implements WebhookHandler {
  readonly #parts: PodHandlerParts;

  constructor(parts: PodHandlerParts) {
    this.#parts = parts;
  }

  async answer(review: ReviewRequest, { deadline }: CallContext): Promise<AdmissionAnswer> {
    const asked = podRequestOf(review, { username: this.#parts.username() });
    if (asked.kind === 'pass') return { allowed: true };
    if (asked.kind === 'bad') return answerBad(asked.problem);
    if (!(await this.#isGuarded(review.namespace, deadline))) return { allowed: true };
    const { clock, observer, admission } = this.#parts;
    const started = clock.monotonic();
    const verdict = await admission.admit(asked, deadline);
    observer.decided(asked.request, verdict, review.username, clock.monotonic() - started);
    if (verdict.result === 'deny') this.#recount(verdict);
    return answerVerdict(
      passesByName(verdict, asked.request) ? notPinned(asked.request) : verdict,
      subjectOf(asked.request),
    );
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

  async #isGuarded(namespace: string, deadline: Deadline): Promise<boolean> {
    const { guards, callMs } = this.#parts;
    if (guards.isGuarded(namespace)) return true;
    const within = deadline.within(callMs);
    try {
      return await guards.confirm(namespace, within.signal);
    } finally {
      within.release();
    }
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
      return isFree(verdict) && !(verdict.result === 'allow' && isUnpinned(verdict.effects, request));
    } catch {
      return false;
    }
  }
}

/**
 * We have completed an eviction that names nothing but a pod's name. Let through, the API server would act on it as well, and meet a
 * successor of the pod if the answer is late. Told to try again, the client finds the pod terminating or gone.
 */
function passesByName(verdict: Verdict, request: DisruptionRequest): boolean {
  return verdict.result === 'allow' && verdict.effects.complete === 'takeover' && namesNoUid(request);
}

function subjectOf({ namespace, pod, operation }: DisruptionRequest): PodName {
  return { namespace, name: pod, operation };
}
