import type { Pod } from '../../../src/api/pod.ts';
import type { PassCode } from '../../../src/api/refusals/reasons.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { BudgetRef } from '../../../src/core/verdict.ts';
import { isEntangled } from './entangled.ts';
import { exemptions } from './exempt.ts';
import { isInService, probeProblem } from './health.ts';
import { isIdle } from './owners.ts';
import { answerOfPdb, isPlain, numbersOfPdb, pdbRef, sayOf } from './pdb.ts';
import { answerOfPub, numbersOfPub, pubRef } from './pub.ts';
import type { Answer, NaiveCharge, NaiveNumbers, NaiveRefusal } from './rule.ts';
import { distinct, findPod, type NaiveState, namespaceOf, reservationOf, withoutReservation } from './state.ts';

/**
 * The decision engine once more, written independently and as plainly as possible: every question is answered from the lists,
 * nothing is remembered. It is slow, and it is the judge of the one that is fast.
 */

export interface NaiveOptions {
  readonly takeover?: 'on' | 'off';
  readonly foreignEvictionWebhook?: boolean;
}

export interface NaiveVerdict {
  readonly result: 'allow' | 'deny';
  /** The reason that comes first; any of `reasons` would be true. */
  readonly reason?: PassCode;
  readonly reasons: readonly PassCode[];
  readonly refusals: readonly NaiveRefusal[];
  readonly charges: readonly NaiveCharge[];
  readonly reserve: boolean;
  readonly complete: 'takeover' | 'pass';
  /** The plain PDBs from whose counters a takeover takes it (P9). */
  readonly count: readonly string[];
  readonly onlyIf: boolean;
  /** The other pods whose state the verdict rests on, by name (N5). */
  readonly restsOn: readonly string[];
  /** It rests on a reservation that must still be there (L6). */
  readonly confirm: boolean;
}

/** A verdict without any effect, but for its result and its reason. */
export const noEffects = {
  refusals: [],
  charges: [],
  reserve: false,
  complete: 'pass',
  count: [],
  onlyIf: false,
  restsOn: [],
  confirm: false,
} as const;

const unprotected: NaiveVerdict = { ...noEffects, result: 'allow', reason: 'NotProtected', reasons: ['NotProtected'] };

export function naiveDecide(
  state: NaiveState,
  request: DisruptionRequest,
  now: number,
  options: NaiveOptions = {},
): NaiveVerdict {
  const found = findPod(state, request.namespace, request.pod);
  const pod = request.uid === undefined || request.uid === found?.metadata.uid ? found : undefined;
  const exempt = exemptions(state, request, pod).filter(
    (one) => one !== 'WorkloadGone' || pod === undefined || !isKept(state, request, pod, now),
  );
  const [reason] = exempt;
  if (reason !== undefined) {
    const verdict = pod === undefined ? unknown(state, request) : judged(state, request, pod, now, options);
    const reasons = [...exempt, ...verdict.reasons.filter((other) => other === 'NotProtected')];
    return { ...noEffects, result: 'allow', reason, reasons };
  }
  if (pod === undefined) return unknown(state, request);
  if (pod.status?.phase === 'Pending') return pending(state, request, pod, now, options);
  if (isCovered(state, request, pod, now)) return alreadyReserved(state, request, pod, now, options);
  return judged(withoutReservation(state, pod), request, pod, now, options);
}

/** X4: its workload is scaled to 0, and a budget with a total of its own protects it. */
function isKept(state: NaiveState, request: DisruptionRequest, pod: Pod, now: number): boolean {
  const asked = { ...request, takesAway: true };
  return isIdle(state, pod) && state.pubs.some((pub) => answerOfPub(state, pub, asked, pod, now) !== undefined);
}

/** I4: what nothing can protect passes, seen or not. An eviction could always meet a probe. */
function unknown(state: NaiveState, { namespace, operation }: DisruptionRequest): NaiveVerdict {
  const isGuarded = state.pubs.some((pub) => namespaceOf(pub) === namespace);
  return operation === 'EVICT' || isGuarded ? denied([{ code: 'PodUnknown' }]) : unprotected;
}

function denied(refusals: readonly NaiveRefusal[]): NaiveVerdict {
  return { ...noEffects, result: 'deny', reasons: [], refusals: refusals.toSorted(byBudget) };
}

