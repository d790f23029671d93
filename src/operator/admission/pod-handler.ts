import { type Fields, isObject, isUnset } from '../../api/json.ts';
import type { Namespace } from '../../api/meta.ts';
import { type DecideOptions, decide } from '../../core/decide/decide.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Denied, Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { guardedValue, guardLabel, isNeverGuarded } from '../guard/plan.ts';
import { resources } from '../resources.ts';
import type { Admission } from './admit.ts';
import { answerBad, answerBlind, answerVerdict, notPinned, type PodName } from './answers.ts';
import type { BuiltinCounters, Completion } from './complete.ts';
import type { Deadline } from './deadline.ts';
import type { CallContext, WebhookHandler } from './handler.ts';
import { evictionTerms, type Identity, podRequestOf } from './pod-request.ts';
import type { AdmissionAnswer, JsonPatchOperation, ReviewRequest } from './review.ts';
import { namesNoUid, type PodReader, passesAsItIs, readPod } from './verify.ts';

/** The two webhooks that an eviction passes, in this order: one binds it to a uid, the other decides whether it may happen. */

export interface PinDeps {
  readonly world: Pick<World, 'pod'>;
  readonly pods: PodReader;
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
      if (eviction === undefined) return pass;
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
  const reading = await readPod(pods, namespace, pod, deadline);
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
  readonly self: Identity;
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

export interface GuardParts {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespaces: { get(namespace: undefined, name: string): Namespace | undefined };
  /** The operator's own namespace. */
  readonly own: string;
}

/** From the view, and from the API server where that says no: an API server may know of a label before the view does. */
export function kubeGuards({ client, namespaces, own }: GuardParts): NamespaceGuards {
  const isOn = (namespace: Namespace) => guardLabel(namespace) === guardedValue;
  return {
    isGuarded(name) {
      const seen = namespaces.get(undefined, name);
      return seen !== undefined && isOn(seen) && !isNeverGuarded(name, own);
    },
    async confirm(name, signal) {
      if (isNeverGuarded(name, own)) return false;
      const read = await client.get<Namespace>(resources.namespaces, { name }, { signal });
      // What cannot be read is judged: a protected pod must not pass because of that (I4).
      return read.ok ? isOn(read.value) : read.failure.kind !== 'notFound';
    },
  };
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
    const asked = podRequestOf(review, this.#parts.self);
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
    const detail =
      why === 'late' ? 'the operator could not decide in time' : 'the operator failed to decide; its log says why';
    const asked = podRequestOf(review, this.#parts.self);
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

function subjectOf({ namespace, pod, operation }: DisruptionRequest): PodName {
  return { namespace, name: pod, operation };
}
