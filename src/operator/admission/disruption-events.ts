import { pubGroup } from '../../api/pub.ts';
import { outlookOf } from '../../api/refusal-outlook.ts';
import type { DisruptionRequest, Operation } from '../../core/request.ts';
import type { Allowed, Blocker, BudgetRef, Charge, Denied, Verdict } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { EventNote, EventSubject } from '../../kube/events/aggregate.ts';
import type { EventRecorder } from '../../kube/events/recorder.ts';
import type { Views } from '../view/views.ts';

export interface DisruptionEvents {
  decided(request: DisruptionRequest, verdict: Verdict): void;
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
    decided(request, verdict) {
      for (const note of notesOf(request, verdict, uids)) recorder.record(note);
    },
  };
}

/** Budgets of one verdict that hear of it; a pod under more than a few is a mistake that others tell of. */
const maxBudgets = 5;

/**
 * A dry run leaves no trace (I6). Nothing here names a time, a version or a person: the same refusal, asked for every five
 * seconds, has to read the same to be counted as one.
 */
export function notesOf(request: DisruptionRequest, verdict: Verdict, uids: EventUids): readonly EventNote[] {
  if (request.dryRun === true) return [];
  return verdict.result === 'deny' ? refusalNotes(request, verdict, uids) : allowanceNotes(request, verdict, uids);
}

/** What passes in a moment is no news about the pod or the budget; logs and metrics have it. */
function refusalNotes(request: DisruptionRequest, { blockers }: Denied, uids: EventUids): readonly EventNote[] {
  const lasting = blockers.filter((one) => outlookOf(one.code) !== 'moment');
  const [first] = lasting;
  if (first === undefined) return [];
  const more = lasting.length - 1;
  const rest = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'reason' : 'reasons'})`;
  const note = (subject: EventSubject, blocker: Blocker, suffix: string): EventNote => ({
    subject,
    type: outlookOf(blocker.code) === 'repair' ? 'Warning' : 'Normal',
    reason: 'DisruptionRefused',
    message: `${wish(request)} was refused: ${blocker.message}${suffix}; ${blocker.unblock}`,
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
    message: `${wish(request)} was allowed: ${balance(charge)}`,
  }));
}

function balance({ effect, unit, unitKind, available, desired }: Charge): string {
  const units = `${available} ${unitKind}${available === 1 ? '' : 's'} available before`;
  const needs = desired === undefined ? '' : `, ${desired} needed`;
  switch (effect) {
    case 'breaks':
      return `it takes ${unitKind} ${unit} away; ${units}${needs}`;
    case 'surplus':
      return `${unitKind} ${unit} stays available without it; ${units}${needs}`;
    case 'down':
      return `${unitKind} ${unit} was not available anyway; ${units}${needs}`;
  }
}

const wishes: Readonly<Record<Operation, string>> = {
  EVICT: 'eviction',
  DELETE: 'deletion',
  UPDATE: 'update',
  RESIZE: 'resize',
};

function wish({ operation, pod }: DisruptionRequest): string {
  return `${wishes[operation]} of pod ${pod}`;
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
