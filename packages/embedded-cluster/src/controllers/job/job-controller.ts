import type { Client } from '../../client.ts';
import { keyOf, splitKey } from '../../objects.ts';
import { executeClaims } from '../common/claiming.ts';
import { type Dependents, watchDependents } from '../common/dependents.ts';
import { EventRecorder } from '../common/events.ts';
import { planClaims, selects } from '../common/owners.ts';
import { createPodWriter, isNamespaceTerminating, type PodWriter } from '../common/pod-writer.ts';
import { isActive, isReady } from '../common/pods.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { decide, type JobDecision } from './decide.ts';
import { type FailureRecord, noFailures } from './failure-backoff.ts';
import { isFinishedJob, isLeaving, isTracked, type JobStatus } from './job-fields.ts';
import { newJobPod } from './job-pods.ts';
import { startOrphanPods, stripFinalizer } from './orphan-pods.ts';
import type { JobOutcome } from './outcome.ts';
import { finishJob, type Noted, noteEnded, type PodCounts, settleNotes } from './track.ts';

const name = 'job-controller';
const jobs = 'batch/jobs';
const ownController = 'kubernetes.io/job-controller';

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly writer: PodWriter;
  readonly pods: Dependents;
  /** Of failures, by the job's uid. */
  readonly records: Map<string, FailureRecord>;
}

export function startJobController(context: ControllerContext): Controller {
  const client = context.clientFor(name);
  const events = new EventRecorder(context, client, name);
  const writer = createPodWriter(client, events);
  const records = new Map<string, FailureRecord>();
  const reconciler: Reconciler = new Reconciler(context, {
    name,
    reconcile: (key) => reconcile({ context, client, events, writer, pods, records }, key),
  });
  const pods = watchDependents({
    view: context.view,
    resource: 'pods',
    ownerResource: jobs,
    ownerApiVersion: 'batch/v1',
    ownerKind: 'Job',
    wouldSelect: (owner, labels) => selects((owner as JobObject).spec.selector, labels),
    changed: (key) => reconciler.add(key),
  });
  const watching = context.view.watch(jobs, ({ object, type }) => {
    if (type === 'DELETED') records.delete(object.metadata.uid ?? '');
    reconciler.add(keyOf(object));
  });
  const orphans = startOrphanPods(context, client);
  return {
    stop() {
      for (const part of [watching, pods, orphans, reconciler]) part.stop();
    },
  };
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { context, records } = tools;
  const { namespace, name: jobName } = splitKey(key);
  const job = context.view.get<JobObject>(jobs, namespace, jobName);
  if (job === undefined || isFinishedJob(job)) return undefined;
  const managedBy = (job.spec as { managedBy?: string }).managedBy;
  if (managedBy !== undefined && managedBy !== ownController) return undefined;
  const pods = await claimPods(tools, job);
  const uid = job.metadata.uid ?? '';
  const nowMs = context.clock.now();
  const decision = decide({ job, pods, nowMs, record: records.get(uid) ?? noFailures });
  const done = await carryOut(tools, job, pods, decision);
  // Pods that could not be removed keep the job from its end.
  const outcome = done.error === undefined ? decision.outcome : undefined;
  const noted = noteEnded(job, pods, { ...decision, outcome }, done.counts, nowMs);
  const current = await writeStatus(tools.client, jobs, job, noted.status);
  records.set(uid, decision.record);
  await conclude(tools, current, noted, outcome);
  if (done.error !== undefined) throw done.error.cause;
  return decision.requeueMs === undefined ? undefined : { afterMs: Math.max(0, decision.requeueMs) };
}

async function claimPods({ client, pods }: Tools, job: JobObject): Promise<readonly PodObject[]> {
  const selected = (pod: PodObject): boolean => selects(job.spec.selector, pod.metadata.labels ?? {});
  return executeClaims(client, 'pods', job, planClaims(job, selected, pods.candidates<PodObject>(job)));
}

interface Done {
  readonly counts: PodCounts;
  readonly error: { readonly cause: unknown } | undefined;
}

/** Creates and removes pods, and tells how many there are then. */
async function carryOut(
  tools: Tools,
  job: JobObject,
  pods: readonly PodObject[],
  decision: JobDecision,
): Promise<Done> {
  const created = await settled(decision.create, (index) => tools.writer.create(job, newJobPod(job, index)));
  const removed = await settled(decision.remove, async (pod) => {
    if (decision.uncounted) await stripFinalizer(tools.client, pod);
    await tools.writer.delete(job, pod);
  });
  const gone = new Set(removed.done);
  const active = pods.filter((pod) => isActive(pod) && !gone.has(pod));
  const leaving = pods.filter(isLeaving).length + removed.done.length;
  const counts = {
    active: active.length + created.done.length,
    ready: active.filter(isReady).length,
    terminating: leaving,
  };
  return { counts, error: created.error ?? removed.error };
}

async function settled<T>(
  items: readonly T[],
  task: (item: T) => Promise<void>,
): Promise<{ done: readonly T[]; error: Done['error'] }> {
  const results = await Promise.allSettled(items.map(task));
  const failed = results.find((result) => result.status === 'rejected' && !isNamespaceTerminating(result.reason));
  return {
    done: items.filter((_, index) => results[index]?.status === 'fulfilled'),
    error: failed?.status === 'rejected' ? { cause: failed.reason } : undefined,
  };
}

/** Frees the noted pods, counts them, and ends the job when all is counted. */
async function conclude(tools: Tools, job: JobObject, noted: Noted, outcome: JobOutcome | undefined): Promise<void> {
  const { client, context, events } = tools;
  for (const { reason, message } of noted.events) events.event(job, 'Normal', reason, message);
  for (const pod of noted.release) await stripFinalizer(client, pod);
  const tracked = context.view.controlledBy<PodObject>('pods', job.metadata.uid ?? '').filter(isTracked);
  const counted = settleNotes(job.status ?? {}, new Set(tracked.map((pod) => pod.metadata.uid ?? '')));
  const ended = outcome && !noted.more ? finishJob(counted, outcome, context.clock.now()) : undefined;
  const current = await writeStatus(client, jobs, job, ended ?? counted);
  if (ended && outcome) reportEnd(events, current, ended, outcome);
}

function reportEnd(events: EventRecorder, job: JobObject, status: JobStatus, outcome: JobOutcome): void {
  if (outcome.result === 'failure') {
    events.event(job, 'Warning', outcome.reason, outcome.message);
    return;
  }
  const { completions } = job.spec;
  if (completions !== undefined && (status.succeeded ?? 0) > completions) {
    const message = 'Too many succeeded pods running after completion count reached';
    events.event(job, 'Warning', 'TooManySucceededPods', message);
  }
  events.event(job, 'Normal', 'Completed', 'Job completed');
}
