import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import { parseSchedule } from '../../cron.ts';
import { isTimeZone } from '../../cron-time.ts';
import type { Strategy } from '../../strategy.ts';
import { notNegativeFields, oneOf } from '../checks/field-checks.ts';
import { ensureObject, fillIn, fillInText, objectAt, specOf, textAt } from '../checks/read.ts';
import { applyTemplateDefaults } from '../pods/pod-template.ts';
import { jobSpecErrors } from './job.ts';
import { emptyStatus } from './workload-checks.ts';

/** The controller appends eleven characters for the job. */
const maxName = 52;

function applyDefaults(cronJob: KubeObject): void {
  const spec = ensureObject(cronJob, 'spec');
  if (spec === undefined) return;
  fillInText(spec, 'concurrencyPolicy', 'Allow');
  fillIn(spec, 'suspend', false);
  fillIn(spec, 'successfulJobsHistoryLimit', 3);
  fillIn(spec, 'failedJobsHistoryLimit', 1);
  const template = ensureObject(spec, 'jobTemplate');
  if (template === undefined) return;
  ensureObject(template, 'metadata');
  const jobSpec = ensureObject(template, 'spec');
  if (jobSpec !== undefined) applyTemplateDefaults(jobSpec);
}

function scheduleErrors(spec: JsonObject): readonly FieldError[] {
  const schedule = textAt(spec, 'schedule');
  if (schedule === '') return [required('spec.schedule', '')];
  if (schedule.includes('TZ')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [invalid('spec.schedule', schedule, detail)];
  }
  const parsed = parseSchedule(schedule);
  return parsed.ok ? [] : [invalid('spec.schedule', schedule, parsed.problem)];
}

function timeZoneErrors({ timeZone }: JsonObject): readonly FieldError[] {
  if (typeof timeZone !== 'string') return [];
  if (timeZone === '') return [invalid('spec.timeZone', timeZone, 'timeZone must be nil or non-empty string')];
  return isTimeZone(timeZone) ? [] : [invalid('spec.timeZone', timeZone, `unknown time zone ${timeZone}`)];
}

function validate(cronJob: KubeObject): readonly FieldError[] {
  const spec = specOf(cronJob);
  return [
    ...scheduleErrors(spec),
    ...timeZoneErrors(spec),
    ...notNegativeFields(spec, 'spec', ['startingDeadlineSeconds']),
    ...oneOf(spec, 'concurrencyPolicy', 'spec', ['Allow', 'Forbid', 'Replace']),
    ...jobSpecErrors(objectAt(objectAt(spec, 'jobTemplate'), 'spec') ?? {}, 'spec.jobTemplate.spec'),
    ...notNegativeFields(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
  ];
}

export const cronJobStrategy: Strategy = {
  applyDefaults,
  prepareForCreate: emptyStatus,
  validate(cronJob) {
    const errors = validate(cronJob);
    const { name } = cronJob.metadata;
    if (name.length <= maxName) return errors;
    return [...errors, invalid('metadata.name', name, `must be no more than ${maxName} characters`)];
  },
};
