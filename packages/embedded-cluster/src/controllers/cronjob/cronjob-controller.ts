import type { CronJobSpec, CronJobStatus } from 'kubernetes-types/batch/v1.js';
import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { parseSchedule, type Schedule } from '../../kinds/cron.ts';
import { isTimeZone } from '../../kinds/cron-time.ts';
import { type KubeObject, keyOf, objectKey, splitKey } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { EventRecorder } from '../common/events.ts';
import { controllerOf, ownerReference } from '../common/owners.ts';
import { createdAt, millis } from '../common/pods.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { JobObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { isFinishedJob, jobHasCondition } from '../job/job-fields.ts';
import { beyondHistory, dueRun, missedTooMany } from './plan-cron-job.ts';

export type CronJobObject = KubeObject & { spec: CronJobSpec; status?: CronJobStatus };
type Reference = NonNullable<CronJobStatus['active']>[number];

const name = 'cronjob-controller';
const cronJobs = 'batch/cronjobs';
const jobs = 'batch/jobs';
/** A little after the full minute, as clocks of others may be a little behind. */
const settleMs = 100;

/** Starts jobs on schedule, and deletes finished ones beyond the history limits. */
export function startCronJobController(context: ControllerContext): Controller {
  const controller = new CronJobs(context);
  const reconciler = new Reconciler(context, { name, reconcile: (key) => controller.reconcile(key) });
  const watching = [
    context.view.watch(cronJobs, ({ object }) => reconciler.add(keyOf(object))),
    context.view.watch(jobs, ({ object }) => {
      const owner = controllerOf(object);
      if (owner?.kind === 'CronJob') reconciler.add(objectKey(object.metadata.namespace, owner.name));
    }),
  ];
  return {
    stop() {
      for (const watch of watching) watch.stop();
      reconciler.stop();
    },
  };
}

