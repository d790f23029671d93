import { type FieldError, formatFieldError } from '@holdfast/base/field-errors';
import { counted } from '../../api/wording.ts';
import { blocker, deny, refusalOf } from '../../core/decide/refusal.ts';
import type { DisruptionRequest, Operation } from '../../core/request.ts';
import type { Denied, Verdict } from '../../core/verdict.ts';
import type { Verification } from './verify.ts';
import type { AdmissionAnswer, AnswerCause } from './wire/review.ts';

export interface PodName {
  readonly namespace: string;
  readonly name: string;
  /** What was asked for, where it was not an eviction. */
  readonly operation?: Operation;
}

/** Why there is no verdict: reasons that have nothing to do with any budget. */
export type BlindCode = 'NotSynced' | 'LedgerUnknown' | 'CacheStale';

export function answerVerdict(verdict: Verdict, pod: PodName): AdmissionAnswer {
  return verdict.result === 'allow' ? { allowed: true } : refuse(verdict, pod);
}

/**
 * The answer when no verdict could be had (I4), because something failed or took too long.
 *
 * @param unprotected known for sure: no budget and no probe concerns the pod
 */
export function answerBlind(pod: PodName, unprotected: boolean, code: BlindCode, detail: string): AdmissionAnswer {
  return unprotected ? { allowed: true } : refuse(deny([blocker(code, { pod, detail })]), pod);
}

/** "Not now" (I8): one cause for each reason, then when to come back, and where to look. */
function refuse(denied: Denied, pod: PodName): AdmissionAnswer {
  const { code, reason, message, causes } = refusalOf(denied);
  return { allowed: false, code, reason, message, causes: [...causes, ...hints(denied, pod)] };
}

/** Their reasons are other ones, so that programs which look for budgets pass over them. */
function hints(denied: Denied, pod: PodName): readonly AnswerCause[] {
  const seconds = retrySeconds(denied);
  return [
    { reason: 'RetryHint', message: `worth another try in ${counted(seconds, 'second')}` },
    { reason: 'Hint', message: explainCommand(pod) },
  ];
}

const momentSeconds = 1;
/** As often as kubectl drain asks. */
const waitSeconds = 5;
/** No person changes anything faster. */
const changeSeconds = 30;

/** All that blocks has to end, so what takes longest counts. */
function retrySeconds({ blockers }: Denied): number {
  const outlooks = new Set(blockers.map((one) => one.outlook));
  if (outlooks.has('change')) return changeSeconds;
  return outlooks.has('wait') ? waitSeconds : momentSeconds;
}

/** Tells all that is behind a refusal; it works as it stands, as `kubectl holdfast explain`, too. */
function explainCommand({ namespace, name, operation = 'EVICT' }: PodName): string {
  const how = operation === 'EVICT' ? '' : ` --operation ${operation.toLowerCase()}`;
  return `holdfast explain pod/${name} -n ${namespace}${how}`;
}

/**
 * Observe mode: the request passes, and its client hears what enforcing would have said. API servers pass warnings on, and kubectl prints
 * them; long ones are cut, so what to look at comes first.
 */
export function answerObserved(problem: string, pod?: PodName): AdmissionAnswer {
  const look = pod === undefined ? '' : ` (${explainCommand(pod)})`;
  return { allowed: true, warnings: [`Holdfast would refuse this, and observe mode lets it pass${look}: ${problem}`] };
}

/** The request cannot be understood. */
export function answerBad(problem: string): AdmissionAnswer {
  return { allowed: false, code: 400, reason: 'BadRequest', message: problem };
}

/** The request was understood, and trying it again may help: an answer about something other than a pod's disruption. */
export function answerUnavailable(problem: string): AdmissionAnswer {
  return { allowed: false, code: 503, reason: 'ServiceUnavailable', message: problem };
}

export interface ObjectName {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** A bad object may have as many mistakes as it has fields; more than this many do not help. */
const maxErrors = 20;

/** The object is not valid, in the words in which the API server says so. */
export function answerInvalid(object: ObjectName, errors: readonly FieldError[]): AdmissionAnswer {
  const [first] = errors;
  if (first === undefined) return { allowed: true };
  const shown = errors.slice(0, maxErrors);
  const left = errors.length - shown.length;
  const list = [...shown.map(formatFieldError), ...(left > 0 ? [`and ${left} more`] : [])];
  const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  const kind = object.group === '' ? object.kind : `${object.kind}.${object.group}`;
  return {
    allowed: false,
    code: 422,
    reason: 'Invalid',
    message: `${kind} ${JSON.stringify(object.name)} is invalid: ${text}`,
    causes: shown.map(causeOf),
  };
}

function causeOf(error: FieldError): AnswerCause {
  return {
    reason: error.type,
    message: formatFieldError(error).slice(error.field.length + 2),
    field: error.field,
  };
}

/** Refusals of the admission itself. What cannot be written down is not allowed (I4), and that is "not now", like every other (I8). */

/** Nothing could be written down, or not in time. */
export function ledgerBusy(pod: string, detail: string): Denied {
  return deny([blocker('LedgerBusy', { pod: { name: pod }, detail })]);
}

/** The view that the verdict would rest on may be too old. */
export function staleView(pod: string, detail: string): Denied {
  return deny([blocker('NotSynced', { pod: { name: pod }, detail })]);
}

/** A pod that the verdict rests on has changed, or cannot be read. */
export function basisLost(reading: Exclude<Verification, { kind: 'holds' }>): Denied {
  const detail =
    reading.kind === 'changed'
      ? `it changed from resourceVersion ${reading.from} to ${reading.resourceVersion} in the meantime`
      : `the decision depends on it, and it could not be read: ${reading.message}`;
  return deny([blocker('PodUnknown', { pod: { name: reading.pod }, detail })]);
}

/** The deletion that should have completed the eviction did not. */
export function undone({ pod }: DisruptionRequest, message: string): Denied {
  const detail = `its eviction was allowed, and the deletion failed: ${message}`;
  return deny([blocker('PodUnknown', { pod: { name: pod }, detail })]);
}

/** The eviction would pass, and could meet a successor of the pod that was judged. */
export function notPinned({ pod }: DisruptionRequest): Denied {
  return deny([blocker('EvictionNotPinned', { pod: { name: pod } })]);
}

export function undecided({ pod }: DisruptionRequest): Denied {
  return deny([
    blocker('LedgerUnknown', {
      pod: { name: pod },
      detail: 'the deadline of the request passed before it was decided',
    }),
  ]);
}

export function isRefusedFor(verdict: Verdict, code: 'LedgerUnknown' | 'CacheStale' | 'PodUnknown'): boolean {
  return verdict.result === 'deny' && verdict.blockers.some((one) => one.code === code);
}

/** Another eviction was faster at the API server's own counter, in the moment since the view was asked. */
export function notCounted(
  { namespace, pod }: DisruptionRequest,
  { budget, why }: { readonly budget: string; readonly why: string },
): Denied {
  const ref = { kind: 'PodDisruptionBudget', namespace, name: budget } as const;
  return deny([blocker('NotCountedYet', { pod: { name: pod }, budget: ref, detail: why })]);
}
