import type { Pod } from '../../api/pod.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { parseRolloutOptIn } from '../../core/rollout/opt-in.ts';
import { planEnforcedRollout } from '../../core/rollout/plan-rollout.ts';
import type { Removal, RolloutPlan } from '../../core/rollout/state.ts';
import type { EventNote, EventRecorder } from '../../kube/events/recorder.ts';
import type { Reconciled } from '../../kube/queue/workqueue.ts';
import type { OperatorContext } from '../../observe/context.ts';
import { claimRefusal } from './claim-guard.ts';
import { sinceTrouble } from './crash-loops.ts';
import { type RolloutReading, readRollout } from './read-rollout.ts';
import { deleteJudgedPod, type Removed } from './remove-pod.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import type { RolloutMetrics } from './rollout-metrics.ts';
import { blockedNotes, removalNotes } from './rollout-notes.ts';
import { planShown, writeShown } from './show-state.ts';
import type { WatchedSet } from './watched-set.ts';

export interface RolloutLimits {
  /** How long after a change a set is looked at: a rollout changes its pods many times in a second. */
  readonly gatherMs: number;
  /** Between two removals of one set, whatever its templates and its settle time say. */
  readonly betweenRemovalsMs: number;
  /** After a refusal, until it is tried again. */
  readonly refusedMs: number;
  readonly resyncMs: number;
  readonly deadlineMs: number;
  readonly retry: { readonly baseMs: number; readonly capMs: number };
  readonly workers: number;
}

export const defaultRolloutLimits: RolloutLimits = {
  gatherMs: 200,
  betweenRemovalsMs: 1_000,
  refusedMs: 5_000,
  resyncMs: 300_000,
  deadlineMs: 10_000,
  retry: { baseMs: 100, capMs: 60_000 },
  workers: 4,
};

export interface LookParts {
  readonly context: Pick<OperatorContext, 'clients' | 'clock' | 'log'>;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly metrics: RolloutMetrics;
  readonly limits: RolloutLimits;
  readonly memory: RolloutMemory;
  /** Aborted when this replica no longer leads. */
  readonly signal: AbortSignal;
}

type Read = Extract<RolloutReading, { readonly kind: 'read' }>;

/** Looks at one StatefulSet as it is now, and does at most one thing about its pods. */
export async function lookAtRollout(parts: LookParts, key: string, watched: WatchedSet): Promise<Reconciled> {
  const { context, limits, metrics, signal } = parts;
  const { clients, clock, log } = context;
  const reader = { client: clients.rollouts, clock, deadlineMs: limits.deadlineMs, signal };
  const reading = await readRollout(reader, watched);
  if (reading.kind === 'failed') {
    if (!signal.aborted) log.warn('reconciling a StatefulSet failed', { set: key, error: reading.message });
    return { kind: 'failed' };
  }
  if (reading.kind === 'gone') {
    metrics.state(key, undefined);
    return { kind: 'done' };
  }
  tellOfAttempt(parts, key, reading);
  const plan = planNow(parts, key, reading);
  const { removal } = plan;
  if (removal === undefined) return show(parts, key, reading, plan, false);
  const pauseMs = parts.memory.pauseMs(key, limits.betweenRemovalsMs);
  return pauseMs > 0 ? { kind: 'again', afterMs: pauseMs } : remove(parts, key, reading, plan, removal);
}

/** What was refused a moment ago is refused still: budgets are not asked again at every change of a pod. */
function planNow({ memory }: LookParts, key: string, { set, pods, at }: Read): RolloutPlan {
  const verdictOf = (pod: Pod) => memory.verdict(key, pod.metadata.uid);
  const troubles = memory.troubles(key, { pods, settleMs: settleMsOf(set), now: at });
  return planEnforcedRollout(set, sinceTrouble(pods, troubles), verdictOf, at);
}

/** 0 for a set in which nothing is done. */
function settleMsOf(set: StatefulSet): number {
  const optIn = parseRolloutOptIn(set);
  return optIn.kind === 'on' ? optIn.settleSeconds * 1_000 : 0;
}

