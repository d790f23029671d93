import { type Fields, isObject, isUnset } from '@holdfast/base/json';
import { type DecideOptions, decide } from '../../core/decide/decide.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Denied, Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { GuardMode, NamespaceGuards } from '../../observe/guard/guard-mode.ts';
import type { Admission } from './admit.ts';
import {
  answerBad,
  answerBlind,
  answerObserved,
  answerVerdict,
  notPinned,
  type PodName,
  staleView,
  undecided,
} from './answers.ts';
import type { BuiltinCounters, Completion } from './complete.ts';
import type { Deadline } from './deadline.ts';
import type { CallContext, WebhookHandler } from './handler.ts';
import { evictionTerms, type OperatorIdentity, type PodRequest, podRequestOf } from './pod-request.ts';
import { isFree, namesNoUid, type PodReader, passesAsItIs, readPodNow } from './verify.ts';
import {
  type AdmissionAnswer,
  type ClientWords,
  clientWordsOf,
  type JsonPatchOperation,
  type ReviewRequest,
} from './wire/review.ts';

/** The two webhooks that an eviction passes, in this order: one binds it to a uid, the other decides whether it may happen. */

export interface PinDeps {
  readonly world: Pick<World, 'pod'>;
  readonly pods: PodReader;
  /** Requests in observed namespaces stay as they came. */
  readonly guards?: Pick<NamespaceGuards, 'modeOf'>;
}

const pass: AdmissionAnswer = { allowed: true };

/**
 * Binds an eviction to the pod that has its name now, by a uid in its preconditions, where the client sent none (P9). The validating
 * webhook then judges that uid, and the API server answers 409 when the pod was replaced meanwhile. It refuses nothing: what it does
 * not bind, the validating webhook does not let pass by a name alone.
 */
export function pinHandler(deps: PinDeps): WebhookHandler {
  return {
    async answer(review, { deadline }) {
      const eviction = unpinnedEviction(review);
      if (eviction === undefined || deps.guards?.modeOf(review.namespace) === 'observe') return pass;
      const uid = await uidOf(deps, review, deadline);
      return uid === undefined ? pass : { allowed: true, patch: [patchFor(eviction, uid)] };
    },
    inDoubt: () => pass,
  };
}

function unpinnedEviction({ group, resource, subResource, operation, object }: ReviewRequest): Fields | undefined {
  if (group !== '' || resource !== 'pods' || subResource !== 'eviction' || operation !== 'CREATE') return undefined;
  const terms = evictionTerms(object);
  return isObject(object) && terms.ok && terms.value.uid === undefined ? object : undefined;
}

/**
 * As the view has it, because the verdict will be about that pod. A pod that is not in the view is read; so is one that is on its way out
 * there: its successor may have the name by now, and an eviction bound to the predecessor would be a 409, after which kubectl gives up.
 */
async function uidOf(
  { world, pods }: PinDeps,
  { namespace, name, object }: ReviewRequest,
  deadline: Deadline,
): Promise<string | undefined> {
  const pod = name === '' ? nameIn(object) : name;
  const seen = world.pod(namespace, pod);
  if (seen?.live === true) return seen.uid;
  const reading = await readPodNow(pods, namespace, pod, deadline);
  if (reading.kind === 'found') return reading.uid;
  return reading.kind === 'missing' ? (seen?.uid ?? noPod) : seen?.uid;
}

/** No pod has this uid. The API server answers 404 while there is no pod of the name, and 409 when one was created meanwhile. */
const noPod = 'no-such-pod';