/** X1, N5: no budget is evaluated, and it is reserved where one covers it. Of the version that was seen, wherever it could matter. */
function pending(
  state: NaiveState,
  request: DisruptionRequest,
  pod: Pod,
  now: number,
  options: NaiveOptions,
): NaiveVerdict {
  const answers = allAnswers(state, request, pod, now);
  const isProtected = answers.length > 0;
  return {
    ...noEffects,
    result: 'allow',
    reason: 'Pending',
    reasons: ['Pending'],
    reserve: isProtected && request.dryRun !== true,
    complete: isProtected && pod.spec?.nodeName !== undefined ? completion(request, answers, options) : 'pass',
    onlyIf: isProtected || veto(state, request, pod, now, []).length > 0,
  };
}

/** L5 */
function isCovered(state: NaiveState, request: DisruptionRequest, pod: Pod, now: number): boolean {
  const reservation = reservationOf(state, pod);
  if (reservation === undefined || reservation.overdue !== undefined) return false;
  if (reservation.conditional === true) return false;
  const reserved = reservation.operation;
  const removes = (operation: string) => operation === 'EVICT' || operation === 'DELETE';
  return (removes(reserved) || !removes(request.operation)) && speaksForAll(state, request, pod, now);
}

/** I14: all that judge now have judged then, as they are now, and no probe says no. */
function speaksForAll(state: NaiveState, request: DisruptionRequest, pod: Pod, now: number): boolean {
  const then = reservationOf(state, pod)?.budgets ?? [];
  const unreserved = withoutReservation(state, pod);
  const answers = allAnswers(unreserved, request, pod, now);
  const asked = judgingBudgets(unreserved, request, pod, now);
  const objects = veto(unreserved, request, pod, now, answers).length > 0;
  const isWithheld = answers.some(({ refusal }) => refusal === 'UnitWithheld');
  return asked.every((text) => then.includes(text)) && !objects && !isWithheld;
}

/** The budgets that judge a request, word for word: which object each is, and all that its rules are read from (I14). */
export function judgingBudgets(
  state: NaiveState,
  request: DisruptionRequest,
  pod: Pod,
  now: number,
): readonly string[] {
  const refs = allAnswers(state, request, pod, now).map(({ budget }) => budget);
  const isMeant = (ref: BudgetRef) => refs.some((other) => JSON.stringify(other) === JSON.stringify(ref));
  const pdbs = state.pdbs.filter((pdb) => isMeant(pdbRef(pdb)));
  const pubs = state.pubs.filter((pub) => isMeant(pubRef(pub)));
  return [
    ...pdbs.map(({ metadata: { uid, annotations = {} }, spec }) => {
      const read = ['budget-scope', 'group-label', 'group-min-available', 'takeover'];
      return JSON.stringify(['PDB', uid, spec, read.map((key) => annotations[`holdfast.dev/${key}`])]);
    }),
    ...pubs.map(({ apiVersion, metadata: { uid, annotations }, spec }) =>
      JSON.stringify(['PUB', uid, apiVersion, spec, annotations]),
    ),
  ];
}

/** I5: the answer is as before, and an eviction that we were to complete is still ours. */
function alreadyReserved(
  state: NaiveState,
  request: DisruptionRequest,
  pod: Pod,
  now: number,
  options: NaiveOptions,
): NaiveVerdict {
  const answers = allAnswers(state, request, pod, now);
  const reasons: PassCode[] = answers.length === 0 ? ['AlreadyReserved', 'NotProtected'] : ['AlreadyReserved'];
  const complete = completion(request, answers, options);
  const plain = state.pdbs.filter((pdb) => isPlain(state, pdb)).map(({ metadata }) => metadata.name);
  const asked = answers.map(({ budget }) => budget).filter(({ kind }) => kind === 'PodDisruptionBudget');
  const count = asked.map(({ name }) => name).filter((name) => complete === 'takeover' && plain.includes(name));
  return { ...noEffects, result: 'allow', reason: 'AlreadyReserved', reasons, complete, count, confirm: true };
}

