import { observedReason } from '../../api/event-reasons.ts';
import { pubGroup } from '../../api/pub/pub.ts';
import { agree, counted } from '../../api/wording.ts';
import type { DisruptionRequest, Operation } from '../../core/request.ts';
import type { Allowed, Blocker, BudgetRef, Charge, Denied, Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { EventNote, EventRecorder, EventSubject } from '../../kube/events/recorder.ts';
import type { Views } from '../../observe/view/views.ts';
import type { Logger } from '../../telemetry/log.ts';
import { type Metrics, requestBuckets } from '../../telemetry/metrics.ts';
import type { Audit } from './audit.ts';
import type { Completion } from './complete.ts';
import type { Decision, DecisionObserver } from './pod-handler.ts';

export interface DecisionMetrics {
  verdict(decision: Decision): void;
  takeover(result: Completion['kind']): void;
}

export function createDecisionMetrics(metrics: Metrics): DecisionMetrics {
  const verdicts = metrics.counter({
    name: 'verdicts_total',
    help: 'Decisions on requests to disrupt a pod, dry runs included, by their first reason.',
    labels: ['operation', 'result', 'reason'],
  });
  const durations = metrics.histogram(
    {
      name: 'verdict_duration_seconds',
      help: 'Time from a request to disrupt a pod to its decision, including the ledger write and the takeover.',
      labels: ['operation'],
    },
    requestBuckets,
  );
  const takeovers = metrics.counter({
    name: 'takeovers_total',
    help: 'Evictions that the operator completed with a deletion, by result.',
    labels: ['result'],
  });
  return {
    verdict({ request: { operation }, verdict, mode, milliseconds }) {
      const result = verdict.result === 'deny' && mode === 'observe' ? 'observed' : verdict.result;
      verdicts.add({ operation, result, reason: firstReason(verdict) });
      durations.observe({ operation }, milliseconds / 1_000);
    },
    takeover: (result) => takeovers.add({ result }),
  };
}

function firstReason(verdict: Verdict): string {
  return verdict.result === 'allow' ? verdict.reason : (verdict.blockers[0]?.code ?? 'none');
}

export interface DecisionTellers {
  readonly metrics: DecisionMetrics;
  readonly log: Logger;
  readonly audit: Audit;
  readonly events: DisruptionEvents;
}

/** Tells of every verdict in each of the four ways. */
export function decisionObserver({ metrics, log, audit, events }: DecisionTellers): DecisionObserver {
  return {
    decided(decision) {
      metrics.verdict(decision);
      audit.decided(decision);
      events.decided(decision);
    },
    completed({ namespace, pod }, completion) {
      metrics.takeover(completion.kind);
      const told = { namespace, pod, result: completion.kind };
      if ('message' in completion) log.warn('takeover not completed', { ...told, error: completion.message });
      else log.debug('takeover completed', told);
    },
  };
}

export interface DisruptionEvents {
  decided(decision: Decision): void;
}

/** Which objects the names in a verdict are: kubectl shows only events that have the uid of the object. */
export interface EventUids {
  pod(namespace: string, name: string): string | undefined;
  budget(ref: BudgetRef): string | undefined;
}

export function uidsFrom(world: Pick<World, 'pod'>, views: Pick<Views, 'pdbs' | 'pubs'>): EventUids {
  return {
    pod: (namespace, name) => world.pod(namespace, name)?.uid,
    budget({ kind, namespace, name }) {
      const objects = kind === 'PodDisruptionBudget' ? views.pdbs : views.pubs;
      return objects.get(namespace, name)?.metadata.uid;
    },
  };
}

/** Tells on pods and budgets what was decided. The recorder counts what is alike and limits how much there is. */
export function disruptionEvents(recorder: Pick<EventRecorder, 'record'>, uids: EventUids): DisruptionEvents {
  return {
    decided(decision) {
      for (const note of notesOf(decision, uids)) recorder.record(note);
    },
  };
}

/** Budgets of one verdict that hear of it; a pod under more than a few is a mistake that others tell of. */
const maxBudgets = 5;

/**
 * A dry run leaves no trace (I6). Nothing here names a time, a version or a person: the same refusal, asked for every five
 * seconds, has to read the same to be counted as one.
 */
export function notesOf({ request, verdict, mode }: Told, uids: EventUids): readonly EventNote[] {
  if (request.dryRun === true) return [];
  return verdict.result === 'deny'
    ? refusalNotes(request, verdict, mode, uids)
    : allowanceNotes(request, verdict, uids);
}

type Told = Pick<Decision, 'request' | 'verdict' | 'mode'>;

/** What passes in a moment is no news about the pod or the budget; logs and metrics have it. */
function refusalNotes(
  request: DisruptionRequest,
  { blockers }: Denied,
  mode: Decision['mode'],
  uids: EventUids,
): readonly EventNote[] {
  const lasting = blockers.filter((one) => one.outlook !== 'moment');
  const [first] = lasting;
  if (first === undefined) return [];
  const more = lasting.length - 1;
  const rest = more === 0 ? '' : ` (and ${counted(more, 'more reason')})`;
  const note = (subject: EventSubject, blocker: Blocker, suffix: string): EventNote => ({
    subject,
    type: blocker.outlook === 'change' ? 'Warning' : 'Normal',
    reason: mode === 'observe' ? observedReason : 'DisruptionRefused',
    message:
      mode === 'observe'
        ? `${disruptionText(request)} would be refused, and observe mode let it pass: ${blocker.message}${suffix}; ${blocker.unblock}`
        : `${disruptionText(request)} was refused: ${blocker.message}${suffix}; ${blocker.unblock}`,
  });
  const budgets = byBudget(lasting).map(([ref, blocker]) => note(budgetSubject(ref, uids), blocker, ''));
  return [note(podSubject(request, uids), first, rest), ...budgets];
}

/** The pod itself is going; its budgets are told what is left of them. */
function allowanceNotes(request: DisruptionRequest, { charges }: Allowed, uids: EventUids): readonly EventNote[] {
  return byBudget(charges).map(([ref, charge]) => ({
    subject: budgetSubject(ref, uids),
    type: 'Normal',
    reason: 'DisruptionAllowed',
    message: `${disruptionText(request)} was allowed: ${balance(charge)}`,
  }));
}

function balance({ effect, unit, unitKind, available, desired }: Charge): string {
  const left = effect === 'breaks' ? available - 1 : available;
  const units = `${counted(left, unitKind)} ${agree(left, 'is', 'are')} left`;
  const needs = desired === undefined ? '' : `, and ${desired} ${agree(desired, 'is', 'are')} needed`;
  switch (effect) {
    case 'breaks':
      return `it takes ${unitKind} ${unit} down; ${units}${needs}`;
    case 'surplus':
      return `${unitKind} ${unit} stays available without it; ${units}${needs}`;
    case 'down':
      return `${unitKind} ${unit} was down before; ${units}${needs}`;
  }
}

const operationNouns: Readonly<Record<Operation, string>> = {
  EVICT: 'eviction',
  DELETE: 'deletion',
  UPDATE: 'update',
  RESIZE: 'resize',
};

function disruptionText({ operation, pod }: DisruptionRequest): string {
  return `${operationNouns[operation]} of pod ${pod}`;
}

/** The first thing that each budget says. */
function byBudget<T extends { readonly budget?: BudgetRef }>(said: readonly T[]): readonly (readonly [BudgetRef, T])[] {
  const first = new Map<string, readonly [BudgetRef, T]>();
  for (const one of said) {
    const ref = one.budget;
    if (ref === undefined) continue;
    const key = `${ref.kind}/${ref.name}`;
    if (!first.has(key)) first.set(key, [ref, one]);
  }
  return [...first.values()].slice(0, maxBudgets);
}

function podSubject({ namespace, pod, uid }: DisruptionRequest, uids: EventUids): EventSubject {
  const known = uid ?? uids.pod(namespace, pod);
  return { apiVersion: 'v1', kind: 'Pod', namespace, name: pod, ...(known === undefined ? {} : { uid: known }) };
}

function budgetSubject(ref: BudgetRef, uids: EventUids): EventSubject {
  const { kind, namespace, name } = ref;
  const uid = uids.budget(ref);
  const apiVersion = kind === 'PodDisruptionBudget' ? 'policy/v1' : `${pubGroup}/v1beta1`;
  return { apiVersion, kind, namespace, name, ...(uid === undefined ? {} : { uid }) };
}