function nameIn(eviction: unknown): string {
  const metadata = isObject(eviction) ? eviction['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/** One operation that adds what is not there yet, and keeps what is. */
function patchFor(eviction: Fields, uid: string): JsonPatchOperation {
  const options = eviction['deleteOptions'];
  if (!isObject(options)) return { op: 'add', path: '/deleteOptions', value: { preconditions: { uid } } };
  const preconditions = options['preconditions'];
  if (isUnset(preconditions)) return { op: 'add', path: '/deleteOptions/preconditions', value: { uid } };
  return { op: 'add', path: '/deleteOptions/preconditions/uid', value: uid };
}

export interface PodHandlerParts {
  readonly world: World;
  readonly admission: Pick<Admission, 'admit'>;
  readonly counters: Pick<BuiltinCounters, 'recount'>;
  readonly clock: Clock;
  readonly options: (namespace: string) => DecideOptions;
  readonly self: OperatorIdentity;
  readonly observer: DecisionObserver;
  readonly guards: NamespaceGuards;
  /** How long the guard of a namespace may be asked for. */
  readonly callMs: number;
}

/** What was decided about one request, and what came of it. */
export interface Decision {
  /** As the client asked for it. */
  readonly request: DisruptionRequest;
  readonly verdict: Verdict;
  /** `observe`: whatever the verdict is, the request passes. */
  readonly mode: 'enforce' | 'observe';
  readonly client: ClientWords;
  readonly milliseconds: number;
}

/** For logs, metrics and events. None of them may throw. */
export interface DecisionObserver {
  /** Once for each review that asks for a disruption in a guarded namespace. */
  decided(decision: Decision): void;
  completed(request: DisruptionRequest, completion: Completion): void;
}

type Asked = Extract<PodRequest, { readonly kind: 'disruption' }>;

/** The webhook for evictions, deletions, updates and resizes of pods: a review in, an answer out. */
export class PodHandler implements WebhookHandler {
  readonly #parts: PodHandlerParts;

  constructor(parts: PodHandlerParts) {
    this.#parts = parts;
  }

  async answer(review: ReviewRequest, { deadline }: CallContext): Promise<AdmissionAnswer> {
    const asked = podRequestOf(review, this.#parts.self);
    if (asked.kind === 'pass') return pass;
    if (asked.kind === 'bad') return this.#answerBad(review, asked.problem);
    const mode = await this.#modeOf(review.namespace, deadline);
    if (mode === 'off') return pass;
    return mode === 'observe' ? this.#observe(asked, review, deadline) : this.#enforce(asked, review, deadline, mode);
  }

  async #enforce(
    asked: Asked,
    review: ReviewRequest,
    deadline: Deadline,
    mode: 'enforce' | 'starting',
  ): Promise<AdmissionAnswer> {
    const { request } = asked;
    if (mode === 'starting' && !this.#unprotected(request)) return this.#refuseToStart(request, review);
    const verdict = await this.#judge(asked, review, deadline, 'enforce');
    if (verdict.result === 'deny') this.#recount(verdict);
    return answerVerdict(passesByName(verdict, request) ? notPinned(request) : verdict, subjectOf(request));
  }

  /**
   * The namespace was observed until a moment ago. Evictions that this replica let pass then are in no ledger, and the wait until the view shows them
   * (`EnforcementStart`) has not begun: a verdict now would count those pods as still there.
   */
  #refuseToStart(request: DisruptionRequest, review: ReviewRequest): AdmissionAnswer {
    const verdict = staleView(request.pod, 'its namespace was observed until a moment ago');
    const client = clientWordsOf(review);
    this.#parts.observer.decided({ request, verdict, mode: 'enforce', client, milliseconds: 0 });
    return answerVerdict(verdict, subjectOf(request));
  }

  /** The verdict that a dry run would get, which reserves and completes nothing; then the request passes, whatever it says. */
  async #observe(asked: Asked, review: ReviewRequest, deadline: Deadline): Promise<AdmissionAnswer> {
    const observed: Asked = { ...asked, request: { ...asked.request, dryRun: true } };
    const verdict = await this.#judge(observed, review, deadline, 'observe', asked.request);
    return verdict.result === 'allow' ? pass : answerObserved(verdict.message, subjectOf(asked.request));
  }

  /** @param request as the client asked for it, where that is not what is judged */
  async #judge(
    asked: Asked,
    review: ReviewRequest,
    deadline: Deadline,
    mode: Decision['mode'],
    request = asked.request,
  ): Promise<Verdict> {
    const { clock, observer, admission } = this.#parts;
    const started = clock.monotonic();
    const verdict = await admission.admit(asked, deadline);
    const milliseconds = clock.monotonic() - started;
    observer.decided({
      request,
      verdict: toldVerdict(verdict, request, deadline),
      mode,
      client: clientWordsOf(review),
      milliseconds,
    });
    return verdict;
  }

  /** From memory alone: a pod that is certainly not protected passes, and all others wait (I4), where they are not only observed. */
  inDoubt(review: ReviewRequest, why: 'late' | 'failed'): AdmissionAnswer {
    const detail =
      why === 'late' ? 'the operator could not decide in time' : 'the operator failed to decide; its log says why';
    const asked = podRequestOf(review, this.#parts.self);
    if (asked.kind === 'pass') return pass;
    if (asked.kind === 'bad') return this.#answerBad(review, asked.problem);
    const observed = this.#parts.guards.modeOf(review.namespace) === 'observe';
    const { request } = asked;
    const answer = answerBlind(subjectOf(request), this.#unprotected(request), 'LedgerUnknown', detail);
    // A late decision goes on in the background and reports itself when it ends.
    if (why === 'failed' && !answer.allowed) this.#tellFailed(request, review, observed);
    return observed && !answer.allowed ? answerObserved(answer.message) : answer;
  }

  #answerBad({ namespace }: ReviewRequest, problem: string): AdmissionAnswer {
    return this.#parts.guards.modeOf(namespace) === 'observe' ? answerObserved(problem) : answerBad(problem);
  }

  #tellFailed(request: DisruptionRequest, review: ReviewRequest, observed: boolean): void {
    this.#parts.observer.decided({
      request,
      verdict: undecided(request),
      mode: observed ? 'observe' : 'enforce',
      client: clientWordsOf(review),
      milliseconds: 0,
    });
  }

  /**
   * An API server may know of a label before the view does: so `enforce` is believed, and everything else is read. What cannot be read is
   * judged, because a protected pod must not pass for that (I4); but where the view says that it is observed, nothing is refused.
   */
  async #modeOf(namespace: string, deadline: Deadline): Promise<GuardMode | 'starting'> {
    const { guards, callMs } = this.#parts;
    const seen = guards.modeOf(namespace);
    if (seen === 'enforce') return seen;
    const within = deadline.within(callMs);
    try {
      const confirmed = await guards.confirm(namespace, within.signal);
      if (seen === 'off') return confirmed ?? 'enforce';
      return confirmed === 'enforce' ? 'starting' : (confirmed ?? 'observe');
    } finally {
      within.release();
    }
  }

  /** Asks the disruption controller to count budgets whose numbers are out of date, so that the client's next try finds the right ones. */
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
      return passesAsItIs(verdict, request);
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

/** After the deadline the client was told that it could not be decided, unless its eviction was completed all the same. */
function toldVerdict(verdict: Verdict, request: DisruptionRequest, deadline: Deadline): Verdict {
  const done = verdict.result === 'allow' && (verdict.effects.complete === 'takeover' || isFree(verdict));
  return deadline.over && !done ? undecided(request) : verdict;
}

function subjectOf({ namespace, pod, operation }: DisruptionRequest): PodName {
  return { namespace, name: pod, operation };
}