function judged(
  state: NaiveState,
  request: DisruptionRequest,
  pod: Pod,
  now: number,
  options: NaiveOptions,
): NaiveVerdict {
  const answers = allAnswers(state, request, pod, now);
  const refusals = [
    ...veto(state, request, pod, now, answers),
    ...answers.flatMap(({ budget, refusal }) => (refusal === undefined ? [] : [{ code: refusal, budget }])),
  ];
  if (refusals.length > 0) return denied(refusals);
  if (answers.length === 0) return unprotected;
  const charges = answers.flatMap(({ charge }) => charge ?? []).toSorted(byBudget);
  const complete = completion(request, answers, options);
  const count = answers.flatMap(({ counts, budget }) => (counts && complete === 'takeover' ? [budget.name] : []));
  return {
    result: 'allow',
    reason: 'WithinBudget',
    reasons: ['WithinBudget'],
    refusals: [],
    charges,
    reserve: request.dryRun !== true,
    complete,
    count,
    onlyIf: answers.some((answer) => answer.restsOnTarget === true),
    restsOn: distinct(answers.flatMap((answer) => answer.restsOn ?? [])).toSorted(),
    confirm: false,
  };
}

function allAnswers(state: NaiveState, request: DisruptionRequest, pod: Pod, now: number): readonly Answer[] {
  const pubs = state.pubs.flatMap((pub) => answerOfPub(state, pub, request, pod, now) ?? []);
  const judgesPdbs = request.operation === 'EVICT' && !isIdle(state, pod);
  return judgesPdbs ? [...pdbAnswers(state, pod, now, pubs.length > 0), ...pubs] : pubs;
}

/** P1, P2: plain PDBs are ours, too, where we judge the pod anyway, and where they are entangled with what we judge. */
function pdbAnswers(state: NaiveState, pod: Pod, now: number, underPub: boolean): readonly Answer[] {
  const judging = state.pdbs.filter((pdb) => sayOf(state, pdb, pod) === 'judges');
  const plain = state.pdbs.filter((pdb) => sayOf(state, pdb, pod) === 'builtIn');
  const ours = judging.length > 0 || underPub || (plain.length > 0 && isEntangled(state, pod));
  return (ours ? [...judging, ...plain] : []).map((pdb) => answerOfPdb(state, pdb, pod, now));
}

/** V1, V2, I10 */
function veto(
  state: NaiveState,
  request: DisruptionRequest,
  pod: Pod,
  now: number,
  answers: readonly Answer[],
): readonly NaiveRefusal[] {
  const code = probeProblem(state, pod, now);
  if (code === undefined || request.operation === 'RESIZE' || (request.operation !== 'EVICT' && answers.length === 0))
    return [];
  const wayOut = !isInService(pod) && answers.length > 0 && answers.every(({ always }) => always);
  const isBroken = request.operation === 'DELETE' && answers.every(({ brokenAnyway }) => brokenAnyway === true);
  return wayOut || isBroken ? [] : [{ code }];
}

/** P9. Every budget that judges must let us. */
function completion(
  request: DisruptionRequest,
  answers: readonly Answer[],
  options: NaiveOptions,
): 'takeover' | 'pass' {
  const { takeover = 'on', foreignEvictionWebhook = false } = options;
  if (request.operation !== 'EVICT' || takeover === 'off' || foreignEvictionWebhook) return 'pass';
  if (request.dryRun === true || request.resourceVersionPrecondition === true || answers.length === 0) return 'pass';
  return answers.every((answer) => answer.takeover === true) ? 'takeover' : 'pass';
}

function byBudget(left: { budget?: BudgetRef; code?: string }, right: { budget?: BudgetRef; code?: string }): number {
  const text = (one: typeof left) => [one.budget?.kind ?? '', one.budget?.name ?? '', one.code ?? ''].join(' ');
  return text(left) < text(right) ? -1 : text(left) > text(right) ? 1 : 0;
}

/** Nothing when there is no such budget. */
export function naiveNumbers(state: NaiveState, ref: BudgetRef, now: number): NaiveNumbers | undefined {
  const isMeant = (other: BudgetRef) => other.name === ref.name && other.namespace === ref.namespace;
  if (ref.kind === 'PodDisruptionBudget') {
    const pdb = state.pdbs.find((candidate) => isMeant(pdbRef(candidate)));
    return pdb === undefined ? undefined : numbersOfPdb(state, pdb, now);
  }
  const pub = state.pubs.find((candidate) => isMeant(pubRef(candidate)));
  return pub === undefined ? undefined : numbersOfPub(state, pub, now);
}

export { observe } from './peaks.ts';
export { emptyState, type NaiveState } from './state.ts';