class CronJobs {
  readonly #context: ControllerContext;
  readonly #client: Client;
  readonly #events: EventRecorder;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#client = context.clientFor(name);
    this.#events = new EventRecorder(context, this.#client, name);
  }

  async reconcile(key: string): Promise<Requeue | undefined> {
    const { namespace, name: cronJobName } = splitKey(key);
    const found = this.#context.view.get<CronJobObject>(cronJobs, namespace, cronJobName);
    if (found === undefined) return undefined;
    const children = this.#context.view.controlledBy<JobObject>(jobs, found.metadata.uid ?? '');
    await this.#forgetOld(found, children);
    const settled = this.#settle(found, children);
    const cronJob = await writeStatus<CronJobObject>(this.#client, cronJobs, found, settled);
    if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend === true) return undefined;
    const schedule = this.#scheduleOf(cronJob);
    return schedule === undefined ? undefined : this.#runDue(cronJob, schedule);
  }

  /** Jobs that have ended are active no more, and neither are those that are gone. */
  #settle(cronJob: CronJobObject, children: readonly JobObject[]): CronJobStatus {
    const { active = [], ...status } = cronJob.status ?? {};
    const byUid = new Map(children.map((job) => [job.metadata.uid, job]));
    const kept: Reference[] = [];
    let { lastSuccessfulTime } = status;
    for (const reference of active) {
      const job = byUid.get(reference.uid ?? '');
      if (job === undefined) {
        this.#tell(cronJob, 'MissingJob', `Active job went missing: ${reference.name}`);
      } else if (isFinishedJob(job)) {
        const succeeded = jobHasCondition(job, 'Complete');
        this.#tell(
          cronJob,
          'SawCompletedJob',
          `Saw completed job: ${job.metadata.name}, condition: ${succeeded ? 'Complete' : 'Failed'}`,
        );
        lastSuccessfulTime = later(lastSuccessfulTime, succeeded ? job.status?.completionTime : undefined);
      } else {
        kept.push(reference);
      }
    }
    return { ...status, ...(lastSuccessfulTime && { lastSuccessfulTime }), ...(kept.length > 0 && { active: kept }) };
  }

  #scheduleOf(cronJob: CronJobObject): Schedule | undefined {
    const { schedule, timeZone } = cronJob.spec;
    const parsed = parseSchedule(schedule);
    if (!parsed.ok) {
      this.#warn(
        cronJob,
        'UnparseableSchedule',
        `unparseable schedule: ${JSON.stringify(schedule)} : ${parsed.problem}`,
      );
      return undefined;
    }
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      this.#warn(cronJob, 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone)}`);
      return undefined;
    }
    return parsed.schedule;
  }

  async #runDue(cronJob: CronJobObject, schedule: Schedule): Promise<Requeue | undefined> {
    const { timeZone = 'UTC', startingDeadlineSeconds } = cronJob.spec;
    const nowMs = this.#context.clock.now();
    const due = dueRun({
      schedule,
      timeZone,
      nowMs,
      createdMs: createdAt(cronJob),
      lastScheduleMs: millis(cronJob.status?.lastScheduleTime),
      startingDeadlineMs: startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000,
    });
    if (due.kind === 'wait') return due.nextMs === undefined ? undefined : { afterMs: due.nextMs - nowMs + settleMs };
    if (missedTooMany(due.missed)) {
      this.#warn(
        cronJob,
        'TooManyMissedTimes',
        `too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew`,
      );
    }
    const active = cronJob.status?.active ?? [];
    if (cronJob.spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
      // Its end brings us back here.
      this.#tell(
        cronJob,
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return { afterMs: this.#untilNext(schedule, timeZone, nowMs) };
    }
    const remaining = cronJob.spec.concurrencyPolicy === 'Replace' ? await this.#removeAll(cronJob, active) : active;
    await this.#run(cronJob, due.atMs, remaining);
    return { afterMs: this.#untilNext(schedule, timeZone, nowMs) };
  }

  #untilNext(schedule: Schedule, timeZone: string, nowMs: number): number {
    const due = dueRun({ schedule, timeZone, nowMs, createdMs: nowMs });
    return due.kind === 'wait' && due.nextMs !== undefined ? due.nextMs - nowMs + settleMs : settleMs;
  }

  async #removeAll(cronJob: CronJobObject, active: readonly Reference[]): Promise<readonly Reference[]> {
    for (const { name: jobName = '' } of active) await this.#remove(cronJob, jobName);
    return [];
  }

  /** The name says when it was due, so that a run is started once, however often this is tried. */
  async #run(cronJob: CronJobObject, atMs: number, active: readonly Reference[]): Promise<void> {
    const job = jobFor(cronJob, atMs);
    const created = await this.#create(cronJob, job);
    if (created === undefined) return;
    const reference = referenceTo(created);
    const known = active.some(({ uid }) => uid === reference.uid);
    const status = {
      ...cronJob.status,
      active: known || isFinishedJob(created) ? [...active] : [...active, reference],
    };
    await writeStatus(this.#client, cronJobs, cronJob, { ...status, lastScheduleTime: timestamp(atMs) });
  }

  async #create(cronJob: CronJobObject, job: JobObject): Promise<JobObject | undefined> {
    try {
      const created = await this.#client.create(jobs, job);
      this.#tell(cronJob, 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      return created;
    } catch (error) {
      const { namespace = '', name: jobName } = job.metadata;
      const present = this.#context.view.get<JobObject>(jobs, namespace, jobName);
      if (isApiError(error, 409) && present && controllerOf(present)?.uid === cronJob.metadata.uid) return present;
      this.#warn(
        cronJob,
        'FailedCreate',
        `Error creating job: ${error instanceof Error ? error.message : String(error)}`,
      );
      // A namespace on its way out takes no jobs any more, and never will again.
      if (isApiError(error, 403)) return undefined;
      throw error;
    }
  }

  async #forgetOld(cronJob: CronJobObject, children: readonly JobObject[]): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
    const staying = children.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const succeeded = staying.filter((job) => jobHasCondition(job, 'Complete'));
    const failed = staying.filter((job) => jobHasCondition(job, 'Failed'));
    const old = [
      ...beyondHistory(succeeded, successfulJobsHistoryLimit),
      ...beyondHistory(failed, failedJobsHistoryLimit),
    ];
    for (const { metadata } of old) await this.#remove(cronJob, metadata.name);
  }

  async #remove(cronJob: CronJobObject, jobName: string): Promise<void> {
    try {
      await this.#client.delete(jobs, cronJob.metadata.namespace ?? '', jobName, { propagationPolicy: 'Background' });
      this.#tell(cronJob, 'SuccessfulDelete', `Deleted job ${jobName}`);
    } catch (error) {
      if (!isApiError(error, 404)) throw error;
    }
  }

  #tell(cronJob: CronJobObject, reason: string, message: string): void {
    this.#events.event(cronJob, 'Normal', reason, message);
  }

  #warn(cronJob: CronJobObject, reason: string, message: string): void {
    this.#events.event(cronJob, 'Warning', reason, message);
  }
}

function later(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left < right ? right : left;
}

function referenceTo({ apiVersion, kind, metadata }: JobObject): Reference {
  const { name: jobName, namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, name: jobName, namespace, uid, resourceVersion };
}

function jobFor(cronJob: CronJobObject, atMs: number): JobObject {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate;
  const { namespace = '', name: cronJobName } = cronJob.metadata;
  const scheduled = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': timestamp(atMs) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cronJobName}-${Math.floor(atMs / 60_000)}`,
      namespace,
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations, ...scheduled },
      ownerReferences: [ownerReference(cronJob)],
    },
    spec: structuredClone(spec ?? { template: {} }) as JobObject['spec'],
  };
}