async function remove(
  parts: LookParts,
  key: string,
  reading: Read,
  plan: RolloutPlan,
  removal: Removal,
): Promise<Reconciled> {
  const { context, limits, metrics, memory, signal } = parts;
  if (signal.aborted) return { kind: 'done' };
  const { set } = reading;
  const { namespace = '' } = set.metadata;
  const call = { client: context.clients.rollouts, namespace, deadlineMs: limits.deadlineMs, signal };
  const removed = (await claimRefusal(call, set, removal)) ?? (await deleteJudgedPod(call, removal));
  metrics.removal(removed.kind);
  const notes = removalNotes(set, removal, plan.state);
  tell(parts, key, removal, removed, notes);
  switch (removed.kind) {
    case 'removed':
      memory.removed(key);
      return show(parts, key, reading, plan, true);
    case 'refused':
      memory.refused(key, removal.uid, removed.message, limits.refusedMs);
      return showRefused(parts, key, reading);
    case 'failed':
      if (removed.maybeDone) memory.attempted(key, { removal, notes });
      return { kind: 'failed' };
    case 'moved':
      return { kind: 'failed' };
  }
}

/** Another pod may be let go although this one is not: that is looked at before anything is said. */
function showRefused(parts: LookParts, key: string, reading: Read): Promise<Reconciled> | Reconciled {
  const plan = planNow(parts, key, reading);
  if (plan.removal === undefined) return show(parts, key, reading, plan, false);
  return { kind: 'again', afterMs: parts.limits.gatherMs };
}

function tell(
  { context, recorder }: LookParts,
  key: string,
  removal: Removal,
  removed: Removed,
  notes: readonly EventNote[],
): void {
  const { log } = context;
  const about = { set: key, pod: removal.pod, why: removal.why };
  if (removed.kind === 'removed') {
    log.info('deleted a pod that blocked a rollout', about);
    for (const note of notes) recorder.record(note);
    return;
  }
  if (removed.kind === 'moved') log.debug('a pod that blocked a rollout changed before it could be deleted', about);
  else log.warn('a pod that blocks a rollout could not be deleted', { ...about, error: removed.message });
}

/** Every removal is told of, also one whose answer was lost. */
function tellOfAttempt(parts: LookParts, key: string, { pods }: Read): void {
  const attempt = parts.memory.takeAttempt(key);
  if (attempt === undefined) return;
  const { removal, notes } = attempt;
  const stays = pods.some(({ metadata: { uid, deletionTimestamp } }) => uid === removal.uid && !deletionTimestamp);
  if (stays) return;
  parts.metrics.removal('removed');
  tell(parts, key, removal, { kind: 'removed' }, notes);
}

/** @param happened the state is something that was done, and not only how things are */
async function show(
  parts: LookParts,
  key: string,
  { set }: Read,
  plan: RolloutPlan,
  happened: boolean,
): Promise<Reconciled> {
  const { context, limits, metrics, recorder, signal } = parts;
  metrics.state(key, plan.state);
  const shown = planShown(set, plan.state);
  if (shown.kind === 'change') {
    const call = { deadlineMs: limits.deadlineMs, signal, happened };
    const written = await writeShown(context.clients.rollouts, set, shown.text, call);
    // A conflict is another client's write; what was read before it may be wrong by now.
    if (!written.ok) return written.failure.kind === 'notFound' ? { kind: 'done' } : { kind: 'failed' };
    if (shown.text !== null) for (const note of blockedNotes(set, plan.state)) recorder.record(note);
  }
  return again(parts, key, plan);
}

/** Nothing but time may pass until the answer is another one. */
function again({ context, memory }: LookParts, key: string, { nextCheckAt }: RolloutPlan): Reconciled {
  const waits = [memory.refusedForMs(key)];
  if (nextCheckAt !== undefined) waits.push(Math.max(1, nextCheckAt - context.clock.now()));
  const afterMs = Math.min(...waits.filter((one) => one > 0));
  return Number.isFinite(afterMs) ? { kind: 'again', afterMs } : { kind: 'done' };
}
